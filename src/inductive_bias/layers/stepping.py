"""A recurrence encoding matrix one token at a time, with a state whose size does not depend on the past.

A head of dilation d has d states, one for each of the next d tokens: slot i holds ``Σ_{m≥1} ρᵐ v_{t+i−md}``, with real
and imaginary part of ρ = decay · e^{iθ} apart. Heads of smaller dilation leave the last slots at 0.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers.lags import flags, powers, turning


def empty_state(
    value: Float[Tensor, "b h d"], kinds: tuple[str, ...], dilations: tuple[int, ...]
) -> Float[Tensor, "b h s slots d"]:
    """The state before any token, at least in float32."""
    b, h, d = value.shape
    parts = 1 if set(kinds) == {"real"} else 2
    wide = torch.promote_types(value.dtype, torch.float32)
    return torch.zeros(b, h, parts, max(dilations), d, dtype=wide, device=value.device)


def state_after(
    values: Float[Tensor, "b h t d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
) -> Float[Tensor, "b h s slots d"]:
    """The state after all of ``values``, in time and memory linear in their number."""
    state = empty_state(values[:, :, 0], kinds, dilations)
    turned = turning(kinds, angle)
    with torch.autocast(values.device.type, enabled=False):
        parts = []
        for dilation, heads in by_dilation(dilations):
            rows = -(-values.shape[2] // dilation)
            # zeros before the first token: the token after the last is then one of slot 0
            padded = F.pad(values[:, heads].to(state.dtype), (0, 0, rows * dilation - values.shape[2], 0))
            ages = torch.arange(rows, 0, -1, device=values.device)
            weights = powers(decay[heads], None if turned is None else turned[heads], ages)
            weights = torch.stack([part for part in weights if part is not None], 1).to(state.dtype)
            slots = torch.einsum("hsm,bhmwd->bhswd", weights, padded.unflatten(2, (rows, dilation)))
            parts.append(F.pad(slots, (0, 0, 0, max(dilations) - dilation)))
        order = torch.tensor([head for _, heads in by_dilation(dilations) for head in heads], device=values.device)
        return torch.cat(parts, 1)[:, order.argsort()]


def by_dilation(dilations: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The heads of every dilation."""
    return [(one, [head for head, each in enumerate(dilations) if each == one]) for one in sorted(set(dilations))]


def advance(
    state: Float[Tensor, "b h s slots d"],
    value: Float[Tensor, "b h d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
    diagonal: str,
) -> tuple[Float[Tensor, "b h d"], Float[Tensor, "b h s slots d"]]:
    """One token: its row of the matrix times all values so far, and the next state ``ρ (S + v)`` in its slot."""
    device, new = value.device, value.to(state.dtype)
    x, y = powers(decay, turning(kinds, angle), torch.ones(1, dtype=torch.int64, device=device))
    x = x.to(state.dtype)
    real = state[:, :, 0, 0] + new
    if y is None:
        out, following = state[:, :, 0, 0], (x * real)[:, :, None]
    else:
        y, imaginary = y.to(state.dtype), state[:, :, 1, 0]
        out = torch.where(flags(kinds, "sin", device)[:, None], imaginary, state[:, :, 0, 0])
        following = torch.stack((x * real - y * imaginary, y * real + x * imaginary), 2)
    if diagonal == "printed":
        out = out + flags(kinds, "cos", device)[:, None] * new
    last = torch.arange(state.shape[3], device=device) == torch.tensor(dilations, device=device)[:, None] - 1
    shifted = F.pad(state[:, :, :, 1:], (0, 0, 0, 1))
    return out.to(value.dtype), torch.where(last[:, None, :, None], following[:, :, :, None], shifted)
