"""Packed sequences: several in one row, one behind another, none of which sees another."""

import inspect
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Integer, Shaped
from torch import Tensor, nn

from inductive_bias.layers import checks

#: A batch of sequences is at most so many times as long as its shortest one.
SPREAD = 2


def run_packed(
    layer: Callable[..., Shaped[Tensor, "..."]],
    x: Shaped[Tensor, "..."],
    cu_seqlens: Integer[Tensor, " n"] | Sequence[int],
    *,
    dim: int = 1,
    causal: bool | None = None,
) -> Shaped[Tensor, "..."]:
    """What a layer gives each of the sequences that lie one behind another in one row, side by side again.

    They are put into batches of similar lengths, padded on the right, and joined again: a batch has less than twice as
    many places as tokens. Every layer of this package then gives what it gives each sequence alone, in value and
    gradient. A causal layer gets no mask, another one a mask of padding. A layer that takes none, or has an attention
    of its own, gets batches of sequences of one length. The lengths are read on the CPU, so that a compiled graph ends
    here.

    Args:
        layer: any layer, ``layer(x)`` or ``layer(x, mask)``, or a function such as ``lambda v: apply_rem(v, …)``; what
            it gives has a place for every token in the same dimension.
        x: ``[1, total, …]``; or ``[1, …, total, …]`` with the tokens in another dimension, ``dim``.
        cu_seqlens: where the sequences begin, and ``total``: 0, then rising, as flash attention has it. Sequences may
            be empty.
        dim: of the tokens: 1, and 2 for values in heads.
        causal: whether padding behind a sequence changes nothing for it; None for ``layer.causal``, or False where
            there is none.

    Raises:
        ValueError: if there is more than one row, or the sequences are not all of it.
    """
    bounds = _bounds(x, cu_seqlens, dim)
    lengths = bounds.diff()
    alike, masked = _needs(layer, causal)
    rows, found, order = x[0].movedim(dim - 1, 0), [], []
    for members in batches(lengths.tolist(), alike=alike):
        places, mask = _padded(bounds[:-1][members], lengths[members])
        place_of, real = places.to(x.device), mask.to(x.device)
        batch = rows[place_of].masked_fill(~real.reshape(real.shape + (1,) * (rows.ndim - 1)), 0).movedim(1, dim)
        out = layer(batch, real) if masked and not bool(mask.all()) else layer(batch)
        found.append(out.movedim(dim, 1)[real])
        order.append(places[mask])
    if not found:
        raise ValueError("there must be a token in the sequences, not none")
    back = torch.cat(order).argsort().to(x.device)
    return torch.cat(found)[back].movedim(0, dim - 1)[None]


def batches(lengths: Sequence[int], *, alike: bool = False) -> list[list[int]]:
    """Sequences by batches, the longest ones first; those of no length are in none.

    Args:
        lengths: of the sequences.
        alike: a batch has sequences of one length, not of less than :data:`SPREAD` times the shortest one.
    """
    found: list[list[int]] = []
    longest = 0
    for each in sorted((i for i, length in enumerate(lengths) if length), key=lambda i: -lengths[i]):
        if not found or (lengths[each] != longest if alike else SPREAD * lengths[each] <= longest):
            found.append([])
            longest = lengths[each]
        found[-1].append(each)
    return found


def _bounds(x: Tensor, cu_seqlens: Tensor | Sequence[int], dim: int) -> Integer[Tensor, " n"]:
    """Where the sequences begin and end, on the CPU."""
    if not isinstance(x, Tensor) or x.ndim <= checks.whole("dim", dim, least=1) or len(x) != 1:
        shape = tuple(x.shape) if isinstance(x, Tensor) else type(x).__name__
        raise ValueError(f"x must be packed into one row, [1, …], with its tokens in dimension dim={dim}, not {shape}")
    bounds = torch.as_tensor(cu_seqlens).detach().cpu()
    if bounds.ndim != 1 or len(bounds) < 2 or bounds.is_floating_point() or bounds.dtype == torch.bool:
        raise ValueError(f"cu_seqlens must be at least two whole numbers in one dimension, not {cu_seqlens}")
    bounds = bounds.long()
    if int(bounds[0]) != 0 or bool((bounds.diff() < 0).any()) or int(bounds[-1]) != x.shape[dim]:
        raise ValueError(f"cu_seqlens must rise from 0 to the {x.shape[dim]} tokens there are, not {bounds.tolist()}")
    return bounds


def _needs(layer: Callable[..., Tensor], causal: bool | None) -> tuple[bool, bool]:
    """Whether the sequences of a batch must be of one length, and whether the layer is given a mask."""
    if getattr(layer, "attention", None) is not None:
        return True, False  # what is attended to may depend on the length
    if getattr(layer, "causal", False) if causal is None else causal:
        return False, False
    forward = layer.forward if isinstance(layer, nn.Module) else layer
    takes_mask = "mask" in inspect.signature(forward).parameters
    return not takes_mask, takes_mask


def _padded(
    starts: Integer[Tensor, " b"], lengths: Integer[Tensor, " b"]
) -> tuple[Integer[Tensor, "b t"], Bool[Tensor, "b t"]]:
    """The places of every sequence's tokens in the row, and which of them there are."""
    steps = torch.arange(int(lengths.max()))
    mask = steps < lengths[:, None]
    return (starts[:, None] + steps) * mask, mask
