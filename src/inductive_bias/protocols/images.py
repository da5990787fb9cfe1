"""Classifiers of images."""

from collections.abc import Iterator

from torch import nn

from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Shuffled
from inductive_bias.protocols.measures import Row, accuracy_row, diverged_rows, logits_of, shift_rows, split_rows
from inductive_bias.protocols.objectives import Classes


class ImageMeasures(Measures):
    """Every test set, corrupted ones too, and the test images moved by some pixels."""

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return shift_rows(model, self.given.data["test"], epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        yield accuracy_row(model, self.given.validation, "validation", epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in (name for name in self.given.data.names if name != "train"):
            split = self.given.data[name]
            yield from (
                diverged_rows(split, name) if diverged else split_rows(logits_of(model, split.inputs), split, name)
            )
        if not diverged:
            yield from shift_rows(model, self.given.data["test"])


class ImageProtocol(Protocol):
    """Whole shuffled batches; cross-entropy or distillation."""

    batching = Shuffled
    objective = Classes
    measures = ImageMeasures
