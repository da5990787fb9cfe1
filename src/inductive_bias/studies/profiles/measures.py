"""Profiles of the population, and how far two of them are apart."""

from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd

from inductive_bias.errors import NoRunsError
from inductive_bias.protocols.measures.extrapolation import DECIDED_BY, FIT
from inductive_bias.protocols.measures.probes import METRICS, PREFERENCE
from inductive_bias.protocols.measures.untrained import UNTRAINED
from inductive_bias.studies.profile_axes import by_axis, scores
from inductive_bias.studies.profile_comparison import compare
from inductive_bias.studies.profile_distances import distance
from inductive_bias.studies.profiles.design import (
    DEFAULT,
    FIRST_MODELS,
    FIRST_PROBES,
    population,
    repeated_models,
    students,
    taught_probes,
    teachers,
    usual_runs,
)
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import CONFLICT, PROBES, Preference

#: Axes of which rule a model follows.
PREFERENCES = tuple(dict.fromkeys(PROBES[name].axis for name in DEFAULT if isinstance(PROBES[name], Preference)))


def final_rows(results: Results) -> pd.DataFrame:
    """Rows of all runs in the columns that :func:`~inductive_bias.studies.profile_axes.scores` asks for."""
    tests = results.frame(METRICS, split="test", by="length")
    parts = [
        tests,
        results.frame(PREFERENCE, split=CONFLICT).assign(metric=PREFERENCE, length=np.nan),
        results.frame(UNTRAINED, split="test").assign(length=np.nan),
    ]
    if results.has(FIT, split="train"):  # the probe by white noise came later
        parts.append(results.frame(FIT, split="train").assign(metric=FIT, length=np.nan))
        parts.append(results.frame([*DECIDED_BY.values()], split="test").assign(length=np.nan))
    columns = ["model", "probe", "number", "split", "metric", "length", "value"]
    return pd.concat([part[columns].astype({"model": object, "probe": object}) for part in parts], ignore_index=True)


def profile_scores(results: Results) -> pd.DataFrame:
    """Every run's value by axis and probe, of the population and of students."""
    return results.made("scores", lambda: scores(final_rows(results)))


def first_runs(results: Results) -> pd.DataFrame:
    """The scores of the runs that every model of the population has: students and further runs of some are left out."""
    found = profile_scores(results)
    return found[found["model"].isin(population(results.scale)) & (found["number"] < usual_runs(results.scale))]


def default_runs(results: Results) -> pd.DataFrame:
    """The scores of :func:`first_runs` on the probes that a profile has by default: those that the chapter is about."""
    found = first_runs(results)
    return found[found["probe"].isin(DEFAULT)]


def profiles(results: Results) -> pd.DataFrame:
    """The profile of every model: its mean over runs on every axis, a row a model in the order of the population."""
    means = by_axis(default_runs(results)).groupby(["model", "axis"], sort=False)["value"].mean().unstack()
    order = [model for model in results.design.levels(results.scale)["model"] if model in means.index]
    return means.loc[order]


def first_publication(results: Results) -> pd.DataFrame:
    """Every run's value by axis, of the models, probes and runs that the first claims are about."""
    return on_first_probes(results, FIRST_MODELS)


def on_first_probes(results: Results, models: Collection[str]) -> pd.DataFrame:
    """Every run's value by axis, of some models on the probes and in the runs of the first publication."""
    found = first_runs(results)
    kept = found["model"].isin(models) & found["probe"].isin(FIRST_PROBES)
    return by_axis(found[kept])


def taught(results: Results) -> pd.DataFrame:
    """Every run's value by axis, of students and of the two models that taught them, on the probes of students."""
    scale, found = results.scale, profile_scores(results)
    names = {*teachers(scale), *students(scale)}
    kept = found["model"].isin(names) & found["probe"].isin(taught_probes(scale))
    return by_axis(found[kept & (found["number"] < usual_runs(scale))])


def distances(table: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.Series:
    """The mean distance over pairs of models, by the number of the run: runs with one number saw the same sequences.

    Args:
        table: ``model, axis, number, value``.
        pairs: of models.

    Raises:
        NoRunsError: if one of the models has no run.
    """
    wide = table.pivot_table(index=["number", "model"], columns="axis", values="value", dropna=False)
    pairs = list(pairs)
    there = set(wide.index.unique("model"))
    if lacking := sorted({name for pair in pairs for name in pair} - there):
        raise NoRunsError(f"no run of {', '.join(lacking)} yet")
    return pd.Series(
        {
            number: float(np.mean([distance(rows.loc[a], rows.loc[b]) for a, b in pairs]))
            for number, rows in ((number, wide.loc[number]) for number in wide.index.unique("number"))
        },
        name="distance",
    )


def repeated_words(results: Results) -> pd.DataFrame:
    """The words of the models that have as many runs again, from either half of them, see :func:`same_words`."""

    def made() -> pd.DataFrame:
        found = profile_scores(results)
        table = by_axis(found[found["probe"].isin(DEFAULT)])
        return same_words(table[table["model"].isin(repeated_models(results.scale))])

    # the claim, a table and the chapter's sentences ask for them
    return results.made("repeated words", made)


def same_words(table: pd.DataFrame) -> pd.DataFrame:
    """The word of every model on every axis from the first half of the runs and from the second, beside all others.

    Args:
        table: ``model, axis, number, value``, with an even number of runs of every model.

    Returns:
        ``model, axis, first, second``.
    """
    numbers = np.sort(table["number"].unique())
    halves = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    parts = []
    for model in table["model"].unique():
        words = []
        for half in halves:
            runs = table[table["number"].isin(half)]
            own, others = runs[runs["model"] == model], runs[runs["model"] != model]
            words.append(pd.Series({each.axis: each.word for each in compare(own, others)}))
        parts.append(pd.DataFrame({"first": words[0], "second": words[1]}).assign(model=model))
    return pd.concat(parts).rename_axis("axis").reset_index()[["model", "axis", "first", "second"]]
