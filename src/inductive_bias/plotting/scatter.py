"""Two measures against each other: every seed a point, the mean of a cell larger, arrows from one cell to another."""

from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.plotting.style import INK, MUTED, cell_style


def seed_scatter(
    table: pd.DataFrame, *, x: str, y: str, hue: str = "cell", ax: Axes | None = None, means: bool = True
) -> Axes:
    """Every row as a small point in the colour and marker of its cell, the mean of the cell as a large one.

    Args:
        table: tidy rows, one a seed; one with a coordinate that is not finite is counted in the corner, not drawn.
        x: column along.
        y: column up.
        hue: column of the cells.
        ax: axes to draw on; the current ones if not given.
        means: whether to draw them; they carry the labels of a legend.

    Raises:
        ValueError: for an unknown column.
    """
    _check(table, (x, y, hue))
    ax = ax or plt.gca()
    finite = table[np.isfinite(table[[x, y]].to_numpy(dtype=float)).all(axis=1)]
    for name, rows in finite.groupby(hue, sort=False):
        style = cell_style(str(name))
        ax.scatter(rows[x], rows[y], s=24, c=style.colour, marker=style.marker, alpha=0.6, linewidths=0.5,
                   edgecolors="white", zorder=3)  # fmt: skip
        if means:
            ax.scatter(rows[x].mean(), rows[y].mean(), s=95, c=style.colour, marker=style.marker, linewidths=1.1,
                       edgecolors=INK, zorder=5, label=str(name))  # fmt: skip
    if lost := len(table) - len(finite):
        ax.annotate(f"{lost} not finite", (0.99, 0.01), xycoords="axes fraction", ha="right", fontsize=8, color=MUTED)
    ax.set(xlabel=x, ylabel=y)
    ax.margins(0.08)
    return ax


def mean_arrows(
    table: pd.DataFrame, pairs: Iterable[tuple[str, str]], *, x: str, y: str, hue: str = "cell", ax: Axes | None = None
) -> Axes:
    """An arrow from the mean of the first cell of each pair to that of the second, in the colour of the second.

    Args:
        table: tidy rows, one a seed.
        pairs: ``(from, to)``, names of cells.
        x: column along.
        y: column up.
        hue: column of the cells.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: for an unknown column, or a cell without rows or without a finite one.
    """
    _check(table, (x, y, hue))
    ax = ax or plt.gca()
    # a run counts with both of its coordinates or not at all, as among the points
    numbers = table[[x, y]].astype(float)
    numbers[~np.isfinite(numbers).all(axis=1).to_numpy()] = np.nan
    means = numbers.groupby(table[hue], sort=False).mean()
    for pair in pairs:
        if missing := [name for name in pair if name not in means.index]:
            raise ValueError(f"no row has {hue} = {missing[0]!r}; there are {', '.join(map(str, means.index))}")
        if lost := [name for name in pair if not np.isfinite(means.loc[name]).all()]:
            raise ValueError(f"cell {lost[0]!r} has no finite run: there is nowhere for an arrow to end")
        start, end = (means.loc[name].tolist() for name in pair)
        look = {"arrowstyle": "-|>", "color": cell_style(pair[1]).colour, "lw": 1.6, "shrinkA": 6, "shrinkB": 7}
        ax.annotate("", xy=end, xytext=start, arrowprops=look, zorder=4)
    return ax


def _check(table: pd.DataFrame, columns: Iterable[str]) -> None:
    for column in columns:
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")
