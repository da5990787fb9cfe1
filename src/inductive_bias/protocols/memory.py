"""Tasks that only a long memory solves: digits to copy, numbers to add, a bit to hold."""

import math
from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import EPOCH_STEPS, Bucketed, Shuffled, Stream
from inductive_bias.protocols.measures import Row, outputs_of, row
from inductive_bias.protocols.measures.memory import answers_of, distance_rows, mean_nll, recall_places, recall_rows
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import NonCausalTokenLevel, SquaredErrorOfLast, TokenLevel, scored
from inductive_bias.protocols.selection import ErrorMeasures
from inductive_bias.tasks import Split

#: Validation sequences whose last states are kept.
PROBE_SEQUENCES = 100
#: Nats per validation label below which nothing is left to learn, and training strings whose answers are evaluated.
LEARNT, EVALUATED = 1e-3, 1_000


class MemoryMeasures(ErrorMeasures):
    """Measures of the model of the best evaluation on the validation set, whose weights ``model`` has at the end.

    Training sets are fixed, and can be learnt by heart before the rule is. Beside what is measured on ``test`` stands
    the error of the best guess without memory, in closed form (``baseline_nll`` or ``baseline_mse``).
    """

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from super().final(model, diverged=diverged)
        baseline = f"baseline_{self.error}"
        yield row("test", baseline, getattr(self.given.task, baseline), self.given.data["test"].source)


class RecallMeasures(MemoryMeasures):
    """``nll`` in nats per label, and ``accuracy`` where something has to be remembered; also by ``length``."""

    reads = "states"
    error = "nll"
    metrics = ("nll", "accuracy")

    def of(self, model: nn.Module, split: Split) -> float:
        return mean_nll(answers_of(model, split))

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        yield from recall_rows(answers_of(model, split), self.given.task.asked(split.labels), split, name)

    def lost(self, split: Split, name: str) -> Iterator[Row]:
        for at in recall_places(split):
            yield from (row(name, metric, math.nan, split.source, **at) for metric in self.metrics)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` after the last token of the first validation sequences."""
        some = self.given.validation
        return last_states(model, some.inputs[:PROBE_SEQUENCES], some.slices["length"][:PROBE_SEQUENCES])


class FlipFlopMeasures(RecallMeasures):
    """Measures of the test strings, also by the symbols that have passed since the bit was written."""

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        found = answers_of(model, split)
        yield from recall_rows(found, self.given.task.asked(split.labels), split, name)
        if name == "test":
            yield from distance_rows(found, self.given.task.distances(split.inputs), split, name)


class LastParityMeasures(RecallMeasures):
    """Measures of test and some training strings: a model that knows only these has learnt them by heart."""

    _epoch = 0

    @property
    def should_stop(self) -> bool:
        return self._best.error < LEARNT

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        self._epoch = epoch
        return super().after_epoch(model, epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from super().final(model, diverged=diverged)
        yield row("train", "steps", float(self._epoch * EPOCH_STEPS), self.given.train.source)
        if not diverged:
            train = self.given.train
            slices = {name: values[:EVALUATED] for name, values in train.slices.items()}
            some = Split(train.inputs[:EVALUATED], train.labels[:EVALUATED], train.source, slices)
            yield from self.measured(model, some, "train")


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
    objective = TokenLevel
    measures = RecallMeasures


class FlipFlopProtocol(Protocol):
    """Batches of strings of similar length; cross-entropy averaged over the reads."""

    slices = ("length",)
    needs = ("asked", "baseline_nll", "distances")
    batching = Bucketed
    objective = TokenLevel
    measures = FlipFlopMeasures


class LastParityProtocol(Protocol):
    """An endless stream of shuffled passes, equally long whatever the number of strings; one label per string."""

    slices = ("length",)
    needs = ("asked", "baseline_nll")
    batching = Stream
    objective = NonCausalTokenLevel
    measures = LastParityMeasures


class AddingProtocol(Protocol):
    """Shuffled batches; squared error of the sum, at the last step."""

    needs = ("baseline_mse",)
    batching = Shuffled
    objective = SquaredErrorOfLast
    measures = AddingMeasures
