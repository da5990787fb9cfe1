"""The model at its best evaluation on the validation set: what is measured and kept where longer training overfits."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from torch import Tensor, nn

from inductive_bias.protocols.base import Measures
from inductive_bias.protocols.given import Given
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.tasks import Split


class Best:
    """The weights with the lowest validation error so far.

    Attributes:
        error: that error; infinite before the first evaluation.
        epoch: when it was.
    """

    def __init__(self) -> None:
        self.error, self.epoch = math.inf, 0
        self._weights: dict[str, Tensor] = {}

    def update(self, model: nn.Module, error: float, epoch: int) -> None:
        """Keep a copy of the model's weights if its error is the lowest; an error that is no number never is."""
        if error < self.error:
            self.error, self.epoch = error, epoch
            self._weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def restore(self, model: nn.Module) -> bool:
        """Give the model these weights; False, and nothing done, if there was no evaluation."""
        if self._weights:
            model.load_state_dict(self._weights)
        return bool(self._weights)


class SelectingMeasures(Measures):
    """Measures of the model of the best evaluation, whose weights ``model`` has from :meth:`restored` on."""

    def __init__(self, given: Given):
        super().__init__(given)
        self._best = Best()

    def restored(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """Restore the best weights and say of which epoch they are; nothing if it diverged or there was no look."""
        if not diverged and self._best.restore(model):
            yield row("train", "selected_epoch", float(self._best.epoch), self.given.train.source)


class ErrorMeasures(SelectingMeasures):
    """One error selects; what else is measured at the end is of the validation and the test split.

    Attributes:
        error: the metric that is minimised and selected by.
        metrics: what is measured of each split; NaN for a run that diverged.
    """

    error: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]

    @abstractmethod
    def of(self, model: nn.Module, split: Split) -> float:
        """The error on a split."""

    @abstractmethod
    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        """Everything that is measured on a split."""

    def lost(self, split: Split, name: str) -> Iterator[Row]:
        """Rows of a run that diverged: NaN wherever a score would stand that a rule reads."""
        yield from (row(name, metric, math.nan, split.source) for metric in self.metrics)

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        error = self.of(model, self.given.validation)
        self._best.update(model, error, epoch)
        yield row("validation", self.error, error, self.given.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source = self.given.train.source
        yield from self.restored(model, diverged=diverged)
        for name in ("validation", "test"):
            split = self.given.data[name]
            yield from self.lost(split, name) if diverged else self.measured(model, split, name)
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)
