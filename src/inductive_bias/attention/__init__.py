"""Attention with recurrence."""

from inductive_bias.attention.chunked import apply_rem
from inductive_bias.attention.lags import rem_lags, rem_matrix

__all__ = ["apply_rem", "rem_lags", "rem_matrix"]
