"""The rows of a trial's table, and what is measured of every classifier.

A row is a dictionary with ``split, metric, epoch, x, value, data_source``; ``epoch`` is None for final values and ``x``
is the abscissa where a metric is a curve (a bin's midpoint, a shift in pixels, a number of attractors).
"""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from inductive_bias.metrics import (
    accuracy,
    brier_score,
    confidence_and_correct,
    expected_calibration_error,
    negative_log_likelihood,
    reliability_table,
)
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks, ordered_chunks
from inductive_bias.training import predict

Row = dict[str, object]

#: Bins of the paper's code (commits 552f38b, 684d02c), with which nearly every example has a bin of its own.
PAPER_BINS = 1_000_000

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


def outputs_of(function: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """``function`` of all ``inputs`` chunk by chunk, ``[n, …]`` on the CPU in float32; sentences are trimmed."""
    if inputs.is_floating_point():
        return predict(lambda chunk: function(chunk).float().cpu(), ordered_chunks(inputs))
    order = torch.cat([index for index, _ in length_chunks(inputs)])
    found = predict(lambda chunk: function(chunk).float().cpu(), (tokens for _, tokens in length_chunks(inputs)))
    return found[order.argsort()]


def logits_of(model: nn.Module, inputs: Tensor) -> Tensor:
    """Logits of all ``inputs``, on the CPU, in the model's present mode."""
    device = next(model.parameters()).device
    return outputs_of(lambda chunk: model(chunk.to(device)), inputs)


def split_rows(logits: Tensor, split: Split, name: str) -> Iterator[Row]:
    """Every scalar metric of one split, and its reliability curve, as final values."""
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
