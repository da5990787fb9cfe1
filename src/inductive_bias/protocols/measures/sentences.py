"""What is measured of a classifier of sentences only: its accuracy by the number of attractors and by distance."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias.metrics import accuracy, balanced_accuracy, confidence_and_correct, expected_calibration_error
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split

#: Attractor counts whose unweighted mean is the paper's A-acc, and distances whose mean is its D-acc.
ATTRACTORS, DISTANCES = range(5), range(1, 17)
#: Coordinates of slices: what is counted in sentences as they come, of which a test set may lack rare values.
SLICES = ("attractors", "intervening", "distance")


def slice_rows(logits: Float[Tensor, "n k"], split: Split, name: str) -> Iterator[Row]:
    """Balanced accuracy, and accuracy for each value of the split's slices.

    The name of the slice, ``attractors`` or ``distance``, is the coordinate; examples whose value is not known (−1) are
    left out. ``n`` counts the examples behind each.
    """
    labels = split.labels
    yield row(name, "balanced_accuracy", balanced_accuracy(logits, labels), split.source)
    yield row(name, "share_of_class_0", float((labels == 0).double().mean()), split.source)
    for slice_name, values in split.slices.items():
        for value in values.unique().tolist():
            if value < 0:
                continue
            there, at = values == value, {slice_name: value}
            part = logits[there], labels[there]
            yield row(name, "accuracy", accuracy(*part), split.source, **at)
            yield row(name, "balanced_accuracy", balanced_accuracy(*part), split.source, **at)
            ece = expected_calibration_error(*confidence_and_correct(*part), bins=20)
            yield row(name, "ece_20", ece, split.source, **at)
            yield row(name, "n", float(there.sum()), split.source, **at)


def mean_over(values: dict[float, float], wanted: range) -> float:
    """Unweighted mean over the ``wanted`` counts, NaN if any is missing: a mean over fewer would not compare."""
    return float(torch.tensor([values.get(float(x), float("nan")) for x in wanted], dtype=torch.float64).mean())
