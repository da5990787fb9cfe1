"""Evaluation metrics: pure functions of answers (logits, real outputs, notes, tags) and labels.

Each is a Python float, or a few with names; those of counts and of weighted scores are tensors, for a bootstrap. Every
metric of logits computes in float64 on the CPU, and refuses what
does not fit. Where a logit is NaN or +∞ the metric is NaN: a diverged model never scores.
"""

from inductive_bias.metrics.accuracy import accuracy, balanced_accuracy
from inductive_bias.metrics.calibration import (
    ReliabilityTable,
    confidence_and_correct,
    expected_calibration_error,
    reliability_table,
)
from inductive_bias.metrics.confusion import confusion, macro_f1, matthews, recalls
from inductive_bias.metrics.frames import frame_accuracy
from inductive_bias.metrics.likelihood import brier_score, negative_log_likelihood
from inductive_bias.metrics.positions import PositionScores, last_quarter, position_scores
from inductive_bias.metrics.ranking import auc
from inductive_bias.metrics.retrieval import average_precisions
from inductive_bias.metrics.shares import ErrorShares, error_shares
from inductive_bias.metrics.spans import Span, SpanScores, span_scores, spans
from inductive_bias.metrics.variance import unexplained

__all__ = [
    "ErrorShares",
    "PositionScores",
    "ReliabilityTable",
    "Span",
    "SpanScores",
    "accuracy",
    "auc",
    "average_precisions",
    "balanced_accuracy",
    "brier_score",
    "confidence_and_correct",
    "confusion",
    "error_shares",
    "expected_calibration_error",
    "frame_accuracy",
    "last_quarter",
    "macro_f1",
    "matthews",
    "negative_log_likelihood",
    "position_scores",
    "recalls",
    "reliability_table",
    "span_scores",
    "spans",
    "unexplained",
]
