"""Every metric refuses what does not fit, naming the argument, its value and the range."""

import math

import pytest
import torch

from inductive_bias.metrics import (
    accuracy,
    balanced_accuracy,
    brier_score,
    confidence_and_correct,
    error_shares,
    expected_calibration_error,
    negative_log_likelihood,
    reliability_table,
    unexplained,
)
from tests.hostile import refused

NAN, INF = float("nan"), float("inf")
LOGITS = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
LABELS = torch.tensor([0, 1, 2, 0])
SCORES = (accuracy, balanced_accuracy, negative_log_likelihood, brier_score)


@pytest.mark.parametrize("function", [*SCORES, confidence_and_correct])
@pytest.mark.parametrize(
    ("logits", "labels", "message"),
    [
        (LOGITS[0], LABELS[0], r"logits must be \[n, classes\], not \(3,\)"),
        (LOGITS[None], LABELS[None], r"logits must be \[n, classes\], not \(1, 4, 3\)"),
        (LOGITS[:0], LABELS[:0], "no example or no class"),
        (LOGITS[:, :0], LABELS, "no example or no class"),
        (LOGITS.long(), LABELS, r"logits must hold real floating-point numbers, not torch\.int64"),
        (LOGITS.to(torch.complex64), LABELS, r"logits must hold real .*, not torch\.complex64"),
        (LOGITS.numpy(), LABELS, "logits must be a tensor, not ndarray"),
        (LOGITS, LABELS[:3], r"labels must have the shape \(4,\), one for each row, not \(3,\)"),
        (LOGITS, LABELS[:, None], r"labels must have the shape \(4,\), one for each row, not \(4, 1\)"),
        (LOGITS, LABELS.double(), r"labels must hold integers, not torch\.float64"),
        (LOGITS, LABELS + 0.5, r"labels must hold integers, not torch\.float32"),
        (LOGITS, LABELS > 0, r"labels must hold integers, not torch\.bool"),
        (LOGITS, LABELS.tolist(), "labels must be a tensor, not list"),
        (LOGITS, LABELS + 1, r"labels must lie in \[0, 2\], not \[1, 3\]"),
        (LOGITS, LABELS - 100, r"labels must lie in \[0, 2\], not \[-100, -98\]"),
    ],
    ids=[
        "one row",
        "three axes",
        "no example",
        "no class",
        "int logits",
        "complex",
        "array",
        "fewer",
        "column",
        "float labels",
        "halves",
        "bool",
        "list",
        "too high",
        "-100",
    ],
)
def test_logits_and_labels_that_do_not_fit_are_refused(function, logits, labels, message):
    refused(function, message, logits, labels)


@pytest.mark.parametrize("row", [[0.0, INF, 0.0], [0.0, NAN, 0.0], [-INF] * 3], ids=str)
@pytest.mark.parametrize("function", SCORES)
def test_a_row_without_a_softmax_never_scores(function, row):
    logits = LOGITS.clone()
    logits[1] = torch.tensor(row)
    assert math.isnan(function(logits, LABELS))


def test_a_class_that_is_ruled_out_is_no_divergence():
    logits = LOGITS.clone()
    logits[0, 1] = -INF
    assert all(math.isfinite(function(logits, LABELS)) for function in SCORES)


CONFIDENCE, CORRECT = torch.tensor([0.2, 0.5, 1.0]), torch.tensor([True, False, True])


@pytest.mark.parametrize("function", [reliability_table, expected_calibration_error])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": torch.tensor([0.2, 1.5, 1.0])}, r"confidence must lie in \[0, 1\], but 1 do not: 1\.5"),
        ({"confidence": torch.tensor([-0.1, NAN, 0.5])}, r"confidence must lie in \[0, 1\], but 1 do not: -0\.1"),
        ({"confidence": torch.tensor([INF, NAN, 0.5])}, r"confidence must lie in \[0, 1\], but 1 do not: inf"),
        ({"confidence": torch.tensor([1, 0, 1])}, r"confidence must hold real floating-point numbers, not torch.int64"),
        ({"confidence": CONFIDENCE[:, None]}, r"confidence must be \[n\], not \(3, 1\)"),
        ({"confidence": [0.2, 0.5, 1.0]}, "confidence must be a tensor, not list"),
        ({"confidence": CONFIDENCE[:0], "correct": CORRECT[:0]}, "no example"),
        ({"correct": CORRECT[:2]}, r"must both be \[n\], not \(3,\) and \(2,\)"),
        ({"correct": torch.tensor([0, 7, 1])}, r"correct must be a tensor of bool, not torch\.int64"),
        ({"correct": torch.tensor([0.0, 0.5, 1.0])}, r"correct must be a tensor of bool, not torch\.float32"),
        ({"correct": [True, False, True]}, "correct must be a tensor of bool, not list"),
        ({"bins": 0}, "bins must be an integer of at least 1, not 0"),
        ({"bins": 2.5}, r"bins must be an integer of at least 1, not 2\.5"),
        ({"bins": True}, "bins must be an integer of at least 1, not True"),
        ({"bins": NAN}, "bins must be an integer of at least 1, not nan"),
        ({"binning": "equal-luck"}, "binning must be one of equal-width, equal-mass, not 'equal-luck'"),
        ({"binning": None}, "binning must be one of equal-width, equal-mass, not None"),
        ({"confidence": CONFIDENCE * NAN, "binning": "equal-luck"}, "binning must be one of"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_confidences_that_do_not_fit_are_refused(function, change, message):
    refused(function, message, **({"confidence": CONFIDENCE, "correct": CORRECT} | change))


ERROR = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("error", "crossed", "message"),
    [
        (ERROR, ERROR[:2], r"not \(3, 2\) and \(2, 2\)"),
        (ERROR, ERROR[:, :1], r"not \(3, 2\) and \(3, 1\)"),
        (ERROR[:1], ERROR[:1], "n of at least 2"),
        (ERROR[:, :0], ERROR[:, :0], "s of at least 1"),
        (ERROR[0], ERROR[0], r"error must be \[n, s\], not \(2,\)"),
        (ERROR[None], ERROR[None], r"error must be \[n, s\], not \(1, 3, 2\)"),
        (ERROR, ERROR.sum(), r"crossed must be \[n, s\], not \(\)"),
        (ERROR.long(), ERROR, r"error must hold real floating-point numbers, not torch\.int64"),
        (ERROR, None, "crossed must be a tensor, not NoneType"),
    ],
)
def test_errors_that_do_not_fit_each_other_are_refused(error, crossed, message):
    refused(error_shares, message, error, crossed)


@pytest.mark.parametrize(
    ("outputs", "targets", "message"),
    [
        (ERROR, ERROR[:2], r"\(3, 2\), \(2, 2\)"),
        (ERROR, ERROR[:, :1], r"\(3, 2\), \(3, 1\)"),
        (ERROR[:0], ERROR[:0], "with values"),
        (ERROR[0], ERROR[0], r"one shape \[…, k\]"),
        (ERROR.sum(), ERROR.sum(), r"one shape \[…, k\]"),
        (ERROR, ERROR.long(), r"targets must hold real floating-point numbers, not torch\.int64"),
        (ERROR, ERROR * 0, "targets must vary"),
        (ERROR, ERROR * NAN, "targets must be finite, but 6 values are not"),
        (ERROR, ERROR / 0, "targets must be finite, but 6 values are not"),
        ([1.0], ERROR, "outputs must be a tensor, not list"),
    ],
)
def test_outputs_and_targets_that_do_not_fit_are_refused(outputs, targets, message):
    refused(unexplained, message, outputs, targets)


def test_diverged_outputs_are_seen_and_not_refused():
    assert math.isnan(unexplained(ERROR * NAN, ERROR))
    assert unexplained(ERROR / 0, ERROR) == INF
    assert math.isnan(error_shares(ERROR * NAN, ERROR).total)
