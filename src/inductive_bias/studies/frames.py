"""Frames that several studies' pages show: reliability by bin, and the words of tables."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.studies.tuning import Tuning
from inductive_bias.verdicts import Contrast

#: So many values are read side by side in a table.
MOST_LISTED = 12


def reliability(results: Results, *, split: str, **levels: Wanted) -> pd.DataFrame:
    """Twenty bins of all seeds of each cell together: ``cell, confidence, accuracy, share``; no empty bins."""
    parts = {
        name: results.frame(f"reliability_{name}", split=split, by="bin", **levels).set_index(["cell", "seed", "bin"])
        for name in ("count", "mean_confidence", "accuracy")
    }
    count = parts["count"]["value"]
    count = count[count > 0]
    groups = {"observed": True, "sort": False}
    total = count.groupby(["cell", "bin"], **groups).sum()
    frame = pd.DataFrame(
        {
            "confidence": (parts["mean_confidence"]["value"] * count).groupby(["cell", "bin"], **groups).sum() / total,
            "accuracy": (parts["accuracy"]["value"] * count).groupby(["cell", "bin"], **groups).sum() / total,
            "share": total / total.groupby("cell", **groups).transform("sum"),
        }
    ).loc[total.index]
    return frame.reset_index().drop(columns="bin").sort_values(["cell", "confidence"], ignore_index=True)


def confidence_gap(bins: pd.DataFrame) -> pd.DataFrame:
    """Mean confidence, accuracy, and their difference (positive: over-confident), from bins of :func:`reliability`."""
    rows = []
    for cell, part in bins.groupby("cell", observed=True):
        confidence, accuracy = (float((part[name] * part["share"]).sum()) for name in ("confidence", "accuracy"))
        rows.append(
            {
                "model": cell,
                "mean confidence": confidence,
                "accuracy": accuracy,
                "over-confidence": confidence - accuracy,
            }
        )
    return pd.DataFrame(rows)


def learned(results: Results, metric: str, by: Sequence[str], **levels: Wanted) -> pd.DataFrame:
    """Gates or decays with the columns ``before`` (training), ``after`` and ``change``."""
    after, epochs = (results.frame(metric, by=by, epochs=each, **levels) for each in (False, True))
    before = epochs[epochs["epoch"] == 0].rename(columns={"value": "before"})[["trial", *by, "before"]]
    found = after.rename(columns={"value": "after"}).merge(before, on=["trial", *by])
    return found.assign(change=found["after"] - found["before"])


def table_of(frame: pd.DataFrame, index: str | list[str], columns: str, decimals: int = 3) -> pd.DataFrame:
    """Mean ± standard deviation over the seeds of a tidy frame: one row an ``index``, one column a level."""
    listed = [index] if isinstance(index, str) else list(index)
    groups = frame.groupby([*listed, columns], observed=True, sort=False)["value"]
    table = groups.apply(lambda values: mean_std(values, decimals)).unstack(columns)
    for name in (*listed, columns):
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            order = list(frame[name].cat.categories)
            if name == columns:
                table = table[[level for level in order if level in table]]
            elif len(listed) == 1:
                table = table.reindex([level for level in order if level in table.index])
    return table.rename_axis(columns=None).reset_index()


def search_table(results: Results, tuning: Tuning, *, folded: bool = False, **key: Level) -> pd.DataFrame:
    """Scores by which settings were chosen, mean over runs: a row per key and other setting, a column per rate.

    Args:
        results: of the study.
        tuning: of the study.
        folded: all rates of a row in one column, ``0.001: 0.31 · 0.002: 0.29``; paper cuts a table of many columns.
        key: levels of keys that are shown; these have no column.
    """
    found = tuning.scores(results.search)
    for name, level in key.items():
        found = found[found[name] == level]
    varied = [*tuning.keys, *(name for name in tuning.settings if found[name].notna().any())]
    rows = [name for name in varied if name not in ("learning_rate", *key)]
    order = found.set_index(rows).index.unique()
    if folded:
        words = [f"{rate:g}: {score:.3g}" for rate, score in zip(found["learning_rate"], found["score"], strict=True)]
        ordered = found.assign(words=words).sort_values("learning_rate", kind="stable")
        joined = ordered.groupby(rows, sort=False, observed=True, dropna=False)["words"].agg(" · ".join)
        return joined.reindex(order).rename("rate: score").reset_index()
    table = found.pivot(index=rows, columns="learning_rate", values="score").reindex(order)
    return table.rename(columns=lambda rate: f"rate {rate:g}").rename_axis(columns=None).reset_index()


def size_table(trials: pd.DataFrame, index: str, columns: str) -> pd.DataFrame:
    """Parameters of models: a row per level of ``index``, a column per level of ``columns``, in order of appearance.

    Args:
        trials: of :attr:`Results.trials`; of those that share a place the first one counts.
        index: a column of it.
        columns: another one.
    """
    found = trials.drop_duplicates([index, columns]).astype({index: object, columns: object})
    table = found.pivot(index=index, columns=columns, values="parameters").map("{:,}".format, na_action="ignore")
    table = table.reindex(index=trials[index].unique(), columns=trials[columns].unique())
    return table.fillna("").rename_axis(index=index, columns=None).reset_index()


def estimated(contrast: Contrast, scale: float = 1.0) -> dict[str, float | str]:
    """Columns of a forest plot: ``estimate, low, high`` in units of ``scale``, and ``text`` as pages print it."""
    ends = {"estimate": contrast.estimate, "low": contrast.low, "high": contrast.high}
    return {name: value / scale for name, value in ends.items()} | {"text": str(contrast)}


def listed(values: Iterable[float], decimals: int = 3) -> str:
    """The values of all seeds, side by side; a diverged one is a dash.

    Of more than :data:`MOST_LISTED` the ends and how many there are: ``0.359 … 0.384 (38 runs, 1 diverged)``.
    """
    values, spec = list(values), f".{decimals}f"
    if len(values) <= MOST_LISTED:
        return whole(" ".join(number(value, spec) if np.isfinite(value) else "–" for value in values))
    kept = [value for value in values if np.isfinite(value)]
    ends = f"{number(min(kept), spec)} … {number(max(kept), spec)} " if kept else ""
    lost = f", {len(values) - len(kept)} diverged" if len(kept) < len(values) else ""
    return f"{ends}({len(values)} runs{lost})"


def mean_std(values: Iterable[float], decimals: int = 3) -> str:
    """``0.373 ± 0.0151``, over the seeds that did not diverge; one seed has no deviation."""
    kept = [value for value in values if np.isfinite(value)]
    if not kept:
        return "–"
    mean = number(np.mean(kept), f".{decimals}f")
    return whole(f"{mean} ± {np.std(kept, ddof=1):.{decimals + 1}f}" if len(kept) > 1 else mean)


def bracketed(estimate: float, low: float, high: float, decimals: int = 3) -> str:
    """A difference with its sign, in brackets where the seeds leave it open: its interval holds 0, or has no ends."""
    # adding zero turns −0.0 into +0.0
    words = number(round(estimate, decimals) + 0.0, f"+.{decimals}f")
    return words if low > 0 or high < 0 else f"({words})"


def whole(text: str) -> str:
    """A number and its spread never part at the end of a line."""
    return text.replace(" ", "\u00a0")
