"""What the pages draw and print of language models, as tidy frames."""

from collections.abc import Iterable

import pandas as pd

from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.language_models.design import MODELS
from inductive_bias.studies.language_models.measures import AGREEMENT, LOG_PERPLEXITY, agreement, change, place
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.tasks.pairs.blimp import TEMPLATES


def plane(results: Results, **levels: Wanted) -> pd.DataFrame:
    """One row a run, diverged or not, and measure: factors, ``cell, seed, trial, measure, perplexity, value``."""
    parts = [results.frame(**place(words), **levels).assign(measure=words) for words in agreement(results, **levels)]
    known = results.frame("perplexity", split="test", **levels).set_index("trial")["value"]
    runs = pd.concat(parts, ignore_index=True).drop(columns=["split", "pairs", "origin", "dataset"])
    return runs.assign(perplexity=runs["trial"].map(known))


def behind_attractors(results: Results, **levels: Wanted) -> pd.DataFrame:
    """Accuracy by number of attractors of every run, on the sentences of which A-acc is made on its text."""
    pairs = [pairs for metric, pairs in AGREEMENT.values() if metric == "a_accuracy"]
    return results.frame("accuracy", split="pairs", pairs=pairs, by=("pairs", "attractors"), **levels)


def searched(results: Results) -> pd.DataFrame:
    """Validation perplexity of every run of a search: ``text, model, targets, learning_rate, dropout, value``."""
    places = ["text", "model", "targets", "learning_rate", "dropout"]
    rows = results.search.frame("perplexity", split="validation")
    return rows.sort_values(places, kind="stable", ignore_index=True)[[*places, "value"]]


def paper_plane(results: Results) -> pd.DataFrame:
    """The paper's single runs in the same columns: ``model, teacher, perplexity, value``."""
    points = results.paper[results.paper["source"] == "points"]
    run = points.groupby(["model", "teacher", "metric"]).cumcount()
    table = points.assign(run=run).pivot(index=["model", "teacher", "run"], columns="metric", values="mean")
    return table.rename(columns={"a_accuracy": "value"}).reset_index().rename_axis(columns=None)


def beside_teachers(results: Results, measure: str, **levels: Wanted) -> pd.DataFrame:
    """A measure of every student (``value``) and of its own teacher (``of_teacher``): one row per run."""
    alone, taught = (results.frame(**place(measure), **levels, teacher=each) for each in (NO_TEACHER, MODELS))
    known = alone.set_index(["model", "number"])["value"]
    return taught.assign(of_teacher=[known[each] for each in zip(taught["teacher"], taught["number"], strict=True)])


def with_students(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of numbers of which there are students too: models alone may have more runs."""
    taught = runs.loc[runs["teacher"] != NO_TEACHER, "number"]
    return runs[runs["number"].isin(taught)].reset_index(drop=True)


def contrast_table(results: Results, pairs: Iterable[tuple[Cell, Cell]]) -> pd.DataFrame:
    """The first cell minus the second, in perplexity and in every measure of agreement, each with its 95 % interval.

    All are of one text.
    """
    pairs = list(pairs)
    names = (LOG_PERPLEXITY, *agreement(results, text=pairs[0][0]["text"]))
    found = [[change(results, name, *pair) for name in names] for pair in pairs]
    return pd.DataFrame([[row[0].name, *map(str, row)] for row in found], columns=["models", *names])


def by_construction(results: Results, **levels: Wanted) -> pd.DataFrame:
    """Accuracy by template of Marvin & Linzen in words, in the column ``construction``, the simplest first.

    The generated grammar has no templates; there the constructions are numbers of attractors.
    """
    # BLiMP has templates as well, whose codes are places among other names
    made_up = {"pairs": "marvin-linzen", "by": ("pairs", "template")}
    there = results.has("accuracy", split="pairs", **made_up)
    at, wanted = ("template", made_up) if there else ("attractors", {"by": ("pairs", "attractors")})
    frame = results.frame("accuracy", split="pairs", **wanted, **levels)
    # a template's code is its place among the sorted names
    codes = {name: code for code, name in enumerate(sorted(TEMPLATES))}
    words = {codes[name]: words for name, words in TEMPLATES.items()}
    words = words if at == "template" else {n: f"attractors: {n:.0f}" for n in sorted(frame[at].unique())}
    return frame.assign(construction=pd.Categorical(frame[at].map(words), list(words.values()), ordered=True))
