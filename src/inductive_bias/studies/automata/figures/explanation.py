"""Tables behind the figures of the page on explanations.

Models have the names from which their colours and markers are made.
"""

from collections.abc import Iterable, Mapping

import pandas as pd

from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID, LSTM, RSA
from inductive_bias.studies.automata.measures.depth import TRAINED, UNTRAINED
from inductive_bias.studies.automata.measures.explanation import (
    DELETION,
    EXAMPLES,
    GAP,
    INTEGRATED,
    METHODS,
    RANDOM,
    SCORES,
    TRUTH,
)
from inductive_bias.studies.frames import listed
from inductive_bias.studies.results import Results

#: Models as the page names them, by what they are and their layers.
NAMES = {(ATTENTION, 2): ATTENTION, (RSA, 2): RSA, (LSTM, 1): LSTM, (LSTM, 2): f"{LSTM}, 2 layers"}
#: How an action is written into a word.
SIGNS = {FLIP_FLOP: ("·", "1", "2"), GRID: ("←", "→")}
EXPLAINED_AUTOMATA = (FLIP_FLOP, GRID)


def named(table: pd.DataFrame) -> pd.DataFrame:
    """A table with the column ``model`` in the names of the page, and automata, models and methods in its order."""
    pairs = zip(table["model"].astype(str), table["layers"].astype(int), strict=True)
    return table.assign(
        model=_ordered([NAMES[pair] for pair in pairs], NAMES.values()),
        automaton=_ordered(table["automaton"].astype(str), EXPLAINED_AUTOMATA),
        method=_ordered(table["method"], (TRUTH, *METHODS, RANDOM)),
    )


def scores(results: Results, score: str, when: str = TRAINED) -> pd.DataFrame:
    """Every run: ``automaton, model, method, number, value``; without the random order."""
    found = named(results.table(SCORES))
    found = found[(found["score"] == score) & (found["when"] == when) & (found["method"] != RANDOM)]
    return _plain(found, ["automaton", "model", "method", "number", "value"])


def chance(results: Results, score: str) -> pd.Series:
    """What a random order is expected to score, by automaton: the mean over numbers."""
    found = results.table(SCORES)
    found = found[(found["score"] == score) & (found["method"] == RANDOM) & (found["when"] == TRAINED)]
    return found.groupby(found["automaton"].astype(str))["value"].mean()


def beside_controls(results: Results, asked: Mapping[str, str]) -> pd.DataFrame:
    """A row per automaton, model and method: the mean of a score, all runs, the same untrained, and by chance.

    Args:
        results: of the study.
        asked: of every automaton, which score.
    """
    rows = []
    for automaton, score in asked.items():
        trained, before = (scores(results, score, when) for when in (TRAINED, UNTRAINED))
        keys = ["automaton", "model", "method"]
        untrained = before.groupby(keys, observed=True)["value"].mean()
        luck = chance(results, score)
        rows += [
            {
                "automaton": automaton,
                "model": model,
                "method": method,
                "mean": values.mean(),
                "runs": listed(values, 2),
                "untrained": untrained[automaton, model, method],
                "random order": luck[automaton],
            }
            for (name, model, method), values in trained.groupby(keys, observed=True)["value"]
            if name == automaton
        ]
    columns = ["automaton", "model", "method", "mean", "runs", "untrained", "random order"]
    return pd.DataFrame(rows, columns=columns)


def deleted(results: Results) -> pd.DataFrame:
    """Curves of every run: ``automaton, model, method, number, seed, replaced, value, beaten``."""
    found = named(results.table(DELETION)).rename(columns={"probability": "value"})
    return _plain(found, ["automaton", "model", "method", "number", "seed", "replaced", "value", "beaten"])


def words_left(results: Results) -> pd.DataFrame:
    """How many words all models of a number have right: a row per automaton, a column per number."""
    found = results.table(SCORES)
    left = found.groupby([found["automaton"].astype(str), "number"])["words"].min().unstack("number")
    return left.rename(columns="number {}".format).rename_axis(columns=None).reset_index()


def gaps(results: Results) -> pd.DataFrame:
    """What sums of integrated gradients are off, in percent: a row per automaton and model, the worst and mean run."""
    found = scores(results, GAP)
    groups = found[found["method"] == INTEGRATED].groupby(["automaton", "model"], observed=True)["value"]
    return (100 * groups.agg(["mean", "max"])).reset_index()


def examples(results: Results, automaton: str, word: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A word as every model and method sees it, beside the automaton: sizes as a share of the largest, and the signs.

    Returns:
        Two tables with a row per model and method, the automaton first, and a column per position.
    """
    found = named(results.table(EXAMPLES))
    found = found[(found["automaton"] == automaton) & (found["word"] == word)]
    rows, signs = {}, {}
    for (model, method), one in found.groupby(["model", "method"], observed=True):
        one = one.sort_values("position")
        sizes = one["value"].abs()
        label = TRUTH if method == TRUTH else f"{model}: {method}"
        rows[label] = (sizes / (sizes.max() or 1.0)).tolist()
        signs[label] = [SIGNS[automaton][action] for action in one["action"]]
    order = [label for label in dict.fromkeys((TRUTH, *rows)) if label in rows]
    tables = (pd.DataFrame.from_dict(each, orient="index") for each in (rows, signs))
    sizes, letters = (each.reindex(order).rename(columns=lambda place: place + 1) for each in tables)
    return sizes, letters


def _ordered(values: Iterable[str], levels: Iterable[str]) -> pd.Categorical:
    return pd.Categorical(values, categories=list(levels), ordered=True)


def _plain(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Some columns, in the order of the page, without levels that nobody has."""
    found = table[columns].sort_values(["automaton", "model", "method", "number"], kind="stable", ignore_index=True)
    for name in found.select_dtypes("category"):
        found[name] = found[name].cat.remove_unused_categories()
    return found
