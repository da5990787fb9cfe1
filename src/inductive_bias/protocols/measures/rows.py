"""The rows of a trial's table, and what is measured of every classifier.

A row is a dictionary with ``split, metric, epoch, value, data_source`` and those of the :data:`COORDINATES` that say
what the value is of: ``epoch`` is None for final values, and a coordinate that is not there means *over all of it*.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import torch
from jaxtyping import Float, Shaped
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

#: Coordinates that are numbers, in the order of the columns: counts and lengths of a slice, the middle of a bin, pixels
#: or samples of a shift, layers from 1 and heads from 0; what is drawn anew in a bootstrap (a patient's record, a block
#: of days), numbers of the right class and of the one that was answered; and a share of ones, and their number.
NUMBERS = (
    "attractors",
    "distance",
    "intervening",
    "length",
    "position",
    "template",
    "context",
    "bin",
    "shift",
    "layer",
    "head",
    "item",
    "label",
    "answer",
    "share",
    "ones",
)
#: Coordinates that are words, after them: a part of a sequence, the kind of a head or of a baseline, why something was
#: left out, the name of a set of pairs.
WORDS = ("part", "kind", "reason", "pairs")
COORDINATES = (*NUMBERS, *WORDS)
#: How many there were of what a row is about; a place without a row had none.
COUNT = "count"

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


def parameters_row(model: nn.Module, source: str) -> Row:
    """How many numbers the model has learned, or could."""
    return row("model", "parameters", float(sum(each.numel() for each in model.parameters())), source)


def row(
    split: str, metric: str, value: float, source: str, *, epoch: int | None = None, **at: int | float | str
) -> Row:
    """One number of a trial; ``at`` are its coordinates.

    Raises:
        ValueError: for a name that is not one of the :data:`COORDINATES`.
    """
    if unknown := set(at) - set(COORDINATES):
        raise ValueError(
            f"no coordinate {', '.join(sorted(unknown))}; there are: {', '.join(COORDINATES)}; a new one is a name in "
            "NUMBERS or WORDS of protocols/measures/rows.py"
        )
    placed = {name: at[name] if name in WORDS else float(at[name]) for name in COORDINATES if name in at}
    return {"split": split, "metric": metric, "epoch": epoch, **placed, "value": value, "data_source": source}


def outputs_of(
    function: Callable[[Shaped[Tensor, "b ..."]], Shaped[Tensor, "b ..."]], inputs: Shaped[Tensor, "n ..."]
) -> Float[Tensor, "n ..."]:
    """``function`` of all ``inputs`` chunk by chunk, ``[n, …]`` on the CPU in float32; sentences are trimmed."""
    if inputs.is_floating_point():
        return predict(lambda chunk: function(chunk).float().cpu(), ordered_chunks(inputs))
    order = torch.cat([index for index, _ in length_chunks(inputs)])
    found = predict(lambda chunk: function(chunk).float().cpu(), (tokens for _, tokens in length_chunks(inputs)))
    return found[order.argsort()]


def logits_of(model: nn.Module, inputs: Shaped[Tensor, "n ..."]) -> Float[Tensor, "n ..."]:
    """Logits of all ``inputs``, on the CPU, in the model's present mode."""
    device = next(model.parameters()).device
    return outputs_of(lambda chunk: model(chunk.to(device)), inputs)


def accuracy_row(model: nn.Module, split: Split, name: str, epoch: int) -> Row:
    """The accuracy of one split after an epoch."""
    return row(name, "accuracy", accuracy(logits_of(model, split.inputs), split.labels), split.source, epoch=epoch)


def split_rows(logits: Float[Tensor, "n k"], split: Split, name: str) -> Iterator[Row]:
    """Every scalar metric of one split, and its reliability curve by the middle of each ``bin``, as final values."""
    for metric, function in SCALAR_METRICS.items():
        yield row(name, metric, function(logits, split.labels), split.source)
    table = reliability_table(*confidence_and_correct(logits, split.labels), bins=20)
    middle = (table.lower + table.upper) / 2
    for metric in ("count", "mean_confidence", "accuracy"):
        for x, value in zip(middle.tolist(), getattr(table, metric).tolist(), strict=True):
            yield row(name, f"reliability_{metric}", float(value), split.source, bin=round(x, 6))


def diverged_rows(split: Split, name: str) -> Iterator[Row]:
    """Scalar metrics of a diverged run as NaN, so that it stays in every table instead of vanishing."""
    for metric in SCALAR_METRICS:
        yield row(name, metric, math.nan, split.source)


def skipped_rows(skipped: Mapping[str, int], split: str, source: str, **at: str) -> Iterator[Row]:
    """How many examples were left out of a split, by ``reason``."""
    for reason, count in skipped.items():
        yield row(split, "skipped", float(count), source, reason=reason, **at)
