"""Share prices: errors by block of neighbouring days, so that days can be drawn anew and not shares."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import Limited
from inductive_bias.protocols.measures import Row, mixer_rows, outputs_of, parameters_row, row
from inductive_bias.protocols.objectives import SequenceLevel, at_end
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split

#: Days of a block: a week of trading. Shares move together, and wild days follow wild days.
BLOCK = 5


class StockMeasures(SelectingMeasures):
    """Squared errors of returns and sizes, or right directions, of the epoch with the lowest validation loss.

    By ``item``, the number of a block of five test days from 0 on: ``squared_error`` is the sum over its days and
    shares, ``right`` how many directions were, ``n`` how many there are.
    """

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        found = mean_loss(model, split)
        self._best.update(model, found, epoch)
        yield row("validation", "loss", found, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from self.restored(model, diverged=diverged)
        data = self.given.data
        for name in ("validation", "test"):
            value = math.nan if diverged else mean_loss(model, data[name])
            yield row(name, "loss", value, data[name].source)
        if not diverged:
            yield from block_rows(forecasts(model, data["test"]), data["test"], "test")
            yield from mixer_rows(model, self.given.train.source)
        yield parameters_row(model, self.given.train.source)


def forecasts(model: nn.Module, split: Split) -> Float[Tensor, "n k"]:
    """What the model says of every day and share: a number, or the outputs of both directions; on the CPU."""
    device = next(model.parameters()).device
    answered = torch.no_grad()(lambda chunk: at_end(model(chunk.to(device)), chunk))
    return outputs_of(answered, split.inputs)


def mean_loss(model: nn.Module, split: Split) -> float:
    """Mean squared error, or mean cross-entropy in nats."""
    found = forecasts(model, split)
    return (F.mse_loss if split.labels.is_floating_point() else F.cross_entropy)(found, split.labels).item()


def block_rows(found: Float[Tensor, "n k"], split: Split, name: str) -> Iterator[Row]:
    """Sums over the days of a block and all shares."""
    if split.labels.is_floating_point():
        metric, values = "squared_error", (found - split.labels).double().square()[:, 0]
    else:
        metric, values = "right", (found.argmax(1) == split.labels).double()
    block = split.slices["day"] // BLOCK
    sums = torch.zeros(int(block.max()) + 1).double().index_add(0, block, values)
    for item, (value, count) in enumerate(zip(sums.tolist(), block.bincount().tolist(), strict=True)):
        yield row(name, metric, value, split.source, item=item)
        yield row(name, "n", float(count), split.source, item=item)


class StockProtocol(Protocol):
    """Shuffled windows; squared error or cross-entropy of the answer after the last day."""

    slices = ("day", "ticker")
    needs = ("weights", "batches")
    batching = Limited
    objective = SequenceLevel
    measures = StockMeasures
