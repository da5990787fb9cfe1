"""One next character from a long window: the setting of training equivalence, in which weights are compared."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector

from inductive_bias.protocols.base import Measures, Objective, Protocol
from inductive_bias.protocols.batching import Windows
from inductive_bias.protocols.measures import Row, row
from inductive_bias.tasks.batching import Batch, ordered_chunks
from inductive_bias.tasks.data import IGNORED
from inductive_bias.training import predict

#: Steps of an *epoch*: weights are kept at multiples of it.
EPOCH_STEPS = 50


class Stretches(Windows):
    """Random windows, :data:`EPOCH_STEPS` batches of them an epoch."""

    def steps_per_epoch(self) -> int:
        return EPOCH_STEPS


class LastPosition(Objective):
    """Cross-entropy of the character after the window."""

    allows_noncausal = False

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        return F.cross_entropy(answers(model, batch.inputs), batch.labels[:, -1], ignore_index=IGNORED)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape, self.given.task.dimensions["outputs"]


def answers(model: nn.Module, inputs: Int64[Tensor, "b t"]) -> Float[Tensor, "b k"]:
    """The last position's outputs ``[b, k]``; a model that can computes no others."""
    return model.last(inputs) if hasattr(model, "last") else model(inputs)[:, -1]


class WeightMeasures(Measures):
    """Bits per character at the last position, and the weights at the trial's checkpoints.

    Arrays ``weights/<epoch>`` are all parameters as one vector, in the order of the module.
    """

    reads = "no features"
    _weights: dict[str, Tensor] | None = None

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        self._keep(model, 0)
        yield self._row(model, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        if epoch in self.given.run.checkpoints:
            self._keep(model, epoch)
            yield self._row(model, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        split = self.given.data["test"]
        yield row("test", "bpc", math.nan if diverged else self._bits(model, "test"), split.source)

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        return self._weights or {}

    def _keep(self, model: nn.Module, epoch: int) -> None:
        if self._weights is None:
            self._weights = {}
        self._weights[f"weights/{epoch}"] = parameters_to_vector(model.parameters()).detach().clone().cpu()

    def _row(self, model: nn.Module, **at: int) -> Row:
        return row("validation", "bpc", self._bits(model, "validation"), self.given.validation.source, **at)

    @torch.no_grad()
    def _bits(self, model: nn.Module, name: str) -> float:
        split, device = self.given.data[name], next(model.parameters()).device
        logits = predict(lambda chunk: answers(model, chunk.to(device)).cpu(), ordered_chunks(split.inputs))
        return F.cross_entropy(logits, split.labels[:, -1], ignore_index=IGNORED).item() / math.log(2)


class NextCharacterProtocol(Protocol):
    """Random windows; the character after each."""

    needs = ("window",)
    batching = Stretches
    objective = LastPosition
    measures = WeightMeasures
