"""Evaluation metrics: pure functions of logits (or real outputs) and labels, each a Python float.

Every metric computes in float64 on the CPU, and refuses what does not fit. Where a logit is NaN or +∞ the metric is
NaN: a diverged model never scores.
"""

from inductive_bias.metrics.accuracy import accuracy, balanced_accuracy
from inductive_bias.metrics.calibration import (
    ReliabilityTable,
    confidence_and_correct,
    expected_calibration_error,
    reliability_table,
)
from inductive_bias.metrics.frames import frame_accuracy
from inductive_bias.metrics.likelihood import brier_score, negative_log_likelihood
from inductive_bias.metrics.shares import ErrorShares, error_shares
from inductive_bias.metrics.variance import unexplained

__all__ = [
    "ErrorShares",
    "ReliabilityTable",
    "accuracy",
    "balanced_accuracy",
    "brier_score",
    "confidence_and_correct",
    "error_shares",
    "expected_calibration_error",
    "frame_accuracy",
    "negative_log_likelihood",
    "reliability_table",
    "unexplained",
]
