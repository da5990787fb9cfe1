"""Scores on words longer than in training or with few ones, and whether a model has mastered the training lengths.

Scores are shares of right states: on words as long as the longest of training, by share of ones; and on words four
times as long, over the positions of training (1 to 20 at laptop scale), those up to twice as far (21 to 40) and those
beyond (41 to 80). *Longer words* are scored over 21 to 80: no position inside the training lengths counts.

One precondition for all claims on length: a model is judged only if it masters the training lengths, 99 % of the states
at positions 1 to 20 on average over its runs.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from inductive_bias.protocols.measures.shifted import WITHIN
from inductive_bias.studies.preconditions import masters, where
from inductive_bias.studies.results import Results
from inductive_bias.studies.shift.design import ANSWERS, PARITY, USUAL_SIZE, cell, label
from inductive_bias.studies.state_tracking import FAILED
from inductive_bias.tasks.automata import SHARES
from inductive_bias.verdicts import Contrast, paired, partners, single

UNIT = "of the states"
#: What has been learnt has so much of the states.
HAS_LEARNT = 0.99
#: A guess of a state of parity is right half of the time.
CHANCE = 0.5
#: What a run has of the states of parity, and what it has more than another; and the latter of other automata.
SHARES_OF_PARITY, GAINS_OF_PARITY, GAINS = (CHANCE, 1.0), (0.0, 1 - CHANCE), (0.0, 1.0)


def far(
    results: Results, model: str, part: str, *, automaton: str = PARITY, form: str = ANSWERS, size: str = USUAL_SIZE
) -> pd.Series:
    """Scores on long words over some of their positions, by number; a diverged run is NaN."""
    return results.values("accuracy", split="test", part=part, **cell(automaton, model, form, size))


def at_share(results: Results, model: str, share: float) -> pd.Series:
    """Scores of parity where ones come with this share, by number."""
    return results.values("accuracy", split=SHARES, share=share, **cell(PARITY, model))


def score(results: Results, model: str, part: str, **at: str) -> Contrast:
    """Scores of parity on long words over some of their positions, as a contrast with nothing."""
    return of_parity(far(results, model, part, **at), f"{label(**cell(PARITY, model, **at))}, {part}")


def worst_share(results: Results, model: str) -> Contrast:
    """Scores of parity at the share of ones where each run has the fewest states right."""
    tried = results.frame("accuracy", split=SHARES, by="share", **cell(PARITY, model))["share"].unique()
    worst = pd.concat([at_share(results, model, each) for each in tried], axis=1).min(axis=1, skipna=False)
    return of_parity(worst, f"{model}, worst share")


def pooled(results: Results, models: Mapping[str, str], part: str) -> Contrast:
    """The scores of all runs of some models of parity as a contrast with nothing: its numbers are those of the runs.

    Args:
        results: of the study.
        models: each with its form.
        part: of the positions of long words.
    """
    found = pd.concat({model: far(results, model, part, form=form) for model, form in models.items()})
    found.index = [f"{model}, run {number}" for model, number in found.index]
    names = (model if form == ANSWERS else f"{model} with {form}" for model, form in models.items())
    # the name would be taken for that of a cell whose runs are failed ones
    return of_parity(found.rename(None), f"{', '.join(names)}: {part}")


def of_parity(values: pd.Series, name: str) -> Contrast:
    """Scores of runs of parity as a contrast with nothing."""
    return single(values, name=name, unit=UNIT, failed_value=FAILED, extremes=SHARES_OF_PARITY)


def difference(
    one: pd.Series, other: pd.Series, name: str, extremes: tuple[float, float] = GAINS_OF_PARITY
) -> Contrast:
    """What one cell has more than another, by the numbers that both have."""
    return paired(*partners(one, other), name=name, unit=UNIT, failed_value=FAILED, extremes=extremes)


def mastery(results: Results, model: str, **at: str) -> tuple[bool, str]:
    """Whether a model masters the training lengths of a task, and in words what it has if not."""
    what = label(**cell(**{"automaton": PARITY} | at, model=model))
    return masters(far(results, model, WITHIN, **at), what=what, least=HAS_LEARNT, failed=FAILED)


def all_master(results: Results, models: Sequence[str], **at: str) -> tuple[bool, str]:
    """Whether all of these models master the training lengths of a task, and those that do not, in words."""
    _, there, absent = where({model: mastery(results, model, **at) for model in models}, fewest=len(models))
    return there, absent


def parity_is_learnt(even: pd.Series, model: str) -> tuple[bool, str]:
    """Whether a model has learnt parity where half of the actions are ones, and in words what it has if not."""
    return masters(even, what=f"{model}, parity, where half are ones,", least=HAS_LEARNT, failed=FAILED)
