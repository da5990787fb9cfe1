"""Proteins: yes or no, and the score of every protein, so that proteins can be drawn anew."""

import math
from collections.abc import Iterator
from itertools import pairwise

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inductive_bias.metrics import auc, confusion, matthews
from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import LimitedBuckets
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import SequenceLevel, at_end
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split

#: The split of longer proteins than were learnt from, where there is one.
LONG = "long"
#: Proteins of which none begins like one that was learnt from or chose.
NOT_SHARED = "not shared"
#: Lengths by which the long ones are told apart: those up to each, beyond the one before; all above the last.
ENDS = (400, 800)
#: Residues of a forward pass at most: one protein may have five thousand.
RESIDUES = 20_000
#: Validation proteins whose last states are kept.
PROBED = 200


class ProteinMeasures(SelectingMeasures):
    """AUC, MCC and accuracy of the epoch in which the validation proteins had the highest AUC; all scores are kept."""

    reads = "states"

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        found = auc(log_odds(model, split), split.labels).item()
        self._best.update(model, 1 - found, epoch)
        yield row("validation", "auc", found, split.source, epoch=epoch)

    @property
    def _asked(self) -> list[str]:
        return [name for name in ("validation", "test", LONG) if name in self.given.data]

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from self.restored(model, diverged=diverged)
        for name in self._asked:
            split = self.given.data[name]
            if diverged:
                yield from (row(name, metric, math.nan, split.source) for metric in ("auc", "mcc", "accuracy"))
                continue
            scores = log_odds(model, split)
            yield from score_rows(scores, split, name)
            if name == "test":
                yield from score_rows(scores, split, name, split.slices["shared"] == 0, part=NOT_SHARED)
            if name == LONG:
                for first, last in pairwise((self.given.task.length, *ENDS, int(split.slices["length"].max()))):
                    there = (split.slices["length"] > first) & (split.slices["length"] <= last)
                    yield from score_rows(scores, split, name, there, length=last)
        yield parameters_row(model, self.given.train.source)
        if not diverged:
            yield from mixer_rows(model, self.given.train.source)

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        """The log odds of every test protein."""
        return {f"scores/{name}": log_odds(model, self.given.data[name]) for name in self._asked[1:]}

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[200, d]`` after the last residue of the first validation proteins."""
        some = self.given.validation
        return last_states(model, some.inputs[:PROBED], some.slices["length"][:PROBED])


@torch.no_grad()
def log_odds(model: nn.Module, split: Split) -> Float[Tensor, " n"]:
    """Output of *yes* minus that of *no* for every protein, on the CPU, in the model's present mode."""
    device, lengths = next(model.parameters()).device, split.slices["length"]
    found = torch.empty(len(split))
    for index in chunks_of_residues(lengths):
        inputs = split.inputs[index, : int(lengths[index].max())].to(device)
        answer = at_end(model(inputs), inputs).float().cpu()
        found[index] = answer[:, 1] - answer[:, 0]
    return found


def chunks_of_residues(lengths: Int64[Tensor, " n"], most: int = RESIDUES) -> Iterator[Int64[Tensor, " _"]]:
    """Indices of all proteins, the shortest first, as many together as have ``most`` places with their padding."""
    order = lengths.argsort(stable=True)
    first = 0
    while first < len(order):
        longest = lengths[order[first:]]
        fits = longest * torch.arange(1, len(longest) + 1) <= most
        count = max(1, int(fits.sum()))
        yield order[first : first + count]
        first += count


def score_rows(
    scores: Float[Tensor, " n"], split: Split, name: str, there: Bool[Tensor, " n"] | None = None, **at: object
) -> Iterator[Row]:
    """AUC, MCC and accuracy of a split or a part of it, and how many proteins that are; *yes* from log odds 0 on.

    Of a part with one label alone the AUC is left out.
    """
    labels = split.labels if there is None else split.labels[there]
    scores = scores if there is None else scores[there]
    yield row(name, "n", float(len(labels)), split.source, **at)
    if not len(labels):
        return
    counts = confusion(labels, (scores >= 0).long(), 2)
    if 0 < labels.sum() < len(labels):
        yield row(name, "auc", auc(scores, labels).item(), split.source, **at)
    yield row(name, "mcc", matthews(counts).item(), split.source, **at)
    yield row(name, "accuracy", (counts.trace() / counts.sum()).item(), split.source, **at)


class ProteinProtocol(Protocol):
    """Batches of proteins of similar length; cross-entropy of the answer after the last residue."""

    slices = ("length", "shared")
    needs = ("weights", "batches", "length")
    batching = LimitedBuckets
    objective = SequenceLevel
    measures = ProteinMeasures
