"""A recurrence encoding matrix times values, in time and memory linear in the length.

The sequence is cut into chunks of C steps. Within a chunk the matrix is dense (C × C); what came before a chunk reaches
it through one or two states a head, the real and imaginary part of Σ ρ^{C−c} v_c with ρ = decay · e^{iθ}, carried from
chunk to chunk. Nothing of size t × t is made. A dilation d needs no code of its own: step p = m·d + r belongs to
sequence r, so that ``[t, d_head]`` read as ``[t/d, d · d_head]`` is an undilated problem with more columns.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.attention import checks
from inductive_bias.attention.lags import flags, powers, toeplitz, turning
from inductive_bias.attention.product import ChunkedProduct

#: Steps a chunk.
CHUNK = 32
#: Chunks whose states are combined by one small matrix; from group to group only the last one is carried.
GROUP = 64


def apply_rem(
    values: Tensor,
    kind: str | Sequence[str],
    decay: Tensor,
    angle: Tensor | None,
    *,
    dilation: int | Sequence[int] = 1,
    causal: bool = True,
    diagonal: str = "zero",
) -> Float[Tensor, "b h t d"]:
    """``rem_matrix(kind, decay, angle, t, …) @ values`` without the matrix.

    Args:
        values: ``[b, h, t, d]``, each at least 1; half precision is widened to float32 and the result rounded back.
        kind: ``real``, ``cos`` or ``sin``; one for all heads or one a head.
        decay: ``[h]``: λ in (−1, 1) of a real head, γ in (0, 1) of the others.
        angle: ``[h]``: θ in radians; a real head ignores it, and it may be None if all are real.
        dilation: d ≥ 1; one for all heads or one a head.
        causal: the past alone, or past and future alike.
        diagonal: ``zero`` or ``printed``, see :func:`~inductive_bias.attention.rem_lags`.

    Returns:
        Shape and type of ``values``; gradients reach ``values``, ``decay`` and ``angle``.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """
    kinds, dilations = checks.heads_of(kind, decay, angle, dilation)
    checks.choice("diagonal", diagonal, checks.DIAGONALS)
    if checks.tensor_of("values", values, "b h t d").shape[1] != len(decay):
        raise ValueError(f"values must have decay's {len(decay)} heads, not {values.shape[1]}: {tuple(values.shape)}")
    checks.same_device(values=values, decay=decay)
    return apply(values, kinds, decay, angle, dilations, causal=causal, diagonal=diagonal)


def apply(
    values: Float[Tensor, "b h t d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
    *,
    causal: bool,
    diagonal: str,
    scale: Float[Tensor, " h"] | None = None,
) -> Float[Tensor, "b h t d"]:
    """:func:`apply_rem` of arguments known to be good; ``scale`` multiplies the matrices.

    The result lies in memory as ``[b, t, h, d]``, like that of ``scaled_dot_product_attention``.
    """
    # autocast would round the tables, and with them every power, to bfloat16
    with torch.autocast(values.device.type, enabled=False):
        if len(set(dilations)) == 1:
            return _dilated(values, kinds, decay, angle, dilations[0], causal, diagonal, scale)
        parts = [
            _dilated(
                values[:, heads],
                tuple(kinds[head] for head in heads),
                *(None if x is None else x[heads] for x in (decay, angle)),
                dilation,
                causal,
                diagonal,
                None if scale is None else scale[heads],
            )
            for dilation, heads in by_dilation(dilations)
        ]
        order = torch.tensor([head for _, heads in by_dilation(dilations) for head in heads], device=values.device)
        return torch.cat(parts, 1)[:, order.argsort()]


def by_dilation(dilations: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The heads of every dilation."""
    return [(one, [head for head, each in enumerate(dilations) if each == one]) for one in sorted(set(dilations))]


def _dilated(
    values: Float[Tensor, "b h t d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilation: int,
    causal: bool,
    diagonal: str,
    scale: Float[Tensor, " h"] | None,
) -> Float[Tensor, "b h t d"]:
    length = values.shape[2]
    rows = math.ceil(length / dilation)
    chunk = min(CHUNK, rows)
    chunks = math.ceil(rows / chunk)
    if missing := chunks * chunk * dilation - length:
        values = F.pad(values, (0, 0, 0, missing))
    wide = torch.promote_types(values.dtype, torch.float32)
    near, far = _tables(kinds, decay, angle, chunk, min(chunks, GROUP), causal, diagonal, wide)
    if scale is not None:
        near = torch.cat((near[:, :chunk] * scale.to(wide)[:, None, None], near[:, chunk:]), 1)
    out = ChunkedProduct.apply(values.unflatten(2, (chunks, chunk, dilation)), near, far)
    return out[:, :, :length] if missing else out


def _tables(
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    chunk: int,
    group: int,
    causal: bool,
    diagonal: str,
    dtype: torch.dtype,
) -> tuple[Float[Tensor, "h rows rows"], Float[Tensor, "h s g s g"]]:
    """The two matrices of :class:`ChunkedProduct`.

    With C = ``chunk``, lags f, ρⁿ = x_n + i·y_n and columns for the states (Re, Im):

    - near, ``[[inner, read], [write, 0]]``: inner is f_{a−c}; step c writes ρ^{C−c}; step a reads f of the state times
      ρᵃ: (x, −y) for λⁿ and cos, (y, x) for sin. Not causal: the same once more, backwards in time.
    - far: multiplication by ρ^{C(i−j)}, j ≤ i ≤ G, as a real matrix of blocks ``[[x, −y], [y, x]]``.
    """
    near_steps = torch.arange(chunk + 1, device=decay.device)
    steps = torch.cat((near_steps, near_steps.new_tensor(range(group + 1)) * chunk))
    x, y = (None if part is None else part.to(dtype) for part in powers(decay, turning(kinds, angle), steps))
    if y is None:
        state, lag, read = x[:, None], x[:, :chunk], x[:, None, :chunk]
        far = toeplitz(x[:, chunk + 1 :])[:, None, :, None]
    else:
        state = torch.stack((x, y), 1)
        swap = flags(kinds, "sin", decay.device)[:, None]
        lag = torch.where(swap, y, x)[:, :chunk]
        read = torch.stack((lag, torch.where(swap, x, -y)[:, :chunk]), 1)
        re, im = toeplitz(x[:, chunk + 1 :]), toeplitz(y[:, chunk + 1 :])
        far = torch.stack((torch.stack((re, -im), 2), torch.stack((im, re), 2)), 1)
    first = torch.zeros_like(lag[:, :1])
    if diagonal == "printed":
        first = first + flags(kinds, "cos", decay.device)[:, None]
    inner = toeplitz(torch.cat((first, lag[:, 1:]), 1), causal=causal)
    write = state[:, :, 1 : chunk + 1].flip(-1)
    if not causal:
        read, write = torch.cat((read, read.flip(-1)), 1), torch.cat((write, write.flip(-1)), 1)
    lower = F.pad(write, (0, write.shape[1]))
    return torch.cat((torch.cat((inner, read.mT), 2), lower), 1), far
