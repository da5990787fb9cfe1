"""Slopes of gaps over the context, and windows that are needed against the formula's."""

import numpy as np
import pandas as pd

from inductive_bias.studies.results import Results
from inductive_bias.studies.truncation.design import LSTM_FAMILIES, SMALLEST

#: From this gap on, rounding is below the millionth of it.
RESOLVED = 1e-8


def resolved_gaps(results: Results) -> pd.DataFrame:
    """Gaps of networks with a certificate below 1 that rounding moves by less than a millionth."""
    table = results.table("gaps_by_context")
    return table[(table["certified"] < 1) & (table["gap"] >= RESOLVED)]


def certified_lstms(results: Results) -> pd.DataFrame:
    """One-step ratios of the LSTMs with a certificate below 1, random and trained."""
    table = results.table("ratios")
    return table[table["family"].isin(LSTM_FAMILIES) & (table["certified"] < 1)]


def slope(rows: pd.DataFrame) -> float:
    """Slope of ln gap over the context, of the gaps that float64 can tell apart; NaN of fewer than two."""
    rows = rows[rows["gap"] > SMALLEST]
    if rows["context"].nunique() < 2:
        return float("nan")
    return float(np.polyfit(rows["context"], np.log(rows["gap"]), 1)[0])


def fit(rows: pd.DataFrame) -> pd.Series:
    """Needed windows on the formula's: slope, share of variance explained, and the median of formula over needed."""
    if min(rows["formula"].nunique(), rows["needed"].nunique()) < 3:
        return pd.Series({"slope": np.nan, "explained": np.nan, "slack": np.nan})
    slope, constant = np.polyfit(rows["formula"], rows["needed"], 1)
    left = rows["needed"] - (slope * rows["formula"] + constant)
    explained = 1 - left.var() / rows["needed"].var()
    return pd.Series({"slope": slope, "explained": explained, "slack": (rows["formula"] / rows["needed"]).median()})


def fits(results: Results) -> pd.DataFrame:
    """:func:`fit` of every family and draw, over limits, sizes, inputs and errors; none of fewer than three windows."""
    table = results.table("windows")
    return table.groupby(["family", "draw"], observed=True).apply(fit, include_groups=False).dropna().reset_index()
