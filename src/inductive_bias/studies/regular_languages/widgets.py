"""Languages by length under the reader's hands."""

import pandas as pd

from inductive_bias.plotting import PageWidget, slice_widget
from inductive_bias.protocols.measures.formal import STEP
from inductive_bias.studies.regular_languages.design import TITLES
from inductive_bias.studies.regular_languages.scores import MASTERED
from inductive_bias.studies.regular_languages.tables import by_length, named
from inductive_bias.studies.results import Results
from inductive_bias.tasks.formal import LANGUAGES

STRINGS, ANSWERS = "whole strings right", "single answers right"


def lengths(results: Results) -> PageWidget:
    """A slider for the length; whole strings of that length that are right, or single answers at that place."""
    means = mean_by_length(results)
    steps = sorted(means["length"].unique())
    return slice_widget(
        means,
        along="length",
        y="language",
        x="mixer",
        by="measure",
        steps={step: step_words(results, step) for step in steps},
        measures={STRINGS: STRINGS, ANSWERS: ANSWERS},
        reached=MASTERED,
        words="languages",
        instead="The heat map above shows the same for one range of lengths.",
        titles=TITLES,
        groups={name: LANGUAGES[name].family for name in TITLES},
    )


def mean_by_length(results: Results) -> pd.DataFrame:
    """Columns ``measure, length, language, mixer, value``: means over all runs of a cell, of which a diverged one is 0.

    Answers are those along the strings of the longest bin, strings those of all bins.
    """
    split = "longest" if results.has("position_accuracy", split="longest", by="position") else "longer"
    answers = results.frame("position_accuracy", split=split, by="position").rename(columns={"position": "length"})
    parts = {STRINGS: by_length(results), ANSWERS: answers}
    keys, found = ["length", "language", "model", "positions"], []
    runs = {(cell["language"], cell["model"], cell["positions"]): len(of) for cell, of in results.cells.items()}
    for measure, rows in parts.items():
        sums = rows.groupby(keys, observed=True)["value"].sum().reset_index()  # a diverged run has no row or NaN
        counts = [runs[cell] for cell in zip(*(sums[name] for name in keys[1:]), strict=True)]
        found.append(sums.assign(measure=measure, value=sums["value"] / counts))
    return named(pd.concat(found, ignore_index=True))[["measure", "length", "language", "mixer", "value"]]


def step_words(results: Results, middle: float) -> str:
    """``51–60, longer than in training``."""
    low, high = (int(middle + side * (STEP - 1) / 2) for side in (-1, 1))
    trained = {trials[0].task.bins["train"].longest for trials in results.cells.values()}
    longer = "longer than in training" if low > max(trained) else "in part longer than in training"
    return f"{low}–{high} symbols, {'as in training' if high <= min(trained) else longer}"
