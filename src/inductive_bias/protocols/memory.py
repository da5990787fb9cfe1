"""Tasks that only a long memory solves: digits to copy, numbers to add, a bit to hold."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from torch import Tensor, nn

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import Bucketed, Shuffled
from inductive_bias.protocols.measures import Row, mixer_rows, outputs_of, parameters_row, row
from inductive_bias.protocols.measures.memory import answers_of, distance_rows, mean_nll, recall_rows
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import EveryPosition, SquaredErrorOfLast, scored
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split

#: Validation sequences whose last states are kept.
PROBE_SEQUENCES = 100


class MemoryMeasures(SelectingMeasures):
    """Of the model of the best look at the validation set, whose weights ``model`` has at the end.

    Training sets are fixed, and can be learnt by heart before the rule is. Beside what is measured on ``test`` stands
    the error of the best guess without memory, in closed form (``baseline_nll`` or ``baseline_mse``).

    Attributes:
        error: the metric that is minimised and selected by.
        metrics: what is measured at the end.
    """

    error: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]

    @abstractmethod
    def of(self, model: nn.Module, split: Split) -> float:
        """The error on a split."""

    @abstractmethod
    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        """Everything that is measured on a split."""

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        error = self.of(model, self.given.validation)
        self._best.look(model, error, epoch)
        yield row("validation", self.error, error, self.given.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source = self.given.train.source
        yield from self.restored(model, diverged=diverged)
        for name in ("validation", "test"):
            split = self.given.data[name]
            if diverged:
                yield from (row(name, metric, math.nan, split.source) for metric in self.metrics)
            else:
                yield from self.measured(model, split, name)
        baseline = f"baseline_{self.error}"
        yield row("test", baseline, getattr(self.given.task, baseline), self.given.data["test"].source)
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)


class RecallMeasures(MemoryMeasures):
    """``nll`` in nats per label, and ``accuracy`` where something has to be remembered; also by ``length``."""

    reads = "states"
    error = "nll"
    metrics = ("nll", "accuracy")

    def of(self, model: nn.Module, split: Split) -> float:
        return mean_nll(answers_of(model, split))

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        yield from recall_rows(answers_of(model, split), self.given.task.asked(split.labels), split, name)

    def probe(self, model: nn.Module) -> Tensor:
        """States ``[100, d]`` after the last token of the first validation sequences."""
        some = self.given.validation
        return last_states(model, some.inputs[:PROBE_SEQUENCES], some.slices["length"][:PROBE_SEQUENCES])


class FlipFlopMeasures(RecallMeasures):
    """Of the test strings also by the symbols that have passed since the bit was written."""

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        found = answers_of(model, split)
        yield from recall_rows(found, self.given.task.asked(split.labels), split, name)
        if name == "test":
            yield from distance_rows(found, self.given.task.distances(split.inputs), split, name)


class AddingMeasures(MemoryMeasures):
    """``mse``: the squared error of the sum."""

    error = "mse"
    metrics = ("mse",)

    def of(self, model: nn.Module, split: Split) -> float:
        device = next(model.parameters()).device
        found = outputs_of(lambda chunk: scored(model(chunk.to(device)), split.labels), split.inputs)
        return float((found - split.labels).double().square().mean())

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        yield row(name, "mse", self.of(model, split), split.source)


class CopyingProtocol(Protocol):
    """Shuffled batches; cross-entropy averaged over all positions, blanks included."""

    slices = ("length",)
    needs = ("asked", "baseline_nll")
    batching = Shuffled
    objective = EveryPosition
    measures = RecallMeasures


class FlipFlopProtocol(Protocol):
    """Batches of strings of similar length; cross-entropy averaged over the reads."""

    slices = ("length",)
    needs = ("asked", "baseline_nll", "distances")
    batching = Bucketed
    objective = EveryPosition
    measures = FlipFlopMeasures


class AddingProtocol(Protocol):
    """Shuffled batches; squared error of the sum, at the last step."""

    needs = ("baseline_mse",)
    batching = Shuffled
    objective = SquaredErrorOfLast
    measures = AddingMeasures
