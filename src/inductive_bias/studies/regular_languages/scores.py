"""Scores of RSA and of attention, language by language, and their differences: what claims and tables are made of."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.studies.design import Level
from inductive_bias.studies.regular_languages.design import ATTENTION, NONE, RSA, TITLES, mixer_name
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, crossed, paired, partners

#: A model and how it is told positions.
Told = tuple[str, str]
#: RSA and its twin.
TWINS: tuple[Told, Told] = ((RSA, NONE), (ATTENTION, NONE))
#: What is right, in words.
UNITS = {"string_accuracy": "longer strings right", "position_accuracy": "positions of longer strings right"}
#: A model masters its training lengths if it has so many of such strings right, on the mean of its seeds.
MASTERED = 0.99
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
    found = [results.frame("string_accuracy", split="validation", language=languages, model=model, positions=positions,
                           **levels).fillna({"value": FAILED}).groupby("language", observed=True)["value"].mean()
             for model, positions in pair]  # fmt: skip
    return [name for name in languages if masters(min(each[name] for each in found))]


def mean_gain(
    results: Results, languages: Sequence[str], of: str, pair: tuple[Told, Told] = TWINS, **levels: Level
) -> Contrast:
    """RSA − Attention in whole longer strings; both seeds and languages are taken as random."""
    own, twin = (strings(results, "longer", languages, told, **levels) for told in pair)
    numbers = own.index.intersection(twin.index)
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, mean of {len(languages)} {of}"
    unit = UNITS["string_accuracy"]
    return crossed(own.loc[numbers], twin.loc[numbers], name=name, unit=unit, failed_value=FAILED)


def gain(
    results: Results, language: str, metric: str = "position_accuracy", pair: tuple[Told, Told] = TWINS,
    split: str = "longer", **levels: Level,
) -> Contrast:  # fmt: skip
    """RSA − Attention on the longer strings of one language, in the runs of the numbers that both have."""
    own, twin = (
        results.values(metric, split=split, language=language, model=model, positions=positions, **levels)
        for model, positions in pair
    )
    name = f"{mixer_name(*pair[0])} − {mixer_name(*pair[1])}, {TITLES[language]}"
    return paired(*partners(own, twin), name=name, unit=UNITS[metric], failed_value=FAILED)
