"""Measures of the page on depth: scores, least depths, the harm of more layers, attention to the deciding position."""

from collections.abc import Callable

import pandas as pd

from inductive_bias.studies import state_tracking
from inductive_bias.studies.automata.design import ATTENTION, cell, layers_in_words
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import FAILED, GAINS, SHARES, SOLVED, UNIT_OF_ALL, UNIT_OF_LAST_QUARTER
from inductive_bias.verdicts import Contrast, paired, partners, single

#: The table of attention against the truth, and whether a model is trained or has its first weights.
ATTENTION_MASS, TRAINED, UNTRAINED = "attention_mass", "trained", "untrained"
#: How far beyond the deepest is an automaton that no depth of ours solves.
BEYOND = 2
#: Who is equal to another lacks at most so much of its score.
EQUAL = 0.01


def automata(results: Results) -> tuple[str, ...]:
    """The automata that are run at this scale."""
    return results.design.levels(results.scale)["automaton"]


def depths(results: Results, model: str) -> tuple[int, ...]:
    """The numbers of layers of a model."""
    return tuple(sorted({each["layers"] for each in results.cells if each["model"] == model}))


def over_all(results: Results, automaton: str, model: str, layers: int) -> pd.Series:
    """Scores over all positions of one cell, the paper's measure, by number; a diverged run is NaN."""
    return state_tracking.over_all(results, **cell(automaton, model, layers))


def late(results: Results, automaton: str, model: str, layers: int) -> pd.Series:
    """Scores over the last quarter of one cell, by number; a diverged run is NaN."""
    return state_tracking.late(results, **cell(automaton, model, layers))


def score(results: Results, automaton: str, model: str, layers: int) -> Contrast:
    """Scores of one cell over all positions, against nothing: its numbers are those of the runs."""
    name, values = f"{automaton}, {model} with {layers_in_words(layers)}", over_all(results, automaton, model, layers)
    return single(values, name=name, unit=UNIT_OF_ALL, failed_value=FAILED, extremes=SHARES)


def difference(results: Results, automaton: str, one: tuple[str, int], other: tuple[str, int]) -> Contrast:
    """What a model with its layers has more of the last quarter than another; runs of a number share their words."""
    values = (late(results, automaton, *each) for each in (one, other))
    name = f"{automaton}: {one[0]} − {other[0]}"
    return paired(*values, name=name, unit=UNIT_OF_LAST_QUARTER, failed_value=FAILED, extremes=GAINS)


def needed(
    results: Results, automaton: str, scores: Callable[[Results, str, str, int], pd.Series] = over_all
) -> pd.Series:
    """The least depth with which the Transformer of each number simulates an automaton; beyond the deepest if none.

    By the paper's measure, all positions, unless other ``scores`` are given.
    """
    columns = {layers: scores(results, automaton, ATTENTION, layers) for layers in depths(results, ATTENTION)}
    solved = pd.concat(columns, axis=1, join="inner") >= SOLVED
    return solved.idxmax(axis=1).where(solved.any(axis=1), max(columns) + BEYOND).rename(automaton)


def depth_in_words(results: Results, layers: float | int) -> str:
    """A least depth as pages print it: ``4``; ``over 6`` of one beyond the deepest, or NaN."""
    most = max(depths(results, ATTENTION))
    return f"{layers:g}" if layers <= most else f"over {most}"


def reported_depth(results: Results, automaton: str) -> int | None:
    """The least depth at which the paper's best run simulates an automaton; None if it reports nothing of it."""
    rows = results.paper[(results.paper["automaton"] == automaton) & (results.paper["mean"] >= SOLVED)]
    return None if rows.empty else int(rows["layers"].min())


def least_depth(results: Results, automaton: str) -> int | None:
    """The least depth at which the best Transformer simulates an automaton; None up to the deepest."""
    found = (
        layers for layers in depths(results, ATTENTION) if late(results, automaton, ATTENTION, layers).max() >= SOLVED
    )
    return next(found, None)


def overstatement(values: pd.Series) -> float:
    """How far the best run is above the mean of all."""
    values = values.fillna(FAILED)
    return float(values.max() - values.mean())


def harm(results: Results, automaton: str, shallow: int, deep: int) -> Contrast:
    """Loss of accuracy by more layers of attention, over all positions; runs with one number see the same words."""
    first, second = (over_all(results, automaton, ATTENTION, layers) for layers in (shallow, deep))
    name = f"{automaton}: {layers_in_words(shallow)} − {layers_in_words(deep)}"
    return paired(*partners(first, second), name=name, unit=UNIT_OF_ALL, failed_value=FAILED, extremes=GAINS)


def fall_of_the_best(results: Results, automaton: str, shallow: int, deep: int) -> float:
    """Loss of accuracy by more layers of attention, best run against best run, over all positions."""
    first, second = (over_all(results, automaton, ATTENTION, layers).max() for layers in (shallow, deep))
    return float(first - second)


def mass(results: Results, automaton: str, layers: int = 2) -> pd.DataFrame:
    """The share of attention that the best head of each run gives to the position that decides, trained and untrained.

    The head is the one that gives it most on other words; each of the two networks has its own. By number; a run that
    diverged has no attention, and is left out: it has simulated nothing either.
    """
    found = results.table(ATTENTION_MASS).dropna(subset=["chosen_by"])
    found = found[(found["automaton"] == automaton) & (found["layers"] == layers)]
    best = found.loc[found.groupby(["number", "when"], observed=True)["chosen_by"].idxmax()]
    return best.pivot(index="number", columns="when", values="mass").dropna()
