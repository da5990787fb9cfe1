"""A map of who is best where: every level has its own corner of a place, and its marker stands there if it is."""

import math
from collections.abc import Hashable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from inductive_bias.plotting.palette import check_columns, chosen, levels_of

_GROUND = "#f1f1f1"


def winner_map(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """A grid with the markers of the levels that are best at each place, each level in the same corner everywhere.

    Args:
        data: one row a place and winner; several at one place are tied.
        x: column of the places from left to right.
        y: column of the places from the top down.
        hue: column of the winners; of a categorical column all categories have a corner, from the upper left on.
        palette: colour by winner; derived if not given.
        markers: marker by winner; derived if not given.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, or if a place of the grid has no winner.
    """
    check_columns(data, x, y, hue)
    ax = ax or plt.gca()
    looks = chosen(data, hue, palette, markers)
    corners = dict(zip(looks, _corners(len(looks)), strict=True))
    rows, columns = levels_of(data[y]), levels_of(data[x])
    winners = {place: list(names) for place, names in data.groupby([y, x], observed=True)[hue]}
    for down, row in enumerate(rows):
        for along, column in enumerate(columns):
            names = winners.get((row, column))
            if not names:
                raise ValueError(f"nobody is best at {y} = {row!r}, {x} = {column!r}: every place needs a winner")
            ax.add_patch(Rectangle((along - 0.47, down - 0.47), 0.94, 0.94, facecolor=_GROUND, edgecolor="none"))
            for name in names:
                place = np.add((along, down), corners[name])
                ax.scatter(*place, s=52, c=looks[name].colour, marker=looks[name].marker, lw=0, zorder=3)
    ax.set_xticks(range(len(columns)), [str(column) for column in columns])
    ax.set_yticks(range(len(rows)), [str(row) for row in rows])
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5), xlabel=x, ylabel=y)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax


def _corners(count: int) -> list[tuple[float, float]]:
    """Places for so many markers within one of the grid, row by row, as square as can be."""
    wide = math.ceil(math.sqrt(count))
    high = math.ceil(count / wide)
    across, down = ((np.arange(many) + 0.5) / many * 0.84 - 0.42 for many in (wide, high))
    return [(float(across[place % wide]), float(down[place // wide])) for place in range(count)]
