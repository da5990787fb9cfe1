"""Real-valued sequences with a real-valued target at every step."""

import math
from collections.abc import Iterator

from torch import nn

from inductive_bias.metrics import unexplained
from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Shuffled
from inductive_bias.protocols.measures import Row, logits_of, row
from inductive_bias.protocols.objectives import SquaredError


class SequenceMeasures(Measures):
    """The share of the target's variance that is left unexplained."""

    def _unexplained(self, model: nn.Module, name: str) -> float:
        split = self.given.data[name]
        return unexplained(logits_of(model, split.inputs), split.labels)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        value = self._unexplained(model, "validation")
        yield row("validation", "unexplained", value, self.given.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test"):
            value = math.nan if diverged else self._unexplained(model, name)
            yield row(name, "unexplained", value, self.given.data[name].source)


class SequenceProtocol(Protocol):
    """Whole shuffled batches; mean squared error over all steps."""

    batching = Shuffled
    objective = SquaredError
    measures = SequenceMeasures
