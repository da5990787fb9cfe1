"""Tables behind the figures of the page on attributions of heartbeats."""

from itertools import combinations

import pandas as pd

from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.real_world.design import MITBIH, MODELS
from inductive_bias.studies.real_world.measures.attributions import (
    ALL_SAMPLES,
    ATTRIBUTIONS,
    DELETIONS,
    METHODS,
    ORDERS,
)
from inductive_bias.studies.real_world.measures.patients import COURSES
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.files import RATE
from inductive_bias.tasks.heartbeats.made import R_MARK
from inductive_bias.tasks.heartbeats.task import KINDS

#: Milliseconds from a sample to the next: every second one of the record is kept.
STEP = 2 * 1000 / RATE
#: What is near the R mark, in milliseconds before and after it.
NEAR = 60
EVEN = "spread evenly"


def lost(results: Results) -> pd.DataFrame:
    """The share of the margin that is lost, by run: ``model, kind, order, number, value``, the mean over records."""
    keys = ["model", "kind", "order", "number"]
    table = results.table(DELETIONS)
    found = _ordered(table[table["order"].isin(ORDERS)], kind=KINDS, order=ORDERS)
    return found.groupby(keys, observed=True)["lost"].mean().rename("value").reset_index()


def all_replaced(results: Results) -> pd.DataFrame:
    """The share of the margin that is lost if all of a beat is replaced: a row per model, a column per kind.

    Mean and standard deviation over runs of means over records.
    """
    table = results.table(DELETIONS)
    found = _ordered(table[table["order"] == ALL_SAMPLES], kind=KINDS)
    runs = found.groupby(["model", "kind", "number"], observed=True)["lost"].mean()
    shown = runs.groupby(["model", "kind"], observed=True).agg(lambda of: mean_std(of, 2)).unstack("kind")
    return shown.rename_axis(columns=None).rename(columns=str).reset_index()


def whose(results: Results) -> pd.DataFrame:
    """How many patients have beats to explain, in any run and in every run: a row per kind of beat."""
    found = _ordered(results.table(DELETIONS), kind=KINDS)
    runs = found["number"].nunique()
    counts = found.groupby(["kind", "record"], observed=True)["number"].nunique().groupby("kind", observed=True)
    return pd.DataFrame(
        {"patients in any run": counts.size(), "in every run": counts.agg(lambda of: int((of == runs).sum()))}
    ).reset_index()


def by_sample(results: Results) -> pd.DataFrame:
    """The share of the attribution at every sample of every run: ``model, kind, method, number, sample, ms, share``.

    ``ms`` is the time from the R mark.
    """
    found = _ordered(results.table(ATTRIBUTIONS), kind=KINDS, method=METHODS)
    found = found.assign(ms=(found["sample"].astype(float) - R_MARK) * STEP)
    return found[["model", "kind", "method", "number", "sample", "ms", "share"]]


def beside_course(results: Results) -> pd.DataFrame:
    """The mean share over runs beside the mean course: ``model, kind, method, sample, ms, share, course``.

    ``course`` is the mean over test patients of the mean of their beats of the kind.
    """
    keys = ["model", "kind", "method", "sample", "ms"]
    found = by_sample(results).groupby(keys, observed=True)["share"].mean().reset_index()
    courses = results.table(COURSES)
    courses = courses[(courses["data"] == MITBIH) & (courses["split"] == "test")]
    course = courses.groupby(["kind", "sample"])["mean"].mean()
    places = pd.MultiIndex.from_arrays([found["kind"].astype(str), found["sample"]])
    return found.assign(course=course.reindex(places).to_numpy())


def near_mark(results: Results) -> "pd.Series[float]":
    """The share of the attribution within 60 ms of the R mark, by model, method, kind and number of the run."""
    found = by_sample(results)
    near = found["ms"].abs() <= NEAR
    return found[near].groupby(["model", "method", "kind", "number"], observed=True)["share"].sum()


def around_mark(results: Results) -> pd.DataFrame:
    """The share of the attribution within 60 ms of the R mark: a row per model and method, a column per kind.

    Mean and standard deviation over runs; and the share of the samples there, what an even spread would give.
    """
    found, sums = by_sample(results), near_mark(results)
    table = sums.groupby(["model", "method", "kind"], observed=True).agg(lambda of: mean_std(of, 2)).unstack("kind")
    samples = found.loc[:, ["sample", "ms"]].drop_duplicates()
    even = (samples["ms"].abs() <= NEAR).mean()
    return table.rename_axis(columns=None).rename(columns=str).reset_index().assign(**{EVEN: even})


def agreement(results: Results) -> pd.DataFrame:
    """Spearman’s correlation of two methods’ mean shares over samples: a row per model, a column per pair.

    The mean over kinds.
    """
    found, rows = beside_course(results), []
    for model in [model for model in MODELS if (found["model"] == model).any()]:
        of = found[found["model"] == model]
        tables = [
            some.pivot(index="sample", columns="method", values="share").corr(method="spearman")
            for _, some in of.groupby("kind", observed=True)
        ]
        means = sum(tables) / len(tables)
        pairs = {f"{one}, {two}": float(means.loc[one, two]) for one, two in combinations(METHODS, 2)}
        rows.append({"model": model} | pairs)
    return pd.DataFrame(rows)


def _ordered(table: pd.DataFrame, **levels: tuple[str, ...]) -> pd.DataFrame:
    """With words in their order, of those that are there."""
    return table.assign(
        **{
            name: pd.Categorical(table[name], [level for level in known if level in set(table[name])], ordered=True)
            for name, known in levels.items()
        }
    )
