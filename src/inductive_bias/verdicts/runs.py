"""Rules about single runs: that some run reaches a score, that every run does.

A paper that reports the best of many runs says that there is one. One run proves it, and one proves that not every run
does; no mean or interval has to. Without such a run nothing is proven, but a success that half of all runs had would
have been seen: n runs without one have the chance (1/2)ⁿ. So *no run of five* rules out that half of all runs succeed,
and not that one in ten does; the reason says which share is excluded.
"""

import math
from typing import SupportsFloat

import pandas as pd

from inductive_bias.formatting import figures
from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.judgement import Judgement, Side
from inductive_bias.verdicts.numbers import finite
from inductive_bias.verdicts.test_statistics import More

#: What counts as a chance worth the name: half of all runs.
SHARE = 0.5


def some_run(contrast: Contrast, least: SupportsFloat) -> Judgement:
    """Reproduced if a run has at least ``least``; not reproduced if none of enough runs has (half would be seen).

    Args:
        contrast: with a number for every run; its mean and interval are shown, and decide nothing.
        least: what is reached.

    Raises:
        ValueError: if the contrast has no numbers of single runs, or ``least`` is not finite.
    """
    reached, n = _reached(contrast, least), len(_values(contrast))
    rule, unseen = f"a run with at least {figures(float(least), 4)}", "" if reached else f"none of {n} has"
    none = _chance(n) if not reached else 1.0
    return Judgement(
        Side(0.0 if reached else 1.0, _one if reached else _never, contrast, rule, unseen=unseen),
        Side(none, _never if reached else _runs, contrast, rule, unseen=unseen),
    )


def every_run(contrast: Contrast, least: SupportsFloat) -> Judgement:
    """Reproduced if all of enough runs have at least ``least`` (half below would be seen); not if one run has less.

    See :func:`some_run`: one run below fails the sentence, and five without one rule out that half of all lie below.
    """
    reached, n = _reached(contrast, least), len(_values(contrast))
    holds = reached == n
    rule, unseen = f"no run below {figures(float(least), 4)}", f"none of {n} is" if holds else ""
    return Judgement(
        Side(_chance(n) if holds else 1.0, _runs if holds else _never, contrast, rule, unseen=unseen),
        Side(1.0 if holds else 0.0, _never if holds else _one, contrast, rule, unseen=unseen),
    )


def _values(contrast: Contrast) -> pd.Series:
    if contrast.values is None or contrast.items is not None:
        raise ValueError(f"{contrast.name} has no numbers of single runs")
    return contrast.values


def _reached(contrast: Contrast, least: SupportsFloat) -> int:
    return int((_values(contrast) >= finite(least, "least")).sum())


def _chance(n: int) -> float:
    return (1 - SHARE) ** n


def _runs(alpha: float, what: More) -> float:
    """Runs with which a chance of :data:`SHARE` is ruled out at a level."""
    return float(math.floor(math.log(alpha) / math.log(1 - SHARE)) + 1) if what == "runs" else math.inf


def _one(alpha: float, what: More) -> float:
    """The run that was found is enough at every level; of a sentence with more parts it keeps none waiting."""
    return 1.0 if what == "runs" else math.inf


def _never(alpha: float, what: More) -> float:
    return math.inf
