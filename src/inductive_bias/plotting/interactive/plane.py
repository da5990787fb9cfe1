"""A plane of two settings: sliders choose a place, and every run made there is shown."""

import math
from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.plotting.interactive.base import PageWidget, Slider, page_widget, rounded
from inductive_bias.plotting.palette import check_columns, levels_of
from inductive_bias.plotting.palette import palette as derived


def plane_widget(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str,
    best: pd.DataFrame,
    letters: Mapping[Hashable, str],
    words: Mapping[str, str],
    instead: str,
    palette: Mapping[Hashable, str] | None = None,
) -> PageWidget:
    """Two sliders over a plane, a map of who is best where, and all runs at the chosen place on a logarithmic scale.

    Args:
        data: tidy rows with the positive number ``value``, less of which is better; NaN where a run diverged.
        x: column of numbers along the plane.
        y: column of numbers up the plane.
        hue: column of what is compared.
        best: at least one row a place: ``x``, ``y`` and one of ``hue``, the best first; more than one are tied.
        letters: a letter by level of ``hue``, for the map.
        words: for ``x``, ``y`` and ``value``.
        instead: a sentence for who has no JavaScript.
        palette: colour by level of ``hue``; derived if not given.

    Raises:
        ValueError: for an unknown column, a number that is not positive, or a place of which nothing is known.
    """
    check_columns(data, x, y, hue, "value")
    check_columns(best, x, y, hue)
    along, up = (sorted(data[column].unique().tolist()) for column in (x, y))
    names = [name for name in levels_of(data[hue]) if (data[hue] == name).any()]
    numbers = data["value"][np.isfinite(data["value"])]
    if len(numbers) == 0 or numbers.min() <= 0:
        raise ValueError("a logarithmic scale needs positive numbers")
    runs = {place: rows for place, rows in data.groupby([y, x, hue], observed=True)["value"]}
    first = {place: [names.index(name) for name in rows] for place, rows in best.groupby([y, x], observed=True)[hue]}
    if lost := [(v, u) for v in up for u in along if (v, u) not in first]:
        raise ValueError(f"nothing is the best at {y} = {lost[0][0]}, {x} = {lost[0][1]}")

    def shown(place: tuple) -> list[float | None]:
        return [rounded(value, 4) for value in runs.get(place, ())]

    data_ = {
        "names": [short(name) for name in names],
        "letters": [letters[name] for name in names],
        "x": [f"{value:g}" for value in along],
        "y": [f"{value:,}" for value in up],
        "words": [words[column] for column in (x, y, "value")],
        "runs": [[[shown((v, u, name)) for name in names] for u in along] for v in up],
        "best": [[first[v, u] for u in along] for v in up],
        "axis": _decades(numbers.min(), numbers.max()),
    }
    colours = palette or derived(data[hue])
    return page_widget(
        "plane",
        data_,
        controls=[
            Slider("x", words[x], 0, len(along) - 1, len(along) // 2),
            Slider("y", words[y], 0, len(up) - 1, len(up) // 2),
        ],
        pictures={
            "map": f"Letter: the lowest mean log error ({', '.join(f'{letters[name]} {name}' for name in names)}). "
            "Several letters: the seeds show a tie. Frame: the chosen place.",
            "rows": "Point: one run. Bar and number: mean.",
        },
        text=f"Interactive plane of {words['value']} by {words[x]} and {words[y]}.",
        instead=instead,
        colours=[colours[name] for name in names],
    )


def _decades(least: float, most: float) -> dict[str, object]:
    """A logarithmic axis with a tick a decade that holds all numbers."""
    powers = range(math.ceil(math.log10(least) - 1e-9), math.floor(math.log10(most) + 1e-9) + 1)
    return {"low": rounded(least * 0.9), "high": rounded(most * 1.1), "ticks": [10.0**power for power in powers]}
