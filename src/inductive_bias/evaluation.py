"""What is measured of a trained classifier of images: the rows of a trial's table.

A row is a dictionary with ``split, metric, epoch, x, value, data_source``; ``epoch`` is None for final values and ``x``
is the abscissa where a metric is a curve (a bin's midpoint, a shift in pixels).
"""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from inductive_bias.analysis import (
    equivariance_error,
    invariance_error,
    linear_equivariance_error,
    shift,
)
from inductive_bias.metrics import (
    accuracy,
    brier_score,
    confidence_and_correct,
    expected_calibration_error,
    negative_log_likelihood,
    reliability_table,
)
from inductive_bias.models import CNN
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.training import predict

Row = dict[str, object]

#: Bins of the paper's code (commits 552f38b, 684d02c), with which nearly every example has a bin of its own.
PAPER_BINS = 1_000_000
MAX_SHIFT = 8
#: Examples for the shift experiments; the first are used to fit the linear map where one is fitted.
SHIFTED_EXAMPLES = 2000

SCALAR_METRICS: dict[str, Callable[[Tensor, Tensor], float]] = {
    "accuracy": accuracy,
    "nll": negative_log_likelihood,
    "brier": brier_score,
    "ece_20": lambda z, y: expected_calibration_error(*confidence_and_correct(z, y), bins=20),
    "ece_20_mass": lambda z, y: expected_calibration_error(
        *confidence_and_correct(z, y), bins=20, binning="equal-mass"
    ),
    "ece_1e6": lambda z, y: expected_calibration_error(*confidence_and_correct(z, y), bins=PAPER_BINS),
}


def row(split: str, metric: str, value: float, source: str, *, epoch: int | None = None, x: float | None = None) -> Row:
    """One number of a trial."""
    return {"split": split, "metric": metric, "epoch": epoch, "x": x, "value": value, "data_source": source}


def logits_of(model: nn.Module, images: Tensor) -> Tensor:
    """Logits of all ``images``, on the CPU, in the model's present mode."""
    device = next(model.parameters()).device
    return predict(lambda chunk: model(chunk.to(device)).float().cpu(), ordered_chunks(images))


def split_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Every scalar metric of one split, and its reliability curve, as final values."""
    logits = logits_of(model, split.inputs)
    for metric, function in SCALAR_METRICS.items():
        yield row(name, metric, function(logits, split.labels), split.source)
    table = reliability_table(*confidence_and_correct(logits, split.labels), bins=20)
    middle = (table.lower + table.upper) / 2
    for metric in ("count", "mean_confidence", "accuracy"):
        for x, value in zip(middle.tolist(), getattr(table, metric).tolist(), strict=True):
            yield row(name, f"reliability_{metric}", float(value), split.source, x=round(x, 6))


def diverged_rows(split: Split, name: str) -> Iterator[Row]:
    """The same scalar metrics as NaN, so that a diverged trial stays in every table instead of vanishing."""
    for metric in SCALAR_METRICS:
        yield row(name, metric, math.nan, split.source)


def shift_rows(model: nn.Module, split: Split, *, epoch: int | None = None) -> Iterator[Row]:
    """Accuracy and feature errors when the images move by 0 … 8 pixels.

    ``accuracy``: mean over the four directions. ``invariance_error``: of the penultimate layer, to the right.
    ``equivariance_error block b``: of a CNN's maps under the known shift of the map (pixels over stride).
    ``linear_equivariance_error``: of the last spatial map (CNN) or first hidden layer (MLP) under the best linear map,
    fitted on three quarters of the images and measured on the rest (Lenc & Vedaldi 2015), which asks the same of both.
    """
    device = next(model.parameters()).device
    images, labels = split.inputs[:SHIFTED_EXAMPLES].to(device), split.labels[:SHIFTED_EXAMPLES]

    def last_map(chunk: Tensor) -> Tensor:
        stages = model.stages(chunk)
        name = list(stages)[-1] if isinstance(model, CNN) else next(iter(stages))
        return stages[name].flatten(1)

    def features(shifted: Tensor) -> Tensor:
        return predict(model.features, ordered_chunks(shifted))

    still = predict(last_map, ordered_chunks(images))
    fitted = len(images) * 3 // 4
    for pixels in range(MAX_SHIFT + 1):
        x = float(pixels)
        directions = [(0, pixels), (0, -pixels), (pixels, 0), (-pixels, 0)]
        scores = [accuracy(logits_of(model, shift(images, dy, dx)), labels) for dy, dx in directions]
        yield row("shift", "accuracy", sum(scores) / 4, split.source, epoch=epoch, x=x)
        error = invariance_error(features, images, 0, pixels, normalise="unrelated")
        yield row("shift", "invariance_error", error, split.source, epoch=epoch, x=x)
        if isinstance(model, CNN):
            yield from _block_rows(model, images[:200], pixels, split.source, epoch)
        moved = predict(last_map, ordered_chunks(shift(images, 0, pixels)))
        error = linear_equivariance_error(
            still[:fitted].cpu(), moved[:fitted].cpu(), still[fitted:].cpu(), moved[fitted:].cpu(), ridge=1e-2
        )
        yield row("shift", "linear_equivariance_error", error, split.source, epoch=epoch, x=x)


@torch.no_grad()
def _block_rows(model: CNN, images: Tensor, pixels: int, source: str, epoch: int | None) -> Iterator[Row]:
    for number, stride in enumerate(model.strides, start=1):
        error = equivariance_error(
            lambda chunk, name=f"block {number}": model.stages(chunk)[name],
            images,
            0,
            pixels,
            stride=stride,
            normalise="unrelated",
        )
        yield row("shift", f"equivariance_error block {number}", error, source, epoch=epoch, x=float(pixels))
