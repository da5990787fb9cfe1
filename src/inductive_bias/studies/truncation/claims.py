"""What the study tests, and the rule by which each sentence is judged; written before any run, but for one number.

The first rule of M1 let rounding lift a gap by a millionth above its bound, and counted gaps down to 10⁻¹². So small a
gap is the difference of two states that float64 knows to 10⁻¹⁵ or so: rounding alone moves it by a thousandth, and it
did. Gaps now count for that part from :data:`RESOLVED` on, where rounding is below the millionth.

Since issue 50, M1 asks of single networks that none exceeds its bound: a theorem falls with one network. Before, it
asked that of the mean over draws, whose spread is that of rounding. The data were known when this rule was written.
"""

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.truncation.design import SIZES
from inductive_bias.studies.truncation.networks import AT_BUDGETS, ORTHOGONAL
from inductive_bias.studies.truncation.tables import SMALLEST, WORST
from inductive_bias.verdicts import all_of, exceeds, falls_below, not_, single, some_run

PAPER = "Miller & Hardt 2019"
PAGE = "stability/truncation"
#: M1: the slope of ln gap over the context may exceed ln λ by so much; and rounding may lift a gap above its bound.
SLACK, ROUNDING, RESOLVED = 0.01, 1e-6, 1e-8
#: M2: of the variance of the windows that are needed the formula explains so much.
EXPLAINED = 0.95
#: M4: with a norm of 1.05 the worst inputs move the state by so much of its size, at half of the sequence.
MOVED, BEYOND = 0.1, "1.05"


def slope(rows: pd.DataFrame) -> float:
    """Slope of ln gap over the context, of the gaps that float64 can tell apart; NaN of fewer than two."""
    rows = rows[rows["gap"] > SMALLEST]
    if rows["context"].nunique() < 2:
        return float("nan")
    return float(np.polyfit(rows["context"], np.log(rows["gap"]), 1)[0])


def geometric(results: Results) -> Finding:
    """M1: by draw the worst excess of a slope over ln λ; and no network's largest gap exceeds its bound.

    A network is a draw of a family at one size. Its limits scale the same weights, and count once.
    """
    table = results.table("gaps_by_context")
    table = table[table["certified"] < 1]
    curves = table.groupby(["draw", "family", "states", "limit", "inputs"], observed=True)
    excess = curves.apply(slope, include_groups=False) - np.log(curves["certified"].first())
    steepest = excess.groupby("draw").max()
    resolved = table[table["gap"] >= RESOLVED]
    share = resolved.groupby(["draw", "family", "states"], observed=True)["tightness"].max().reset_index(drop=True)
    worst = resolved.loc[resolved["inputs"] == WORST, "tightness"].max()
    parts = [
        falls_below(single(steepest, name="slope of ln gap − ln λ, worst network of a draw", unit="per step"), SLACK),
        not_(some_run(single(share, name="gap over its bound, of a network", unit="of the bound"), 1 + ROUNDING)),
    ]
    note = f"{len(excess)} curves of {len(share)} networks; the worst inputs found reach {worst:.3f} of the bound"
    return Finding(all_of(parts), parts[0].deciding, note=note)


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


def logarithmic(results: Results) -> Finding:
    """M2: in every family the formula explains the windows that are needed, and none grows faster than it."""
    found = fits(results)
    parts = []
    for family, rows in found.groupby("family", observed=True):
        rows = rows.set_index("draw")
        explained = single(rows["explained"], name=f"{family}: variance explained by the formula", unit="share")
        growth = single(rows["slope"], name=f"{family}: windows needed per window of the formula", unit="windows")
        parts += [exceeds(explained, EXPLAINED), falls_below(growth, 1 + ROUNDING)]
    slack = found.groupby("family", observed=True)["slack"].median()
    note = "the formula asks for so many times the window needed: "
    return Finding(all_of(parts), note=note + ", ".join(f"{name} {value:.1f}" for name, value in slack.items()))


def not_approximable(results: Results) -> Finding:
    """M4: the worst gap at half of the sequence, of orthogonal networks beyond 1, by draw: the smallest of them."""
    table = results.table("gaps_by_context")
    beyond = table[(table["limit"] == BEYOND) & table["family"].isin(ORTHOGONAL) & (table["inputs"] == WORST)]
    longest = beyond[beyond["context"] == beyond["context"].max()]
    smallest = longest.groupby("draw")["relative"].min()
    contrast = single(smallest, name="gap over the state's norm, smallest of a draw", unit="of the state")
    others = longest.groupby("family", observed=True)["relative"].mean()
    note = f"at {longest['context'].max()} of {2 * longest['context'].max()} steps: "
    return Finding(exceeds(contrast, MOVED), note=note + ", ".join(f"{k} {v:.2f}" for k, v in others.items()))


def sufficient(results: Results) -> Finding:
    """M11: of LSTMs with a certificate below 1, the largest one-step ratio over its certificate, by draw."""
    table = results.table("ratios")
    lstms = table[table["family"].str.startswith("LSTM") & (table["certified"] < 1)]
    shares = (lstms["measured"] / lstms["certified"]).groupby(lstms["draw"]).max()
    at_budgets = lstms[lstms["family"] == AT_BUDGETS]
    note = f"{len(lstms)} LSTMs; the largest ratio found is {lstms['measured'].max():.2f}" + (
        f", at their budgets {at_budgets['measured'].max():.2f} of {at_budgets['certified'].max():.3f} certified"
    )
    contrast = single(shares, name="largest one-step ratio over the certificate", unit="of the certificate")
    return Finding(falls_below(contrast, 1), note=note)


#: What was drawn and trained, read off the design.
LAPTOP = SIZES["laptop"]
DRAWS = f"{LAPTOP.seeds} draws"
RANDOM_SIZES = " and ".join(map(str, LAPTOP.drawn))
CLAIMS = (
    Claim(
        "M1",
        PAGE,
        f"{PAPER}, section 3.1",
        "A stable network that sees the last k inputs alone comes as near as λᵏ to the state that it has after all "
        "inputs, whatever the inputs are.",
        "proved",
        geometric,
        headline=True,
        regime=f"random and trained networks, {RANDOM_SIZES} states, {DRAWS}",
    ),
    Claim(
        "M2",
        PAGE,
        f"{PAPER}, section 3.1",
        "The window that a stable network needs for an error ε grows like ln(1/ε)/ln(1/λ), and no faster.",
        "proved as an upper bound",
        logarithmic,
        regime=f"random and trained networks, {RANDOM_SIZES} states, {DRAWS}",
    ),
    Claim(
        "M4",
        PAGE,
        f"{PAPER}, section 3",
        "An orthogonal network that is not stable cannot be cut: at half of the sequence some inputs leave a gap as "
        "large as a tenth of the state.",
        "shown by an example",
        not_approximable,
        regime=f"norm {BEYOND}, {RANDOM_SIZES} states, 50 of 100 steps, {DRAWS}",
    ),
    Claim(
        "M11",
        PAGE,
        f"{PAPER}, section 4",
        "The condition on the rows of an LSTM's weights is sufficient: no step expands a difference of states by "
        "more than is certified.",
        "proved",
        sufficient,
        regime=f"random and trained LSTMs, {RANDOM_SIZES} states, {DRAWS}",
    ),
)
