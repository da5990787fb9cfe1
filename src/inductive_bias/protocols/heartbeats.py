"""Heartbeats: classes of whole beats, counted record by record, so that patients can be drawn anew."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.metrics import confusion, macro_f1, recalls
from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import Limited
from inductive_bias.protocols.measures import COUNT, Row, mixer_rows, outputs_of, parameters_row, row
from inductive_bias.protocols.objectives import SequenceLevel, at_end
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split
from inductive_bias.tasks.heartbeats.shifting import shifted

#: The name in the rows of the test beats moved within their windows, by ``shift``.
SHIFTED = "shifted"


class HeartbeatMeasures(SelectingMeasures):
    """Macro-F1 of the epoch in which that of the validation records was highest; answers by record and class.

    ``count`` is how many beats of a record (``item``) and class (``label``) were given which ``answer``; those that
    never occurred are left out.
    """

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        counts = confusion(split.labels, beat_answers(model, split.inputs), self._classes)
        found = macro_f1(counts).item()
        self._best.update(model, 1 - found, epoch)
        yield row("validation", "macro_f1", found, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from self.restored(model, diverged=diverged)
        data, shifts = self.given.data, self.given.task.shifts
        if diverged:
            for name in ("validation", "test"):
                yield row(name, "macro_f1", math.nan, data[name].source)
            yield from (row(SHIFTED, "macro_f1", math.nan, data["test"].source, shift=by) for by in shifts)
        else:
            for name in ("validation", "test"):
                split = data[name]
                yield from beat_rows(beat_answers(model, split.inputs), split, name, self._classes)
            for by in shifts:
                moved = beat_answers(model, data["test"].inputs, by)
                yield from beat_rows(moved, data["test"], SHIFTED, self._classes, shift=by)
            yield from mixer_rows(model, self.given.train.source)
        yield parameters_row(model, self.given.train.source)

    @property
    def _classes(self) -> int:
        return self.given.task.dimensions["outputs"]


def beat_answers(model: nn.Module, inputs: Float[Tensor, "n t *channels"], shift: int = 0) -> Int64[Tensor, " n"]:
    """The class with the highest output for every beat, moved by ``shift`` samples, on the CPU."""
    device = next(model.parameters()).device

    def answered(chunk: Tensor) -> Tensor:
        beats = shifted(chunk, shift).to(device) if shift else chunk.to(device)
        return at_end(model(beats), beats)

    return outputs_of(torch.no_grad()(answered), inputs).argmax(-1)


def beat_rows(answers: Int64[Tensor, " n"], split: Split, name: str, classes: int, **at: int) -> Iterator[Row]:
    """Macro-F1, accuracy and recalls over all beats, and the counts of every record."""
    counts = confusion(split.labels, answers, classes)
    yield row(name, "macro_f1", macro_f1(counts).item(), split.source, **at)
    yield row(name, "accuracy", (counts.trace() / counts.sum()).item(), split.source, **at)
    for label, found in enumerate(recalls(counts).tolist()):
        yield row(name, "recall", found, split.source, label=label, **at)
    if name == "validation":
        return
    for record in split.slices["record"].unique().tolist():
        of = split.slices["record"] == record
        table = confusion(split.labels[of], answers[of], classes)
        for label, answer in table.nonzero().tolist():
            value = table[label, answer].item()
            yield row(name, COUNT, value, split.source, item=record, label=label, answer=answer, **at)


class HeartbeatProtocol(Protocol):
    """Shuffled beats; cross-entropy of the answer after the last sample."""

    slices = ("record",)
    needs = ("weights", "batches", "shifts")
    batching = Limited
    objective = SequenceLevel
    measures = HeartbeatMeasures
