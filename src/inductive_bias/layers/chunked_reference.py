"""A recurrence encoding matrix times values by ordinary operations: slower, but PyTorch's own tools see through it.

The chunks are those of :mod:`~inductive_bias.layers.chunked_autograd`, but the states of all chunks are combined by
one matrix (quadratic in the number of chunks). No loop depends on the length, and autograd, ``torch.func``,
``torch.compile`` and ``torch.export`` need no rule of ours. The derivative of a derivative is made of it too.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers.lags import flags, lags, powers, toeplitz, turning
from inductive_bias.layers.stepping import by_dilation
from inductive_bias.tracing import exported, recorded, refuse_fixed_length, transformed

#: Tokens a chunk, and the fewest steps; the number of steps may not depend on the length, which may be a symbol.
TOKENS, STEPS = 32, 4
#: The largest dilation where PyTorch records: there a chunk has STEPS times as many tokens, however few are given.
MOST_RECORDED = 2**14
#: Within ``torch.func``, up to so many tokens the matrix itself is made: fewer operations than one chunk takes.
DENSE = 32


def composed(
    values: Float[Tensor, "b h t d"],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    scale: Float[Tensor, " h"] | None,
    other: Float[Tensor, "b h t d"] | None,
    share: Float[Tensor, " h"] | None,
    *,
    kinds: tuple[str, ...],
    dilations: tuple[int, ...],
    causal: bool,
    diagonal: str,
) -> Float[Tensor, "b h t d"]:
    """What :func:`~inductive_bias.layers.chunked.apply` gives, within rounding."""
    wide = values.to(torch.promote_types(values.dtype, torch.float32))
    if transformed() and not exported() and values.shape[2] <= DENSE:
        row = lags(kinds, decay.double(), angle, values.shape[2], dilations, diagonal)
        out = _spread(row.to(wide.dtype), causal=causal) @ wide
    else:
        out = _in_chunks(wide, kinds, decay, angle, dilations, causal=causal, diagonal=diagonal)
    if scale is not None:
        out = scale.to(out.dtype)[:, None, None] * out
    if other is not None:
        out = out + (other if share is None else share.to(out.dtype)[:, None, None] * other)
    return out.to(values.dtype)


def _spread(row: Float[Tensor, "h t"], *, causal: bool) -> Float[Tensor, "h t t"]:
    """What :func:`~inductive_bias.layers.lags.toeplitz` gives, as a product, whose gradient is one as well."""
    step = torch.arange(row.shape[-1], device=row.device)
    lag = step[:, None] - step
    place = (lag if causal else lag.abs()).flatten() == step[:, None]
    return (row @ place.to(row.dtype)).unflatten(-1, (len(step), len(step)))


def _in_chunks(
    values: Float[Tensor, "b h t d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
    *,
    causal: bool,
    diagonal: str,
) -> Float[Tensor, "b h t d"]:
    if recorded() and max(dilations) > MOST_RECORDED:
        raise ValueError(
            f"dilation must be at most {MOST_RECORDED} where PyTorch records a layer, not {max(dilations)}: the "
            f"length may be any there"
        )
    refuse_fixed_length()
    turned = turning(kinds, angle)
    parts, groups = [], by_dilation(dilations)
    for dilation, heads in groups:
        chosen = slice(None) if len(groups) == 1 else heads
        part = _Heads(
            tuple(kinds[head] for head in heads), decay[chosen].double(), None if turned is None else turned[chosen]
        )
        parts.append(_one_dilation(values[:, chosen], part, dilation, causal=causal, diagonal=diagonal))
    if len(groups) == 1:
        return parts[0]
    order = [head for _, heads in groups for head in heads]
    return torch.cat(parts, 1)[:, sorted(range(len(order)), key=order.__getitem__)]


def composed_gradients(
    operands: Sequence[Float[Tensor, "..."] | None],
    needed: Sequence[bool],
    upstream: Float[Tensor, "b h t d"],
    **options: object,
) -> list[Float[Tensor, "..."] | None]:
    """The gradients of :func:`composed` in those of its operands that need one, which have gradients themselves."""
    # an operand may have been made from another one: what is told apart here are the places where they enter
    operands = [x if x is None else x.view_as(x) for x in operands]
    wanted = [place for place, each in enumerate(needed) if each]
    with torch.autocast(upstream.device.type, enabled=False):
        leaves = [operands[place] for place in wanted]
        found = torch.autograd.grad(
            composed(*operands, **options), leaves, upstream, create_graph=True, materialize_grads=True
        )
    gradients = dict(zip(wanted, found, strict=True))
    return [gradients.get(place) for place in range(len(operands))]


class _Heads:
    """Heads of one dilation: kinds, decays and angles in float64."""

    def __init__(self, kinds: tuple[str, ...], decay: Tensor, turned: Tensor | None):
        self.kinds, self.decay, self.turned = kinds, decay, None if turned is None else turned.double()

    def powers(self, exponents: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor | None]:
        """Real and imaginary part of ρⁿ, ``[h, n]`` each."""
        return tuple(None if x is None else x.to(dtype) for x in powers(self.decay, self.turned, exponents))


def _one_dilation(
    values: Float[Tensor, "b h t d"], heads: _Heads, dilation: int, *, causal: bool, diagonal: str
) -> Float[Tensor, "b h t d"]:
    d, c = values.shape[3], max(STEPS, TOKENS // dilation)
    steps = _cut(values, c * dilation).unflatten(3, (c, dilation)).flatten(4)
    row = lags(heads.kinds, heads.decay, heads.turned, c, (1,) * len(heads.kinds), diagonal).to(values.dtype)
    out = toeplitz(row, causal=causal)[:, None] @ steps + _from_before(steps, heads)
    if not causal:
        out = out + _from_before(steps.flip((2, 3)), heads).flip((2, 3))
    return _joined(out.unflatten(4, (dilation, d)).flatten(3, 4), values.shape[2])


def _cut(values: Float[Tensor, "b h t d"], size: int) -> Float[Tensor, "b h n c d"]:
    """Chunks of ``size`` tokens, the last one filled up with zeros."""
    t = values.shape[2]
    if exported():  # a view would compare lengths; and a number of chunks that may be 1 would be taken for 1
        place = torch.arange(t // size + 2, device=values.device)[:, None] * size
        place = place + torch.arange(size, device=values.device)
        return values[:, :, place.clamp(max=t - 1)] * (place < t)[:, :, None]
    chunks = -(-t // size)
    return F.pad(values, (0, 0, 0, chunks * size - t)).unflatten(2, (chunks, size))


def _joined(chunks: Float[Tensor, "b h n c d"], length: int) -> Float[Tensor, "b h t d"]:
    if exported():
        place = torch.arange(length, device=chunks.device)
        return chunks[:, :, place // chunks.shape[3], place % chunks.shape[3]]
    return chunks.flatten(2, 3)[:, :, :length]


def _from_before(steps: Float[Tensor, "b h n c m"], heads: _Heads) -> Float[Tensor, "b h n c m"]:
    """What reaches a chunk from all chunks before it: step c writes ρ^{C−c} of itself, step a reads ρᵃ of the state."""
    (n, c), device, dtype = steps.shape[2:4], steps.device, steps.dtype
    within = torch.arange(c, device=device)
    write, write_turned = heads.powers(c - within, dtype)
    read, read_turned = heads.powers(within, dtype)
    far, far_turned = heads.powers(torch.arange(n, device=device) * c, dtype)
    if write_turned is None:
        state = _before(far) @ (write[:, None, None] @ steps).squeeze(3)
        return read[:, None, :, None] * state[:, :, :, None]
    re, im = (torch.stack((write, write_turned), 1)[:, None] @ steps).unbind(3)
    x, y = _before(far), _before(far_turned)
    state = torch.stack((x @ re - y @ im, x @ im + y @ re), 3)
    sine = flags(heads.kinds, "sin", device)[:, None]
    read, read_turned = torch.where(sine, read_turned, read), torch.where(sine, read, -read_turned)
    return torch.stack((read, read_turned), 2)[:, None] @ state


def _before(powers: Float[Tensor, "h n"]) -> Float[Tensor, "h n n"]:
    """``out[i, j] = powers[i − j − 1]`` where j < i, else 0."""
    step = torch.arange(powers.shape[1], device=powers.device)
    return powers[:, (step[:, None] - step - 1).clamp(min=0)].tril(-1)
