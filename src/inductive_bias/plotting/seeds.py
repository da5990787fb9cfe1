"""The plot of a comparison: every seed as a point, the mean and its interval beside them, never a bar."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from scipy.stats import t as student

from inductive_bias.names import short_name
from inductive_bias.plotting.style import INK, MUTED, CellStyle, cell_style

Spread = Literal["ci95", "std"]


def interval(values: Iterable[float], spread: Spread = "ci95") -> tuple[float, float, float]:
    """Mean, lower and upper end of what is drawn beside the points.

    ``ci95`` is Student's t interval of the mean, ``std`` is one sample standard deviation either way. Values that are
    not finite (a diverged run) are left out. With fewer than two values both ends are NaN, and no line is drawn.
    """
    kept = np.fromiter(values, dtype=float)
    kept = kept[np.isfinite(kept)]
    if kept.size == 0:
        return (float("nan"),) * 3
    mean = float(kept.mean())
    if kept.size == 1:
        return mean, float("nan"), float("nan")
    deviation = float(kept.std(ddof=1))
    factor = 1.0 if spread == "std" else float(student.ppf(0.975, kept.size - 1)) / kept.size**0.5
    return mean, mean - factor * deviation, mean + factor * deviation


def seed_plot(
    table: pd.DataFrame,
    *,
    x: str,
    y: str = "value",
    hue: str | None = None,
    ax: Axes | None = None,
    order: Sequence[str] | None = None,
    hue_order: Sequence[str] | None = None,
    spread: Spread = "ci95",
    reference: Mapping[str, float] | Mapping[tuple[str, str], float] | None = None,
    labels: Mapping[str, str] | None = None,
    numbers: int | None = None,
    legend: bool = True,
) -> Axes:
    """Every row of ``table`` as a point, with the mean and its interval beside the points.

    Args:
        table: tidy rows, one a seed.
        x: column of the groups along the axis; without ``hue`` its values also choose colour and marker.
        y: column of the numbers; rows that are not finite are counted under the axis label, never dropped silently.
        hue: column that splits a group, with one colour and marker for each of its values.
        ax: axes to draw on; the current ones if not given.
        order: groups from left to right; the order of appearance if not given.
        hue_order: the same for ``hue``.
        spread: ``ci95`` (95 % interval of the mean) or ``std``; the caption must name the one that is drawn.
        reference: a paper's value for a group, or for ``(group, hue)``: drawn as a short line behind the points.
        labels: words for groups under the axis, where the group's name is not what a reader should see.
        numbers: decimals of the mean, written beside it; not written if None.
        legend: whether to draw one (only with ``hue``).

    Raises:
        ValueError: for an unknown column, an unknown spread, a group in ``order`` that has no row, or one left out.
    """
    if spread not in ("ci95", "std"):
        raise ValueError(f"spread is {spread!r}; it must be 'ci95' or 'std'")
    for column in filter(None, (x, y, hue)):
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")
    ax = ax or plt.gca()
    groups = _in_order(table[x], order, x)
    shades = _in_order(table[hue], hue_order, hue) if hue else [None]
    # groups are 1 apart and 0.8 wide; a shade's points lie left of its mean
    width = 0.8 / len(shades)
    for g, group in enumerate(groups):
        for s, shade in enumerate(shades):
            rows = table[table[x] == group]
            rows = rows if shade is None else rows[rows[hue] == shade]
            values = rows[y].to_numpy(dtype=float)
            style = cell_style(str(group if shade is None else shade))
            centre = g + (s - (len(shades) - 1) / 2) * width
            target = (reference or {}).get(group if shade is None else (group, shade))
            if target is not None:
                ends = [centre - width * 0.4, centre + width * 0.4]
                ax.plot(ends, [target] * 2, color=MUTED, lw=1.5, ls=(0, (3, 1.5)))
            _draw_seeds(ax, values, centre, width, style, spread, numbers)
    words = [(labels or {}).get(group, str(group)) + _failures(table, x, group, y) for group in groups]
    ax.set_xticks(range(len(groups)), words)
    ax.set_xlim(-0.6, len(groups) - 0.4)
    ax.grid(visible=False, axis="x")
    ax.set_xlabel("")
    ax.set_ylabel(y)
    if hue and legend:
        # above the axes, where no point can lie under it
        handles = [_handle(str(shade)) for shade in shades]
        ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(shades), 3))
    return ax


def cell_legend(figure: Figure, cells: Iterable[str], *, columns: int = 3) -> Legend:
    """One legend for all panels of a figure, above them; entries run down the columns."""
    return figure.legend(handles=[_handle(name) for name in cells], loc="outside upper center", ncols=columns)


def _draw_seeds(
    ax: Axes, values: np.ndarray, centre: float, width: float, style: CellStyle, spread: Spread, numbers: int | None
) -> None:
    """Points in a narrow fan (by rank, so the picture never changes), and to their right the mean with its interval."""
    values = values[np.isfinite(values)]
    if values.size == 0:
        return
    fan = width * 0.16 * np.where(np.arange(values.size) % 2, 1, -1) * (values.size > 1)
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    ax.scatter(centre - width * 0.14 + fan[ranks], values, s=26, c=style.colour, marker=style.marker,
               alpha=0.75, linewidths=0.5, edgecolors="white", zorder=3)  # fmt: skip
    mean, low, high = interval(values, spread)
    right = centre + width * 0.24
    ax.plot([right - width * 0.09, right + width * 0.09], [mean] * 2, color=INK, lw=2, solid_capstyle="butt", zorder=4)
    if np.isfinite(low):
        ax.plot([right] * 2, [low, high], color=INK, lw=1.1, zorder=4)
    if numbers is not None:
        ax.annotate(f"{mean:.{numbers}f}", (right + width * 0.09, mean), xytext=(5, 0), textcoords="offset points",
                    va="center", fontsize=9, color=INK)  # fmt: skip


def _in_order(column: pd.Series, order: Sequence[str] | None, name: str | None) -> list:
    """The values of a column in the order asked for; an order that names too much or too little is refused."""
    if column.isna().any():
        raise ValueError(f"{int(column.isna().sum())} rows have no {name}: they would be left out of the figure")
    there = list(dict.fromkeys(column.tolist()))
    if order is None:
        return there
    if missing := [value for value in order if value not in there]:
        raise ValueError(f"no row has {name} = {missing[0]!r}; there are {', '.join(map(str, there))}")
    if forgotten := [value for value in there if value not in order]:
        raise ValueError(f"the order of {name} leaves out {forgotten[0]!r}: select rows first, so that none is lost")
    return list(order)


def _failures(table: pd.DataFrame, x: str, group: object, y: str) -> str:
    """What a tick label adds: how many runs of the group have no finite value."""
    lost = int((~np.isfinite(table.loc[table[x] == group, y].to_numpy(dtype=float))).sum())
    return f"\n({lost} diverged)" if lost else ""


def _handle(name: str) -> Line2D:
    """Legend entry of a cell."""
    style = cell_style(name)
    return Line2D([], [], color=style.colour, marker=style.marker, ls="", markersize=6, label=short_name(name))
