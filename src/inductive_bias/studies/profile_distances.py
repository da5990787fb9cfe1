"""How far two profiles are apart, which known models are nearest, and whether a number tells models apart."""

import math
from typing import NamedTuple

import pandas as pd

from inductive_bias.studies.profile_axes import reliability

#: A number tells models apart if half of the runs foretells the order of the models in the other half by this rank
#: correlation at least, and if models differ by at least so many times what runs of one model do.
REPEATS, SEPARATES = 0.7, 2.0


def distance(first: pd.Series, second: pd.Series) -> float:
    """How far two profiles are apart: the mean difference over the axes that both have, between 0 and 1."""
    return float((first - second).abs().mean())


def nearest(own: pd.Series, profiles: pd.DataFrame, most: int = 3) -> pd.Series:
    """The models whose profiles are nearest, with their distances; both by axis.

    A model counts where it has at least half of the axes that the own model has.
    """
    enough = profiles[own.dropna().index.intersection(profiles.columns)].notna().mean(axis=1) >= 0.5
    found = profiles[enough].apply(lambda row: distance(own, row), axis=1)
    return found.sort_values(kind="stable").head(most).rename("distance")


class Fitness(NamedTuple):
    """Whether a number tells models apart.

    Attributes:
        repeats: rank correlation over models of two halves of the runs.
        separates: standard deviation of models, in units of that of runs of one model.

    Numbers that are all alike, or that no model has, are NaN: they tell nothing apart.
    """

    repeats: float
    separates: float

    @property
    def joins(self) -> bool:
        """Whether it is worth its minutes, by the rule that was written before its runs."""
        return self.repeats >= REPEATS and self.separates >= SEPARATES


def fitness_of(table: pd.DataFrame) -> Fitness:
    """Whether one axis, or one probe of it, tells models apart.

    Args:
        table: ``axis, model, number, value`` of one axis, with an even number of runs of every model.
    """
    runs = table.groupby("model", sort=False, observed=True)["value"]
    (repeats,), of_models, of_runs = reliability(table), runs.mean().std(), runs.std().mean()
    return Fitness(float(repeats), float(of_models / of_runs) if of_runs > 0 else math.nan)
