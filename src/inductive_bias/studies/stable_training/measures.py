"""How fast gaps between the weights of twins fall with the context, and grow with the steps."""

import numpy as np
import pandas as pd

from inductive_bias.studies.results import Results

#: Gaps below this are the rounding of float64 sums; a curve is looked at as far as it lies above.
SMALLEST = 1e-13


def resolved_gaps(results: Results) -> pd.DataFrame:
    """All gaps that are more than rounding."""
    table = results.table("weight_gaps")
    return table[table["gap"] > SMALLEST].reset_index(drop=True)


def last_gaps(results: Results) -> pd.DataFrame:
    """Gaps after the last step, where they are more than rounding."""
    gaps = resolved_gaps(results)
    return gaps[gaps["updates"] == results.table("weight_gaps")["updates"].max()].reset_index(drop=True)


def curves(results: Results) -> pd.DataFrame:
    """Slope of ln gap over the context at the last step: ``bound, steps, number, slope, explained``."""
    groups = last_gaps(results).groupby(["bound", "steps", "number"], observed=True)
    return groups.apply(_line, include_groups=False).dropna().reset_index()


def _line(rows: pd.DataFrame) -> pd.Series:
    if len(rows) < 3:
        return pd.Series({"slope": np.nan, "explained": np.nan})
    x, y = rows["context"].astype(float), np.log(rows["gap"])
    slope, constant = np.polyfit(x, y, 1)
    spread = y.var()
    explained = 1 - (y - slope * x - constant).var() / spread if spread > 0 else 1.0
    return pd.Series({"slope": slope, "explained": explained})


def exponents(results: Results) -> pd.DataFrame:
    """Power of the number of steps with which gaps grow: ``bound, steps, number, exponent``.

    Least squares of ln gap on ln N, for each context whose gaps can be told from rounding; the largest of them.
    """
    found = []
    for keys, rows in resolved_gaps(results).groupby(["bound", "steps", "number", "context"], observed=True):
        if rows["updates"].nunique() > 1:
            power = np.polyfit(np.log(rows["updates"].astype(float)), np.log(rows["gap"]), 1)[0]
            found.append((*keys, float(power)))
    frame = pd.DataFrame(found, columns=["bound", "steps", "number", "context", "exponent"])
    return frame.groupby(["bound", "steps", "number"], observed=True)["exponent"].max().reset_index()
