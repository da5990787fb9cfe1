"""Choose what is compared, and read off its differences with their intervals."""

import math
from collections.abc import Mapping

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.plotting.interactive.base import Choice, PageWidget, page_widget, rounded
from inductive_bias.plotting.palette import check_columns, levels_of

_LISTED = 3  # so many options and more unfold, so that they do not fill a phone


def forest_widget(
    data: pd.DataFrame,
    *,
    choices: Mapping[str, str],
    y: str,
    better: Mapping[str, int],
    start: Mapping[str, str],
    words: str,
    instead: str,
) -> PageWidget:
    """Lists that choose a comparison, and its estimates with their intervals, one below the other.

    All comparisons of one level of the last choice share an axis, so that they can be compared with each other.

    Args:
        data: one row an estimate: the columns of the choices, ``y``, ``estimate``, ``low``, ``high`` (infinite where
            nothing is known) and ``text``, the three as they are written.
        choices: columns that are chosen, each with its words; the last is what is measured.
        y: column of the rows' names.
        better: by level of the last choice, 1 if more is better and −1 if less is.
        start: the level of each choice at first.
        words: what a row is, with a place for each choice: ``{teacher} → {student}, minus``.
        instead: a sentence for who has no JavaScript.

    Raises:
        ValueError: for an unknown column, or a measure of which it is not said what is better.
    """
    check_columns(data, *choices, y, "estimate", "low", "high", "text")
    levels = {
        column: [level for level in levels_of(data[column]) if (data[column] == level).any()] for column in choices
    }
    *_, measure = choices
    if unknown := [level for level in levels[measure] if level not in better]:
        raise ValueError(f"it is not said whether more or less of {unknown[0]!r} is better")
    places = {column: {level: place for place, level in enumerate(found)} for column, found in levels.items()}
    rows = [
        [
            *(places[column][row[column]] for column in choices),
            row[y],
            rounded(row["estimate"], 4),
            rounded(row["low"], 4),
            rounded(row["high"], 4),
            row["text"].replace("\u00a0", " "),
        ]
        for row in data.to_dict("records")
    ]
    limits = []
    for level in levels[measure]:
        part = data[data[measure] == level]
        ends = [end for name in ("low", "estimate", "high") for end in part[name] if math.isfinite(end)]
        low, high = min([*ends, 0.0]) * 1.05, max([*ends, 0.0]) * 1.05
        limits.append([rounded(low), rounded(high)] if low < high else [-1.0, 1.0])
    controls = [
        Choice(
            column,
            text,
            [short(level).replace("\u00a0", " ") for level in levels[column]],
            places[column][start[column]],
            open=len(levels[column]) < _LISTED,
        )
        for column, text in choices.items()
    ]
    return page_widget(
        "forest",
        {
            "choices": list(choices),
            "levels": [each.options for each in controls],
            "rows": rows,
            "limits": limits,
            "better": [better[level] for level in levels[measure]],
            "words": words,
        },
        controls=controls,
        pictures={"rows": "Line: 95 % interval over seeds. Filled: the interval leaves zero out. Hollow: it is open."},
        text=f"Interactive differences: choose {', '.join(choices.values())}.",
        instead=instead,
    )
