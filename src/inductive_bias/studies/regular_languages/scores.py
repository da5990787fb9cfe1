"""Scores of RSA and of attention, language by language, and their differences: what claims and tables are made of."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.protocols.measures.formal import STEP
from inductive_bias.studies.design import Level
from inductive_bias.studies.preconditions import MASTERED
from inductive_bias.studies.regular_languages.design import ATTENTION, NONE, RSA, TITLES, mixer_name
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, crossed, paired, partners

#: A model and how it is told positions.
Told = tuple[str, str]
#: RSA and its twin.
TWINS: tuple[Told, Told] = ((RSA, NONE), (ATTENTION, NONE))
#: What is right, in words.
UNITS = {"string_accuracy": "longer strings right", "position_accuracy": "positions beyond the training lengths right"}
#: What a run gains that finds a rule which its twin does not find: a twin that guesses has no longer string right, and
#: half of the positions. A run finds the rule or does not.
FOUND = {"string_accuracy": (0.0, 1.0), "position_accuracy": (0.0, 0.5)}
#: A diverged run has no string and no position right.
FAILED = 0.0
#: Scores are kept in single precision, where .96 is a little less: a mean may fall short of a bound by so much.
ROUNDING = 1e-6


def masters(share: float | pd.DataFrame) -> bool | np.bool_ | pd.DataFrame:
    """Whether so many strings right are mastery, of one number or of a whole table."""
    return share >= MASTERED - ROUNDING


def strings(results: Results, split: str, languages: Sequence[str], told: Told, **levels: Level) -> pd.DataFrame:
    """String accuracy of one model: a row a number that every language has, a column a language."""
    model, positions = told
    at = {"split": split, "language": languages, "model": model, "positions": positions, **levels}
    frame = results.frame("string_accuracy", **at)
    # a diverged run is NaN, as a number is that a language does not have: only the latter has no trial
    table = frame.pivot(index="number", columns="language", values=["value", "trial"])
    return table["value"][table["trial"].notna().all(axis=1)].astype(float).rename(columns=str)


def mastered(results: Results, languages: Sequence[str], pair: Sequence[Told] = TWINS, **levels: Level) -> list[str]:
    """The languages whose training lengths every model of ``pair`` masters, on the mean of all its runs."""
    found = [
        results.frame(
            "string_accuracy", split="validation", language=languages, model=model, positions=positions, **levels
        )
        .fillna({"value": FAILED})
        .groupby("language", observed=True)["value"]
        .mean()
        for model, positions in pair
    ]
    return [name for name in languages if masters(min(each[name] for each in found))]


def mean_gain(
    results: Results, languages: Sequence[str], of: str, pair: tuple[Told, Told] = TWINS, **levels: Level
) -> Contrast:
    """RSA − Attention in whole longer strings; both seeds and languages are taken as random.

    A string that is longer than those in training counts only if all its positions are right, as published: what is
    right within the training lengths earns nothing.
    """
    own, twin = (strings(results, "longer", languages, told, **levels) for told in pair)
    numbers = own.index.intersection(twin.index)
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, mean of {len(languages)} {of}"
    unit = UNITS["string_accuracy"]
    return crossed(own.loc[numbers], twin.loc[numbers], name=name, unit=unit, item="languages", failed_value=FAILED)


def positions_right(
    results: Results, split: str, language: str, told: Told, *, beyond: bool = True, **levels: Level
) -> pd.Series:
    """Share of the positions of longer strings that one model has right, by number; NaN of a run that diverged.

    Only positions beyond the longest training string count, or with ``beyond=False`` only those within: a model that
    has learnt a part of a language has the first positions of a longer string right, and does not go on. Positions are
    published in steps of ten, each at its middle; a step that holds the training length counts as within.
    """
    model, told_how = told
    at = {"split": split, "language": language, "model": model, "positions": told_how, **levels}
    every = results.values("position_accuracy", **at)
    if every.isna().all():
        return every
    tasks = [trials[0].task for cell, trials in results.cells.items() if cell["language"] == language]
    rows = results.frame(["position_accuracy", "n"], by="position", **at)
    rows = rows[(rows["position"] - (STEP + 1) / 2 >= tasks[0].bins["train"].longest) == beyond]
    table = rows.pivot(index=["number", "position"], columns="metric", values="value")
    sums = table.eval("right = position_accuracy * n").groupby("number")[["right", "n"]].sum()
    return (sums["right"] / sums["n"]).reindex(every.index).where(every.notna()).rename(every.name)


def gain(
    results: Results,
    language: str,
    metric: str = "position_accuracy",
    pair: tuple[Told, Told] = TWINS,
    split: str = "longer",
    **levels: Level,
) -> Contrast:
    """RSA − Attention on the longer strings of one language, in the runs of the numbers that both have.

    A string counts if all its positions are right, those within the training lengths included. Of single positions only
    those beyond the training lengths count.
    """

    def scores(told: Told) -> pd.Series:
        if metric == "position_accuracy":
            return positions_right(results, split, language, told, **levels)
        return results.values(metric, split=split, language=language, model=told[0], positions=told[1], **levels)

    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, {TITLES[language]}"
    both = partners(*map(scores, pair))
    return paired(*both, name=name, unit=UNITS[metric], failed_value=FAILED, extremes=FOUND[metric])


def gain_within(results: Results, language: str, pair: tuple[Told, Told] = TWINS, **levels: Level) -> Contrast:
    """RSA − Attention on the positions of longer strings that lie within the training lengths: no going on."""
    both = partners(*(positions_right(results, "longer", language, told, beyond=False, **levels) for told in pair))
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, {TITLES[language]}, positions within the training lengths"
    return paired(*both, name=name, unit="positions right", failed_value=FAILED)
