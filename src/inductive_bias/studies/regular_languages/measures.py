"""Scores by length of string, and single answers by their place: all runs, and means over them."""

import pandas as pd

from inductive_bias.studies.formal_scores import named
from inductive_bias.studies.regular_languages.design import MIXER_NAMES
from inductive_bias.studies.results import Results, Wanted

STRINGS, ANSWERS = "whole strings right", "single answers right"


def by_length(results: Results, **levels: Wanted) -> pd.DataFrame:
    """String accuracy by length, all bins together: lengths that two bins share are weighed by their strings."""
    rows = results.frame(("string_accuracy", "n"), by="length", **levels)
    keys = ["language", "model", "positions", "seed", "length"]
    wide = rows.pivot(index=[*keys, "split"], columns="metric", values="value").eval("right = string_accuracy * n")
    sums = wide.groupby(keys, observed=True)[["right", "n"]].sum()
    return sums.eval("right / n").rename("value").reset_index()


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
    return named(pd.concat(found, ignore_index=True), MIXER_NAMES)[["measure", "length", "language", "mixer", "value"]]
