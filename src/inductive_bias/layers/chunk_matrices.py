"""The two small matrices that make a recurrence encoding matrix out of chunks, and their slopes in λ, γ and θ."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Float64
from torch import Tensor

from inductive_bias.layers.lags import flags, toeplitz, turning


class Plan(NamedTuple):
    """How sequences are cut: into chunks of ``chunk`` steps of a dilation's tokens, combined ``group`` at a time."""

    kinds: tuple[str, ...]
    dilations: tuple[int, ...]
    chunk: int
    group: int
    causal: bool
    diagonal: str


def tables(
    plan: Plan, decay: Float[Tensor, " h"], angle: Float[Tensor, " h"] | None, dtype: torch.dtype
) -> tuple[Float[Tensor, "k h rows rows"], Float[Tensor, "k h s g s g"]]:
    """``near`` and ``far`` of :class:`~inductive_bias.layers.chunked_autograd.ChunkedREM`, and their slopes.

    With C = ``chunk``, lags f, ρⁿ = x_n + i·y_n and rows and columns for the states (Re, Im) below and right:

    - near, ``[[inner, read], [write, 0]]``: inner is f_{a−c}; step c writes ρ^{C−c}; step a reads f of the state times
      ρᵃ: (x, −y) for λⁿ and cos, (y, x) for sin. Not causal: the same once more, backwards in time.
    - far: multiplication by ρ^{C(i−j)}, j ≤ i ≤ group, as a real matrix of blocks ``[[x, −y], [y, x]]``.

    First come the matrices, then their derivatives in the decay and, if a head turns, in the angle: both are linear in
    the powers, whose slopes are n ρⁿ⁻¹ e^{iθ} and i n ρⁿ.
    """
    within = torch.arange(plan.chunk + 1, device=decay.device)
    n = torch.cat((within, torch.arange(plan.group + 1, device=decay.device) * plan.chunk))
    turned = turning(plan.kinds, angle)
    size, phase = decay.double()[:, None], None if turned is None else turned.double()[:, None] * n
    slope, size = n * size ** (n - 1).clamp(min=0), size**n
    if phase is None:
        near, far = _assembled(plan.kinds * 2, plan, torch.cat((size, slope)), None, dtype)
    else:
        cos, sin = phase.cos(), phase.sin()
        x, y = size * cos, size * sin
        xs, ys = torch.cat((x, slope * cos, -n * y)), torch.cat((y, slope * sin, n * x))
        near, far = _assembled(plan.kinds * 3, plan, xs, ys, dtype)
    near, far = (table.unflatten(0, (-1, len(plan.kinds))) for table in (near, far))
    if plan.diagonal == "printed":
        first = flags(plan.kinds, "cos", decay.device)[:, None]
        near[0, :, : plan.chunk, : plan.chunk].diagonal(dim1=1, dim2=2).add_(first)
    return near, far


def _assembled(
    kinds: tuple[str, ...], plan: Plan, x: Float64[Tensor, "h n"], y: Float64[Tensor, "h n"] | None, dtype: torch.dtype
) -> tuple[Float[Tensor, "h rows rows"], Float[Tensor, "h s g s g"]]:
    c = plan.chunk
    x, y = x.to(dtype), None if y is None else y.to(dtype)
    if y is None:
        state, lag, read = x[:, None, : c + 1], x[:, :c], x[:, None, :c]
        far = toeplitz(x[:, c + 1 :])[:, None, :, None]
    else:
        state = torch.stack((x[:, : c + 1], y[:, : c + 1]), 1)
        swap = flags(kinds, "sin", x.device)[:, None]
        lag = torch.where(swap, y, x)[:, :c]
        read = torch.stack((lag, torch.where(swap, x, -y)[:, :c]), 1)
        re, im = toeplitz(x[:, c + 1 :]), toeplitz(y[:, c + 1 :])
        far = torch.stack((torch.stack((re, -im), 2), torch.stack((im, re), 2)), 1)
    inner = toeplitz(F.pad(lag[:, 1:], (1, 0)), causal=plan.causal)
    write = state[:, :, 1:].flip(-1)
    if not plan.causal:
        read, write = torch.cat((read, read.flip(-1)), 1), torch.cat((write, write.flip(-1)), 1)
    below = F.pad(write, (0, write.shape[1]))
    return torch.cat((torch.cat((inner, read.mT), 2), below), 1), far
