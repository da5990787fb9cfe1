"""Curves over training or over a dose: every seed as a thin line, the mean of the seeds as a thick one."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.names import short_name
from inductive_bias.plotting.style import cell_style


def seed_curves(
    table: pd.DataFrame,
    *,
    x: str,
    y: str = "value",
    hue: str = "cell",
    unit: str = "seed",
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """One thin line a unit (a seed) and the mean over units, in the colour and marker of the cell.

    Args:
        table: tidy rows, one a unit × x.
        x: column along the axis.
        y: column of the numbers; NaN leaves a gap.
        hue: column of the cells.
        unit: column that tells the runs of one cell apart.
        ax: axes to draw on; the current ones if not given.
        legend: whether to draw one, above the axes.

    Raises:
        ValueError: for an unknown column.
    """
    for column in (x, y, hue, unit):
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")
    ax = ax or plt.gca()
    for name, rows in table.groupby(hue, sort=False):
        style = cell_style(str(name))
        for _, run in rows.sort_values(x).groupby(unit, sort=False):
            ax.plot(run[x], run[y], color=style.colour, lw=0.8, alpha=0.45, zorder=2)
        mean = rows.groupby(x)[y].mean()
        ax.plot(mean.index, mean, color=style.colour, marker=style.marker, lw=2, ms=6, mec="white", mew=0.6, zorder=3,
                label=short_name(str(name)))  # fmt: skip
    ax.set(xlabel=x, ylabel=y)
    if legend:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(table[hue].nunique(), 4))
    return ax
