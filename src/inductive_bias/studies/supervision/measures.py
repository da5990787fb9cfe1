"""Measures of supervision: scores of one cell, the cost of few labels, and the score required with all labels."""

import pandas as pd

from inductive_bias.studies import state_tracking
from inductive_bias.studies.preconditions import masters
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import (
    ATTENTION,
    FAILED,
    SHARES,
    SOLVED,
    UNIT_OF_ALL,
    UNIT_OF_LAST_QUARTER,
    over_all,
)
from inductive_bias.studies.supervision.design import JUDGED_SHARE, STATE, WORDS, cell, share_in_words
from inductive_bias.verdicts import Contrast, paired, single

#: What one run has more than another: nothing, or all but a guess of one state of eight. A run learns the automaton
#: from few labels, or it does not.
GAINS = (0.0, 1 - 1 / 8)


def sparse(results: Results) -> str:
    """The automaton of which few labels are kept."""
    return next(each["automaton"] for each in results.cells if each["asked"] == STATE)


def late(results: Results, automaton: str, model: str, **at: object) -> pd.Series:
    """Scores of one cell over the last quarter, by number; a diverged run is NaN."""
    return state_tracking.late(results, **cell(automaton, model, **at))


def score(results: Results, automaton: str, model: str, **at: object) -> Contrast:
    """Scores of one cell over all positions, as a contrast with nothing."""
    levels = cell(automaton, model, **at)
    name = f"{automaton}, {model}, {levels['asked']}, {share_in_words(levels['kept'])} of the labels"
    return single(over_all(results, **levels), name=name, unit=UNIT_OF_ALL, failed_value=FAILED, extremes=SHARES)


def difference(one: pd.Series, other: pd.Series, name: str) -> Contrast:
    """What one cell has more of the last quarter than another; runs of a number share their words."""
    return paired(one, other, name=name, unit=UNIT_OF_LAST_QUARTER, failed_value=FAILED, extremes=GAINS)


def loss(results: Results, model: str) -> Contrast:
    """What a model lacks at the share that is judged, against all labels of as many words."""
    whole, few = (late(results, sparse(results), model, **at) for at in ({}, {"kept": JUDGED_SHARE}))
    return difference(whole, few, f"{model}: all labels − {share_in_words(JUDGED_SHARE)}, as many {WORDS}")


def mastered(results: Results, model: str = ATTENTION) -> tuple[bool, str]:
    """Whether every run of a model simulates the automaton where all labels are kept, and what its worst run has."""
    name = sparse(results)
    lowest = float(late(results, name, model).fillna(FAILED).min())
    return masters([lowest], what=f"with all labels the worst run of {model} on {name}", least=SOLVED)
