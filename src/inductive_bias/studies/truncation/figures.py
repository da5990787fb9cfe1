"""What the figures of the study draw and the tables beside them print."""

import math

import numpy as np
import pandas as pd

from inductive_bias.analysis.truncation import rem_tail, window
from inductive_bias.studies.results import Results
from inductive_bias.studies.truncation.design import (
    BOUNDS,
    FAMILIES,
    FREE,
    ORTHOGONAL_FAMILIES,
    RANDOM,
    SMALLEST,
    WORST,
)
from inductive_bias.studies.truncation.measures import certified_lstms, fits, resolved_gaps

#: Where the decays of a recurrence encoding matrix begin in the paper: |λ| = tanh η, η in (1, 2).
REM_DECAYS = {"start, lowest": math.tanh(1), "start, highest": math.tanh(2), ".99": 0.99}


def curves(results: Results, *, inputs: str = RANDOM) -> pd.DataFrame:
    """Gaps by context of the largest networks of each family: ``family, limit, context, value``.

    The geometric mean over draws, as far as float64 can tell it from nothing.
    """
    table = results.table("gaps_by_context")
    largest = table.groupby("family")["states"].transform("max")
    table = table[(table["inputs"] == inputs) & (table["states"] == largest) & (table["gap"] > SMALLEST)]
    log = np.log(table["gap"]).groupby([table[name] for name in ("family", "limit", "context")], observed=True).mean()
    found = np.exp(log).rename("value").reset_index()
    return found.assign(
        family=pd.Categorical(found["family"], FAMILIES, ordered=True),
        limit=pd.Categorical(found["limit"], [*BOUNDS, FREE], ordered=True),
    ).sort_values(["family", "limit", "context"], ignore_index=True)


def bounds(drawn: pd.DataFrame) -> pd.DataFrame:
    """λ^k from the first measured gap of every curve below 1: what the theorem promises of the rest."""
    stable = drawn[drawn["limit"].map(lambda name: BOUNDS.get(name, 1.0)).astype(float) < 1]
    groups = stable.groupby(["family", "limit"], observed=True)
    first, start = groups["value"].transform("first"), groups["context"].transform("first")
    limit = stable["limit"].map(BOUNDS).astype(float)
    return stable.assign(value=first * limit ** (stable["context"] - start))


def tightness(results: Results) -> pd.DataFrame:
    """The largest gap over its bound by family and kind of inputs, and how many curves there are."""
    table = resolved_gaps(results).dropna(subset="tightness")
    found = table.pivot_table(index="family", columns="inputs", values="tightness", aggfunc="max", observed=True)
    return found.reindex([name for name in FAMILIES if name in found.index]).reset_index()


def window_fits(results: Results) -> pd.DataFrame:
    """Every family's fit: slope and share of variance explained by the formula (means over draws), and the slack."""
    found = fits(results).groupby("family", observed=True)[["slope", "explained", "slack"]].mean()
    found = found.reindex([name for name in FAMILIES if name in found.index]).reset_index()
    return found.rename(
        columns={
            "slope": "needed per step of the formula",
            "explained": "variance explained",
            "slack": "formula over needed (median)",
        }
    )


def windows_of(results: Results, family: str, *, inputs: str, error: float) -> dict[str, list[float]]:
    """Windows that every network of a family needs for an error, by limit."""
    table = results.table("windows")
    kept = table[(table["family"] == family) & (table["inputs"] == inputs) & (table["error"] == error)]
    groups = kept.groupby("limit")["needed"]
    return {limit: groups.get_group(limit).astype(float).tolist() for limit in BOUNDS if limit in groups.groups}


def unstable(results: Results) -> pd.DataFrame:
    """The worst gap over the state's norm, of orthogonal networks: ``family, limit, context, value, draw``."""
    table = results.table("gaps_by_context")
    kept = table[(table["inputs"] == WORST) & table["limit"].isin(["0.9", "0.99", "1.05"])]
    kept = kept[kept["family"].isin(ORTHOGONAL_FAMILIES)]
    largest = kept.groupby("family")["states"].transform("max")
    return kept[kept["states"] == largest].rename(columns={"relative": "value"})[
        ["family", "limit", "context", "value", "draw"]
    ]


def one_step(results: Results) -> pd.DataFrame:
    """Certificate and largest measured ratio of every LSTM with one: ``family, limit, measured, certified, draw``."""
    table = certified_lstms(results)
    limit = pd.Categorical(table["limit"], [*BOUNDS, FREE], ordered=True).remove_unused_categories()
    return table.assign(limit=limit).sort_values(["family", "limit"], ignore_index=True)


def rem_windows(errors: tuple[float, ...] = (0.1, 0.01, 0.001)) -> pd.DataFrame:
    """Where a real head may be cut, by its decay and the error allowed per unit of its largest value."""
    rows = []
    for name, decay in REM_DECAYS.items():
        lags = [math.ceil(window(decay, error, decay / (1 - decay))) for error in errors]
        rows.append(
            {"decay": name, "|λ|": decay, "sum of all weights": rem_tail(decay, 0) + 0.0}
            | {f"lags for {error:g}": lag for error, lag in zip(errors, lags, strict=True)}
        )
    return pd.DataFrame(rows)
