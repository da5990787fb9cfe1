"""Scores on formal languages, language by language, and what RSA gains over attention: what claims are made of."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from inductive_bias.protocols.measures.formal import STEP
from inductive_bias.studies.formal_models import TITLES, TWINS, Told, mixer_name
from inductive_bias.studies.frames import listed
from inductive_bias.studies.preconditions import MASTERED
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, crossed, paired, partners

#: What is right, in words.
UNITS = {"string_accuracy": "longer strings right", "position_accuracy": "positions beyond the training lengths right"}
#: What a run gains that finds a rule which its twin does not find: a twin that guesses has no longer string right, and
#: half of the positions. A run finds the rule or does not.
EXTREME_GAINS = {"string_accuracy": (0.0, 1.0), "position_accuracy": (0.0, 0.5)}
#: A diverged run has no string and no position right.
FAILED = 0.0
#: Scores are kept in single precision, where .96 is a little less: a mean may fall short of a bound by so much.
ROUNDING = 1e-6


def named(frame: pd.DataFrame, mixers: Sequence[str]) -> pd.DataFrame:
    """Rows with the column ``mixer``: model and positions as one name, in the order of ``mixers``."""
    names = [mixer_name(*pair) for pair in zip(frame["model"], frame["positions"], strict=True)]
    return frame.assign(mixer=pd.Categorical(names, [name for name in mixers if name in names], ordered=True))


def lengths(results: Results) -> dict[str, str]:
    """The lengths of each held-out bin, ``51–100``; where languages differ, the shortest and the longest of any."""
    bins = [trials[0].task.bins for trials in results.cells.values()]
    found = {}
    for split, own in {"validation": "train", "longer": "longer", "longest": "longest"}.items():
        if ends := [each[own] for each in bins if own in each]:
            found[split] = f"{min(each.shortest for each in ends)}–{max(each.longest for each in ends)}"
    return found


def every_seed(values: Iterable[float]) -> str:
    """All seeds side by side, once what all of them share."""
    text = listed(values, 2)
    first, *others = dict.fromkeys(text.split("\u00a0"))
    return text if others else first


def trained_length(results: Results, language: str) -> int:
    """Symbols of the longest training string of a language."""
    trials = next(trials for cell, trials in results.cells.items() if cell["language"] == language)
    return trials[0].task.bins["train"].longest


def masters(share: float | pd.DataFrame) -> bool | np.bool_ | pd.DataFrame:
    """Whether so many strings right are mastery, of one number or of a whole table."""
    return share >= MASTERED - ROUNDING


def strings(results: Results, split: str, languages: Sequence[str], told: Told) -> pd.DataFrame:
    """String accuracy of one model: a row a number that every language has, a column a language."""
    model, positions = told
    at = {"split": split, "language": languages, "model": model, "positions": positions}
    frame = results.frame("string_accuracy", **at)
    # a diverged run is NaN, as a number is that a language does not have: only the latter has no trial
    table = frame.pivot(index="number", columns="language", values=["value", "trial"])
    return table["value"][table["trial"].notna().all(axis=1)].astype(float).rename(columns=str)


def mastered(results: Results, languages: Sequence[str], pair: Sequence[Told] = TWINS) -> list[str]:
    """The languages whose training lengths every model of ``pair`` masters, on the mean of all its runs."""
    found = [
        results.frame("string_accuracy", split="validation", language=languages, model=model, positions=positions)
        .fillna({"value": FAILED})
        .groupby("language", observed=True)["value"]
        .mean()
        for model, positions in pair
    ]
    return [name for name in languages if masters(min(each[name] for each in found))]


def mean_gain(results: Results, languages: Sequence[str], of: str, pair: tuple[Told, Told] = TWINS) -> Contrast:
    """RSA − Attention in whole longer strings; both seeds and languages are taken as random.

    A string that is longer than those in training counts only if all its positions are right, as published: what is
    right within the training lengths earns nothing.
    """
    own, twin = (strings(results, "longer", languages, told) for told in pair)
    numbers = own.index.intersection(twin.index)
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, mean of {len(languages)} {of}"
    unit = UNITS["string_accuracy"]
    return crossed(own.loc[numbers], twin.loc[numbers], name=name, unit=unit, item="languages", failed_value=FAILED)


def positions_right(results: Results, split: str, language: str, told: Told, *, beyond: bool = True) -> pd.Series:
    """Share of the positions of longer strings that one model has right, by number; NaN of a run that diverged.

    Only positions beyond the longest training string count, or with ``beyond=False`` only those within: a model that
    has learnt a part of a language has the first positions of a longer string right, and does not go on. Positions are
    published in steps of ten, each at its middle; a step that holds the training length counts as within.
    """
    model, told_how = told
    at = {"split": split, "language": language, "model": model, "positions": told_how}
    every = results.values("position_accuracy", **at)
    if every.isna().all():
        return every
    rows = results.frame(["position_accuracy", "n"], by="position", **at)
    rows = rows[(rows["position"] - (STEP + 1) / 2 >= trained_length(results, language)) == beyond]
    table = rows.pivot(index=["number", "position"], columns="metric", values="value")
    sums = table.eval("right = position_accuracy * n").groupby("number")[["right", "n"]].sum()
    return (sums["right"] / sums["n"]).reindex(every.index).where(every.notna()).rename(every.name)


def gain(
    results: Results,
    language: str,
    metric: str = "position_accuracy",
    pair: tuple[Told, Told] = TWINS,
    split: str = "longer",
) -> Contrast:
    """RSA − Attention on the longer strings of one language, in the runs of the numbers that both have.

    A string counts if all its positions are right, those within the training lengths included. Of single positions only
    those beyond the training lengths count.
    """

    def scores(told: Told) -> pd.Series:
        if metric == "position_accuracy":
            return positions_right(results, split, language, told)
        return results.values(metric, split=split, language=language, model=told[0], positions=told[1])

    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, {TITLES[language]}"
    both = partners(*map(scores, pair))
    return paired(*both, name=name, unit=UNITS[metric], failed_value=FAILED, extremes=EXTREME_GAINS[metric])


def gain_within(results: Results, language: str, pair: tuple[Told, Told] = TWINS) -> Contrast:
    """RSA − Attention on the positions of longer strings that lie within the training lengths: no going on."""
    both = partners(*(positions_right(results, "longer", language, told, beyond=False) for told in pair))
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, {TITLES[language]}, positions within the training lengths"
    return paired(*both, name=name, unit="positions right", failed_value=FAILED)
