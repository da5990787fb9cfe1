"""Calibration (Guo et al. 2017, section 2): does a confidence of .8 mean right four times out of five?

Confidences lie in [0, 1] and are sorted into bins ``[lower, upper)``, the last of which also holds its upper edge 1.
"Equal-width" bins divide [0, 1]; "equal-mass" bins divide the examples (Nixon et al. 2019), equal confidences staying
together so that the order of the examples never matters.

The published numbers of Abnar et al. (2020) come from 10⁶ equal-width bins: nearly every example has its own, and the
"expected calibration error" tends to the mean of |correct − confidence|.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from inductive_bias import checks
from inductive_bias.metrics.accuracy import checked

Binning = Literal["equal-width", "equal-mass"]
BINNINGS = ("equal-width", "equal-mass")


@dataclass(frozen=True)
class ReliabilityTable:
    """One entry a bin; mean confidence and accuracy are NaN where a bin is empty."""

    lower: Float[Tensor, " bins"]
    upper: Float[Tensor, " bins"]
    count: Int[Tensor, " bins"]
    mean_confidence: Float[Tensor, " bins"]
    accuracy: Float[Tensor, " bins"]


def confidence_and_correct(
    logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Bool[Tensor, " n"]]:
    """Largest softmax probability of each example (float64, CPU) and whether its class is the label.

    Raises:
        ValueError: if there is no example, the lengths differ or a label is not one of the classes.
    """
    logits, labels = checked(logits, labels)
    confidence, predicted = torch.softmax(logits, dim=-1).max(dim=-1)
    return confidence.clamp(max=1.0), predicted == labels


def reliability_table(
    confidence: Float[Tensor, " n"], correct: Bool[Tensor, " n"], *, bins: int = 20, binning: Binning = "equal-width"
) -> ReliabilityTable:
    """Count, mean confidence and accuracy of every bin: the numbers behind a reliability diagram.

    Raises:
        ValueError: if there is no example, the lengths differ, a type does not fit, ``bins`` is no integer of at least
            1, ``binning`` is unknown, or a confidence is outside [0, 1].
    """
    confidence, correct = _checked(confidence, correct, bins, binning)
    if torch.isnan(confidence).any():
        raise ValueError("confidence must lie in [0, 1], but holds NaN")
    edges = _edges(confidence, bins, binning)
    index = _bin_of(confidence, edges)
    count = torch.bincount(index, minlength=bins)
    # 0 / 0 = NaN marks an empty bin
    return ReliabilityTable(
        lower=edges[:-1],
        upper=edges[1:],
        count=count,
        mean_confidence=torch.bincount(index, weights=confidence, minlength=bins) / count,
        accuracy=torch.bincount(index, weights=correct, minlength=bins) / count,
    )


def expected_calibration_error(
    confidence: Float[Tensor, " n"], correct: Bool[Tensor, " n"], *, bins: int = 20, binning: Binning = "equal-width"
) -> float:
    """``Σ_b (n_b / n) · |accuracy_b − mean confidence_b|``, in [0, 1] (Guo et al. 2017, equation 3).

    Time and memory grow as n + bins, so that the paper's 10⁶ bins cost milliseconds. NaN if any confidence is NaN.

    Raises:
        ValueError: if there is no example, the lengths differ, a type does not fit, ``bins`` is no integer of at least
            1, ``binning`` is unknown, or a confidence is outside [0, 1].
    """
    confidence, correct = _checked(confidence, correct, bins, binning)
    if torch.isnan(confidence).any():
        return float("nan")
    index = _bin_of(confidence, _edges(confidence, bins, binning))
    # the bin's size cancels: n_b · |accuracy_b − confidence_b| = |Σ_{i in b} (correct_i − confidence_i)|
    gap = torch.bincount(index, weights=correct - confidence, minlength=bins)
    return (gap.abs().sum() / len(confidence)).item()


def _edges(confidence: Float[Tensor, " n"], bins: int, binning: Binning) -> Float[Tensor, " bins_plus_1"]:
    if binning == "equal-width":
        return torch.arange(bins + 1, dtype=torch.float64) / bins
    first = torch.arange(bins) * len(confidence) // bins
    edges = torch.cat([confidence.sort().values[first], torch.ones(1, dtype=torch.float64)])
    edges[0] = 0.0
    return edges


def _bin_of(confidence: Float[Tensor, " n"], edges: Float[Tensor, " bins_plus_1"]) -> Int[Tensor, " n"]:
    # looked up among the edges rather than multiplied by the bin count, which misplaces values such as .29 · 100
    return (torch.bucketize(confidence, edges, right=True) - 1).clamp(max=len(edges) - 2)


def _checked(
    confidence: Float[Tensor, " n"], correct: Bool[Tensor, " n"], bins: int, binning: Binning
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    checks.whole("bins", bins, least=1)
    checks.choice("binning", binning, BINNINGS)
    checks.floats("confidence", confidence, "n")
    checks.booleans("correct", correct, "n")
    if confidence.shape != correct.shape:
        raise ValueError(
            f"confidence and correct must both be [n], not {tuple(confidence.shape)} and {tuple(correct.shape)}"
        )
    if len(confidence) == 0:
        raise ValueError("there is no example to calibrate on")
    confidence, correct = (x.detach().to("cpu", torch.float64) for x in (confidence, correct))
    # NaN is neither below nor above: it must not hide another value
    if outside := confidence[(confidence < 0) | (confidence > 1)].tolist():
        raise ValueError(f"confidence must lie in [0, 1], but {len(outside)} do not: {outside[0]:g} …")
    return confidence, correct
