"""Plots of estimates rather than of seeds: intervals of numbers, and lines between the cells of a 2 × 2 design."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.plotting.style import INK, MUTED, cell_style

#: The dash of the paper's marks, the same as in `seed_plot`.
_PAPER_DASH = (0, (3, 1.5))


def interval_plot(
    table: pd.DataFrame, *, x: str, y: str, low: str = "low", high: str = "high", hue: str = "cell",
    reference: str | None = None, ax: Axes | None = None
) -> Axes:  # fmt: skip
    """An estimate as a large point and its interval as a line, side by side for the cells of each group.

    Args:
        table: one row a group × cell.
        x: column of the groups along the axis.
        y: column of the estimates.
        low: column of the lower ends; a row without finite ends has no line.
        high: column of the upper ends.
        hue: column of the cells, which chooses colour and marker.
        reference: column of a paper's numbers, drawn as short dashed lines where they are not NaN.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: for an unknown column.
    """
    _check(table, (x, y, low, high, hue, *([reference] if reference else [])))
    ax = ax or plt.gca()
    groups, cells = (list(dict.fromkeys(table[name])) for name in (x, hue))
    width = 0.8 / len(cells)
    for row in table.to_dict("records"):
        place = groups.index(row[x]) + (cells.index(row[hue]) - (len(cells) - 1) / 2) * width
        style = cell_style(row[hue])
        if np.isfinite([row[low], row[high]]).all():
            ax.plot([place] * 2, [row[low], row[high]], color=style.colour, lw=2, alpha=0.6, zorder=2)
        ax.scatter([place], [row[y]], s=60, c=style.colour, marker=style.marker, linewidths=0.6, edgecolors="white",
                   zorder=3)  # fmt: skip
        if reference and np.isfinite(row[reference]):
            ends = [place - width * 0.4, place + width * 0.4]
            ax.plot(ends, [row[reference]] * 2, color=MUTED, lw=1.5, ls=_PAPER_DASH, zorder=4)
    ax.set_xticks(range(len(groups)), groups)
    ax.set(xlim=(-0.6, len(groups) - 0.4), ylabel=y)
    ax.grid(visible=False, axis="x")
    return ax


def interaction_plot(
    table: pd.DataFrame, *, x: str, line: str, y: str = "value", hue: str = "cell", ax: Axes | None = None
) -> Axes:
    """A design of two choices: every seed a point, the means of the cells joined by one line a level of ``line``.

    Parallel lines mean that the two choices add up. The first level's line is solid, the next one is dashed.

    Args:
        table: tidy rows, one a seed; each combination of ``x`` and ``line`` is one cell.
        x: column of the choice along the axis, in order of appearance.
        line: column of the other choice.
        y: column of the numbers; values that are not finite are left out.
        hue: column of the cells, which chooses colour and marker.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: for an unknown column.
    """
    _check(table, (x, line, y, hue))
    ax = ax or plt.gca()
    finite = table[np.isfinite(table[y].to_numpy(dtype=float))]
    levels, kinds = (list(dict.fromkeys(table[name])) for name in (x, line))
    for number, kind in enumerate(kinds):
        rows = finite[finite[line] == kind]
        means = rows.groupby(x)[y].mean().reindex(levels)
        # a little apart, so that the points of two lines do not lie on each other
        shift = 0.07 * (number - (len(kinds) - 1) / 2)
        places = np.arange(len(levels)) + shift
        ax.plot(places, means, color=INK, lw=1.4, ls=("-", (0, (4, 2)), ":")[number % 3], zorder=2, label=kind)
        for name, seeds in rows.groupby(hue, sort=False):
            style = cell_style(str(name))
            at = seeds[x].map(dict(zip(levels, places, strict=True)))
            ax.scatter(at, seeds[y], s=30, c=style.colour, marker=style.marker, alpha=0.8, linewidths=0.5,
                       edgecolors="white", zorder=3)  # fmt: skip
    ax.set_xticks(range(len(levels)), levels)
    ax.set(xlim=(-0.45, len(levels) - 0.55), ylabel=y)
    ax.grid(visible=False, axis="x")
    return ax


def _check(table: pd.DataFrame, columns: tuple[str, ...]) -> None:
    for column in columns:
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")
