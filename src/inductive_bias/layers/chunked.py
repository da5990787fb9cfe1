"""A recurrence encoding matrix times values, in time and memory linear in the length.

The sequence is cut into chunks of C steps. Within a chunk the matrix is dense (C × C); what came before a chunk reaches
it through one or two states a head, the real and imaginary part of Σ ρ^{C−c} v_c with ρ = decay · e^{iθ}, carried from
chunk to chunk. Nothing of size t × t is made. A dilation d needs no code of its own: step p = m·d + r belongs to
sequence r, so that ``[t, d_head]`` read as ``[t/d, d · d_head]`` is an undilated problem with more columns.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers import checks
from inductive_bias.layers.chunk_matrices import Plan
from inductive_bias.layers.chunked_autograd import ChunkedREM
from inductive_bias.layers.chunked_reference import composed
from inductive_bias.layers.kernels import form_for
from inductive_bias.layers.lags import within
from inductive_bias.layers.sequential import sequential
from inductive_bias.tracing import recorded, transformed

#: Steps a chunk, of sequences up to so many steps and of longer ones. Measured fastest among 8, 16, 32 and 64 on a CPU.
CHUNKS = (16, 512, 32)
#: So much longer than the sequence a dilation may be before it is cut to that: what was computed with it stays the same
#: to the last bit.
SPARE = 256
#: Chunks whose states are combined by one small matrix; from group to group only the last one is carried.
GROUP = 64


def apply_rem(
    values: Float[Tensor, "b h t d"],
    kind: str | Sequence[str],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    *,
    dilation: int | Sequence[int] = 1,
    causal: bool = True,
    diagonal: str = "zero",
) -> Float[Tensor, "b h t d"]:
    """``rem_matrix(kind, decay, angle, t, …) @ values`` without the matrix.

    Args:
        values: ``[b, h, t, d]``, h, t and d at least 1; half precision is widened to float32 and the result rounded
            back.
        kind: ``real``, ``cos`` or ``sin``; one for all heads or one a head.
        decay: ``[h]``: λ in (−1, 1) of a real head, γ in (0, 1) of the others.
        angle: ``[h]``: θ in radians; a real head ignores it, and it may be None if all are real.
        dilation: d ≥ 1; one for all heads or one a head.
        causal: the past alone, or past and future alike.
        diagonal: ``zero`` or ``printed``, see :func:`~inductive_bias.layers.rem_lags`.

    Returns:
        Shape and type of ``values``; gradients reach ``values``, ``decay`` and ``angle``.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """
    kinds, dilations = checks.heads_of(kind, decay, angle, dilation)
    checks.choice("diagonal", diagonal, checks.DIAGONALS)
    if checks.tensor_of("values", values, "b h t d", no_batch=True).shape[1] != len(decay):
        raise ValueError(f"values must have decay's {len(decay)} heads, not {values.shape[1]}: {tuple(values.shape)}")
    checks.one_device(values=values, decay=decay)
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
    other: Float[Tensor, "b h t d"] | None = None,
    share: Float[Tensor, " h"] | None = None,
) -> Float[Tensor, "b h t d"]:
    """:func:`apply_rem` of arguments known to be good; ``scale`` multiplies the matrices, ``share · other`` is added.

    The result lies in memory as ``[b, t, h, d]``, like that of ``scaled_dot_product_attention``.
    """
    operands = (values, decay, angle, scale, other, share)
    dilations = within(dilations, values.shape[2] + SPARE)
    # autocast would round the tables, and with them every power, to bfloat16
    with torch.autocast(values.device.type, enabled=False):
        if recorded() or transformed():
            options = {"kinds": kinds, "dilations": dilations, "causal": causal, "diagonal": diagonal}
            return composed(*operands, **options)
        if (form := form_for(*operands)) != "chunks":
            return sequential(form, *operands, kinds=kinds, dilations=dilations, causal=causal, diagonal=diagonal)
        plan = _plan(values.shape[2], kinds, dilations, causal=causal, diagonal=diagonal)
        keep = torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in operands)
        return ChunkedREM.apply(*operands, plan, keep)


def _plan(length: int, kinds: tuple[str, ...], dilations: tuple[int, ...], *, causal: bool, diagonal: str) -> Plan:
    steps = -(-length // min(dilations))
    short, limit, long = CHUNKS
    chunk = min(short if steps <= limit else long, steps)
    return Plan(kinds, dilations, chunk, min(GROUP, -(-steps // chunk)), causal, diagonal)
