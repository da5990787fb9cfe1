"""Bits per character of a text that is read in segments: of all of it, by position in the segment, and by past."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.measures.characters import by_context, mean_bits
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.data import IGNORED

#: Streams that a held-out text is read in, side by side: each begins without a past, once.
STREAMS = 10
#: Pasts that are cut, in segments.
PASTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Places of a text at which they are, and how many are read side by side.
PLACES, TOGETHER = 64, 16


def bits_of(model: nn.Module, states: Float[Tensor, "b t d"], labels: Int64[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    """−log₂ of the probability of every label, on the CPU; NaN where a label is unknown."""
    loss = F.cross_entropy(model.readout(states).float().mT, labels, ignore_index=IGNORED, reduction="none")
    return loss.masked_fill(labels == IGNORED, math.nan).cpu() / math.log(2)


@torch.no_grad()
def stream_bits(model: nn.Module, split: Split, segment: int) -> Float[Tensor, "s n"]:
    """Bits of every character of a text in :data:`STREAMS` streams, read by segments with a state that goes on.

    Each stream is a stretch of the text; the few characters that are left over are not read.
    """
    device, streams = next(model.parameters()).device, min(STREAMS, len(split))
    length = len(split) // streams
    rows, labels = (part[: streams * length].view(streams, length).to(device) for part in (split.inputs, split.labels))
    state, found = None, []
    for first in range(0, length, segment):
        here = slice(first, first + segment)
        states, state = model.carried(rows[:, here], state)
        found.append(bits_of(model, states, labels[:, here]))
    return torch.cat(found, 1)


def in_segments(found: Float[Tensor, "s n"], segment: int) -> Float[Tensor, "m segment"]:
    """The bits of all whole segments, a row each; of a text shorter than one, of what there is."""
    whole = found.shape[1] // segment * segment
    return found[:, :whole].reshape(-1, segment) if whole else found


@torch.no_grad()
def past_bits(model: nn.Module, split: Split, segment: int) -> dict[int, float]:
    """Bits of the same segments, if the model began so many characters before each, by that number.

    At :data:`PLACES` places of the text, evenly apart. Pasts are left out that the text is too short for.
    """
    device = next(model.parameters()).device
    pasts = [past for times in PASTS if (past := int(times * segment)) + segment <= len(split)]
    last = len(split) - segment
    starts = torch.linspace(max(pasts), last, min(PLACES, last - max(pasts) + 1)).long()
    found = {}
    for past in dict.fromkeys(pasts):
        parts = []
        for some in starts.split(TOGETHER):
            index = some[:, None] + torch.arange(-past, segment)
            states, _ = model.carried(split.inputs[index].to(device), None)
            parts.append(bits_of(model, states[:, past:], split.labels[index[:, past:]].to(device)))
        found[past] = mean_bits(torch.cat(parts))
    return found


def segment_rows(model: nn.Module, split: Split, name: str, segment: int) -> Iterator[Row]:
    """``bpc`` of all characters, their number, and ``bpc`` by ``position`` in the segment.

    Positions are grouped, 1, 2, 3–4, 5–8 and so on, and each group is named by its last.
    """
    found = stream_bits(model, split, segment)
    yield row(name, "bpc", mean_bits(found), split.source)
    yield row(name, "characters", float(found.isfinite().sum()), split.source)
    for last, value in by_context(in_segments(found, segment)):
        yield row(name, "bpc", value, split.source, position=last)


def past_rows(model: nn.Module, split: Split, name: str, segment: int) -> Iterator[Row]:
    """``bpc`` of some segments by ``context``: the characters before the segment that the model has read."""
    for past, value in past_bits(model, split, segment).items():
        yield row(name, "bpc", value, split.source, context=past)
