"""Forecasting: windows in one of three orders, squared error of the whole horizon, and what is scored."""

import math
from collections.abc import Iterator
from itertools import pairwise

import torch
from jaxtyping import Float64, Int64
from torch import Tensor, nn

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import OnDevice
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.objectives import SquaredError
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch, batches_per_epoch
from inductive_bias.tasks.forecasting.errors import Errors, window_errors

#: Parts of the horizon that are scored apart, at most.
PARTS = 24
#: Windows that are scored at a time: their attention weights should stay in the cache.
CHUNK = 32


class Ordered(OnDevice):
    """Whole batches of windows in the order that the task says, at most as many as it says."""

    @property
    def size(self) -> int:
        return min(super().size, len(self.given.train))

    def steps_per_epoch(self) -> int:
        found = batches_per_epoch(len(self.given.train), self.size)
        return found if self.given.task.batches is None else min(found, self.given.task.batches)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.tensors(device)
        places = reading_order(self.given.task.order, len(inputs), self.size, self.steps_per_epoch(), order)
        for index in places.to(device):
            yield Batch(inputs[index], labels[index], index)


def reading_order(
    order: str, windows: int, size: int, steps: int, generator: torch.Generator
) -> Int64[Tensor, "steps size"]:
    """Which windows each batch of an epoch holds; of more windows than are wanted, they are drawn evenly.

    Args:
        order: ``shuffled`` by the generator; ``consecutive``: a batch is neighbouring windows, one batch after the
            other; ``streams``: the windows are cut into ``size`` parts, and a batch holds one window of each, all as
            far from the beginning of their parts.
        windows: how many there are.
        size: of a batch.
        steps: batches of the epoch, at most ``windows // size``.
        generator: on the CPU; drawn from only if shuffled.
    """
    if order == "shuffled":
        return torch.randperm(windows, generator=generator)[: steps * size].view(steps, size)
    whole = torch.arange(windows // size)[torch.arange(steps) * (windows // size) // steps]
    if order == "consecutive":
        return whole[:, None] * size + torch.arange(size)
    return whole[:, None] + torch.arange(size) * (windows // size)


class ForecastMeasures(SelectingMeasures):
    """Mean squared and mean absolute error of standardised values, of the epoch with the lowest validation error.

    On validation and test over the whole horizon, on test also by the last step of each of up to 24 equal parts of it
    (``position``). The published code stops where the validation error has not fallen for three epochs; here all epochs
    are run, and the weights are those of the best.
    """

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        error = forecast_errors(model, split)[0].mean().item()
        self._best.update(model, error, epoch)
        yield row("validation", "mse", error, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source = self.given.train.source
        yield from self.restored(model, diverged=diverged)
        for name in ("validation", "test"):
            split = self.given.data[name]
            found = forecast_errors(model, split) if not diverged else (torch.tensor([math.nan]).double(),) * 2
            for metric, errors in zip(("mse", "mae"), found, strict=True):
                yield row(name, metric, errors.mean().item(), split.source)
                if name == "test" and not diverged:
                    for last, value in by_part(errors):
                        yield row(name, metric, value, split.source, position=last)
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)


def forecast_errors(model: nn.Module, split: Split) -> Errors:
    """Mean squared and mean absolute error by step of the horizon, over all windows and series."""
    device = next(model.parameters()).device
    return window_errors(lambda rows: model(rows.to(device)).float().cpu(), split, chunk=CHUNK)


def by_part(errors: Float64[Tensor, " h"]) -> list[tuple[int, float]]:
    """Last step, counted from 1, and mean error of each of up to :data:`PARTS` parts of the horizon."""
    parts = min(PARTS, len(errors))
    ends = [len(errors) * part // parts for part in range(parts + 1)]
    return [(end, errors[start:end].mean().item()) for start, end in pairwise(ends)]


class ForecastProtocol(Protocol):
    """Windows in the order of the task; mean squared error of all steps and series."""

    needs = ("order", "batches")
    data_only = ("data_seed", "rows")
    batching = Ordered
    objective = SquaredError
    measures = ForecastMeasures
