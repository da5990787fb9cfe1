"""The axes of a profile: one number a run between 0 and 1, made of the scores on one or several probes.

What is learnt is counted above chance: 0 is what the most frequent answer has, 1 is always right. What is preferred is
a share of answers, and counts only where the model has learnt what both rules agree on. Two axes say how a model
answers before any training. Three say by what it takes sequences for alike, if it was fitted to random labels.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from inductive_bias.protocols.measures.extrapolation import DECIDED_BY, FIT
from inductive_bias.protocols.measures.probes import PREFERENCE
from inductive_bias.protocols.measures.untrained import ORDER, RECENCY
from inductive_bias.tasks.probes import ALIKE, CONFLICT, PROBES, Extrapolation, Preference, Probe, Skill, Untrained

#: From so much above chance on a model has learnt a probe: only then a preference, or longer sequences, say something.
LEARNT = 0.9
#: The axis of the second number of an untrained model.
ORDER_AXIS = "order at the start"
#: Columns of :func:`scores`.
COLUMNS = ("model", "axis", "probe", "number", "value")


class Axis(NamedTuple):
    """What a number of a profile says.

    Attributes:
        name: of the axis.
        more: what a higher value means, for people.
        margin: differences below this are of no interest.
    """

    name: str
    more: str
    margin: float = 0.1


AXES: dict[str, Axis] = {
    axis.name: axis
    for axis in (
        Axis("first noun", "follows the first noun, not the nearest one"),
        Axis("recency", "follows the last symbol, not the most frequent one"),
        Axis("content", "looks for what stands before the answer, not for its place"),
        Axis("counting", "counts as far as the sequence says, not as far as in training"),
        Axis("state tracking", "keeps a state: a written bit, a parity, an order of three things"),
        Axis("recall", "finds the value that came with a key"),
        Axis("nesting", "knows which bracket is open"),
        Axis("length", "is right on sequences four times as long as in training"),
        Axis("calibration", "is as sure as it is right, also on longer sequences", 0.05),
        Axis(Untrained.axis, "listens, before any training, to the latest symbols"),
        Axis(ORDER_AXIS, "tells, before any training, one order of the symbols from another"),
        Axis(ALIKE["end"], "fitted to random labels, answers alike where the last four symbols are the same"),
        Axis("decay", "follows a sum that fades with distance, not the values at multiples of a period"),
        Axis("recurrent signal", "keeps a sum of all symbols so far, of which each fades with distance"),
    )
}


def scores(frame: pd.DataFrame, further: Mapping[str, Probe] | None = None) -> pd.DataFrame:
    """The value of every run on every axis and probe, in the columns :data:`COLUMNS`; NaN where it says nothing.

    Args:
        frame: rows of final values with ``model, probe, number, split, metric, length, value``.
        further: probes of one's own, by name.
    """
    probes = PROBES | dict(further or {})
    parts = [_learnt(frame, probes), _preferred(frame, probes), _untrained(frame), _alike(frame)]
    return pd.concat([part[list(COLUMNS)] for part in parts if len(part)], ignore_index=True)


def by_axis(found: pd.DataFrame) -> pd.DataFrame:
    """The mean over probes: ``model, axis, number, value``; NaN where no probe of the axis says anything."""
    means = found.groupby(["model", "axis", "number"], sort=False, observed=True)["value"].mean()
    return means.reset_index()


def _learnt(frame: pd.DataFrame, probes: Mapping[str, Probe]) -> pd.DataFrame:
    """Skills: what is learnt, what carries over to longer sequences, and calibration."""
    axes = {name: probe.axis for name, probe in probes.items() if isinstance(probe, Skill)}
    rows = frame[(frame["split"] == "test") & frame["probe"].isin(axes)]
    if rows.empty:  # of preferences alone, or of untrained models
        return pd.DataFrame(columns=list(COLUMNS))
    # not a pivot table, which drops runs that diverged or makes lengths that a probe does not have
    place = ["model", "probe", "number", "length"]
    wide = rows.set_index([*place, "metric"])["value"].unstack("metric").reset_index()
    wide["above"] = above_chance(wide["accuracy"], wide["constant_accuracy"])
    wide["times"] = wide["length"] / wide["probe"].map(lambda name: probes[name].length).astype(float)
    usual, longest = wide[wide["times"] == 1], wide[wide["times"] == wide["times"].max()]
    key = ["model", "probe", "number"]
    at_length = longest.merge(usual[[*key, "above"]], on=key, suffixes=("", "_usual"))
    return pd.concat(
        [
            usual.assign(axis=usual["probe"].map(axes), value=usual["above"]),
            at_length.assign(axis="length", value=at_length["above"].where(at_length["above_usual"] >= LEARNT)),
            wide.groupby(key, sort=False, observed=True)["ece_20"]
            .mean()
            .rsub(1.0)
            .rename("value")
            .reset_index()
            .assign(axis="calibration"),
        ]
    )


def _preferred(frame: pd.DataFrame, probes: Mapping[str, Probe]) -> pd.DataFrame:
    """Preferences: the share of answers by the first rule, of runs that have learnt what both rules say."""
    axes = {name: probe.axis for name, probe in probes.items() if isinstance(probe, Preference)}
    rows = frame[frame["probe"].isin(axes)]
    key = ["model", "probe", "number"]
    shares = rows[(rows["split"] == CONFLICT) & (rows["metric"] == PREFERENCE)].set_index(key)["value"]
    test = rows[rows["split"] == "test"].set_index(key)
    right, chance = (test.loc[test["metric"] == name, "value"] for name in ("accuracy", "constant_accuracy"))
    learnt = above_chance(right, chance).reindex(shares.index) >= LEARNT
    found = shares.where(learnt).rename("value").reset_index()
    return found.assign(axis=found["probe"].map(axes))


def _untrained(frame: pd.DataFrame) -> pd.DataFrame:
    """What a model listens to as it begins; NaN counts as none."""
    axes = {RECENCY: Untrained.axis, ORDER: ORDER_AXIS}
    rows = frame[frame["metric"].isin(axes)]
    return rows.assign(axis=rows["metric"].map(axes))


def _alike(frame: pd.DataFrame) -> pd.DataFrame:
    """What decides the answers to fresh sequences, of runs that have learnt their random labels."""
    key = ["model", "probe", "number"]
    # what the start and the count decide is measured, and did not tell models apart: it is no axis
    axes = {metric: ALIKE[state] for state, metric in DECIDED_BY.items() if ALIKE[state] in AXES}
    rows = frame[frame["metric"].isin(axes)]
    if rows.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    fits = frame[frame["metric"] == FIT].set_index(key)["value"]
    # half of the labels are ones: chance is known
    learnt = above_chance(fits, 1 / Extrapolation.outputs) >= LEARNT
    there = learnt.reindex(pd.MultiIndex.from_frame(rows[key])).to_numpy()
    return rows.assign(axis=rows["metric"].map(axes), value=rows["value"].clip(lower=0.0).where(there))


def above_chance(accuracy: pd.Series, chance: pd.Series | float) -> pd.Series:
    """How much of what the most frequent answer leaves wrong is right: 1 is all, 0 nothing; worse counts as 0.

    Chance is that of the test itself; NaN (a run that diverged) counts as 0 too.
    """
    return ((accuracy - chance) / (1 - chance)).clip(lower=0.0).fillna(0.0)


def table_of_axes(profiles: pd.DataFrame, axes: Iterable[str]) -> pd.DataFrame:
    """Profiles with their axes in an order: a row a model, a column an axis; axes that no model has are left out."""
    return profiles[[axis for axis in axes if axis in profiles]].rename_axis(index=None, columns=None)


def preferred_shares(found: pd.DataFrame, axes: Iterable[str], family: Callable[[str], str]) -> pd.DataFrame:
    """Every run's share of answers by the first rule: ``model, axis, number, value, family``.

    Args:
        found: of :func:`scores`.
        axes: of which rule a model follows.
        family: of a model.
    """
    table = by_axis(found)
    table = table[table["axis"].isin([*axes])].dropna()
    return table.assign(family=table["model"].map(family))


def reliability(table: pd.DataFrame) -> pd.Series:
    """Rank correlation over models of two halves of the runs, by axis: does an axis repeat?

    Args:
        table: of :func:`by_axis`, with an even number of runs of every model.

    Returns:
        Spearman's correlation by axis. NaN if fewer than two models have a value in both halves, as with one run of
        every model, or all values of a half are equal.
    """
    numbers = np.sort(table["number"].unique())
    half = np.where(table["number"].isin(numbers[: len(numbers) // 2]), "first", "second")
    means = table.assign(half=half).groupby(["axis", "model", "half"], observed=True)["value"].mean().unstack()
    halves = means.reindex(columns=["first", "second"])  # of a single run there is only one
    return halves.groupby("axis", observed=True).apply(_rank_correlation)


def _rank_correlation(both: pd.DataFrame) -> float:
    """Spearman's, of models that have a value in both halves; NaN where all values of a half are one."""
    both = both.dropna()
    if (both.nunique() < 2).any():
        return np.nan
    return both["first"].corr(both["second"], method="spearman")
