"""The plot of a comparison: every seed as a point, the mean and its interval beside them, never a bar.

seaborn's strip and point plots lie on each other, place points at random and drop diverged runs silently; this one
does not. It takes seaborn's arguments and serves `sns.FacetGrid.map_dataframe` too.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from pandas.api.types import is_numeric_dtype
from scipy.stats import t as student

from inductive_bias.formatting import number
from inductive_bias.plotting.labels import handles_of
from inductive_bias.plotting.palette import Look, check_columns, chosen, levels_of
from inductive_bias.plotting.style import INK, MUTED, PAPER_DASH

#: Levels are 1 apart; all hues of one level together take so much.
WIDTH = 0.8


def t_interval(values: Iterable[float]) -> tuple[float, float]:
    """Ends of Student's 95 % interval of the mean, for seaborn's ``errorbar``; NaN of fewer than two values."""
    kept = np.fromiter(values, dtype=float)
    kept = kept[np.isfinite(kept)]
    if kept.size < 2:
        return float("nan"), float("nan")
    half = float(student.ppf(0.975, kept.size - 1) * kept.std(ddof=1) / kept.size**0.5)
    return float(kept.mean()) - half, float(kept.mean()) + half


def seed_plot(
    data: pd.DataFrame,
    *,
    x: str,
    y: str = "value",
    hue: str | None = None,
    order: Sequence[Hashable] | None = None,
    hue_order: Sequence[Hashable] | None = None,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    paper: pd.DataFrame | None = None,
    numbers: int | None = None,
    legend: bool = True,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """Every row of ``data`` as a point, with the mean and its 95 % t interval to the right of the points.

    Args:
        data: tidy rows, one a seed.
        x: column of the levels along the axis; without ``hue`` they also choose colour and marker.
        y: column of the numbers; rows that are not finite are counted under the tick, never dropped silently. If ``x``
            holds the numbers and ``y`` words, the levels go from the top down: room for long names.
        hue: column that splits a level.
        order: levels from left to right; seaborn's order if not given.
        hue_order: the same for ``hue``.
        palette: colour by level of ``hue``; derived if not given.
        markers: marker by level of ``hue``; derived if not given.
        paper: the paper's numbers (columns ``x``, ``hue`` and ``mean``), marked by `paper_marks`.
        numbers: decimals of the mean, written beside it; not written if None.
        legend: whether to draw one above the axes, of the hues and the paper's marks.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, a row without a level, or an order that leaves a level out.
    """
    check_columns(data, x, y, hue)
    ax = ax or plt.gca()
    lying = is_numeric_dtype(data[x]) and not is_numeric_dtype(data[y])
    x, y = (y, x) if lying else (x, y)
    shade = hue or x
    looks = chosen(data, shade, palette, markers, hue_order if hue else hue_order or order)
    levels = levels_of(data[x]) if order is None else list(order)
    _check_order(data, x, levels)
    _check_order(data, shade, list(looks))
    dodged = hue not in (None, x)
    places = _places(levels, list(looks) if dodged else None)
    if dodged:
        places |= _of_one_kind(levels, shade, x, data, paper)
    width = WIDTH / (len(looks) if dodged else 1)
    for (level, kind), centre in places.items():
        rows = data[(data[x] == level) & ((data[shade] == kind) if dodged else True)]
        for own, seeds in rows.groupby(shade, sort=False, observed=True):
            _draw_seeds(_Flat(ax, lying), seeds[y].to_numpy(dtype=float), centre, width, looks[own], numbers)
    _label_levels(ax, levels, _diverged(data, x, y, levels), y, lying=lying)
    handles = handles_of(looks) if dodged else []
    if paper is not None:
        _mark(_Flat(ax, lying), paper, places, x=x, y="mean", hue=hue if dodged else None, width=width)
        handles.append(Line2D([], [], color=MUTED, lw=1.8, ls=PAPER_DASH, label="the paper"))
    if handles and legend:
        # above the axes, where no point can lie under it
        ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(handles), 3))
    return ax


def paper_marks(
    ax: Axes,
    paper: pd.DataFrame,
    *,
    x: str,
    y: str = "mean",
    hue: str | None = None,
    order: Sequence[Hashable],
    hue_order: Sequence[Hashable] = (),
    lying: bool = False,
) -> Axes:
    """A paper's numbers as short dashed lines, where `seed_plot` or seaborn's categorical plots draw the same levels.

    Args:
        ax: axes that show the levels.
        paper: one row a number; rows of levels that are not drawn are left out.
        x: column of the levels along the axis.
        y: column of the numbers.
        hue: column that splits a level (seaborn: ``dodge=True``).
        order: levels from left to right, as drawn.
        hue_order: the same for ``hue``.
        lying: whether the levels go from the top down.

    Raises:
        ValueError: for an unknown column.
    """
    places, width = _places(order, hue_order if hue else None), WIDTH / (len(hue_order) if hue else 1)
    _mark(_Flat(ax, lying), paper, places, x=x, y=y, hue=hue, width=width)
    return ax


def _mark(
    ax: "_Flat",
    paper: pd.DataFrame,
    places: Mapping[tuple[Hashable, Hashable | None], float],
    *,
    x: str,
    y: str,
    hue: str | None,
    width: float,
) -> None:
    check_columns(paper, x, y, hue)
    reach = 0.4 * width
    for row in paper.to_dict("records"):
        centre = places.get((row[x], row[hue] if hue else None))
        if centre is not None and np.isfinite(row[y]):
            ax.plot([centre - reach, centre + reach], [row[y]] * 2, color=MUTED, lw=1.8, ls=PAPER_DASH, zorder=2.5)


def _places(
    levels: Sequence[Hashable], shades: Sequence[Hashable] | None
) -> dict[tuple[Hashable, Hashable | None], float]:
    """The middle of every (level, hue) on the axis."""
    kinds = shades or [None]
    width = WIDTH / len(kinds)
    return {
        (level, kind): place + (k - (len(kinds) - 1) / 2) * width
        for place, level in enumerate(levels)
        for k, kind in enumerate(kinds)
    }


def _of_one_kind(
    levels: Sequence[Hashable], hue: str, x: str, *tables: pd.DataFrame | None
) -> dict[tuple[Hashable, Hashable], float]:
    """Levels of which only one hue is there, in any of the tables: it stands at the level's name, beside no other."""
    columns = [table[[x, hue]] for table in tables if table is not None and {x, hue} <= set(table.columns)]
    pairs = pd.concat(columns).drop_duplicates()
    pairs = pairs[~pairs.duplicated(x, keep=False)]
    return {
        (level, kind): float(levels.index(level)) for level, kind in pairs.itertuples(index=False) if level in levels
    }


class _Flat(NamedTuple):
    """Axes that take the place of a level first and its number second, whichever way they lie."""

    ax: Axes
    lying: bool

    def plot(self, places: Sequence[float], values: Sequence[float], **look: object) -> None:
        self.ax.plot(*((values, places) if self.lying else (places, values)), **look)

    def scatter(self, places: np.ndarray, values: np.ndarray, **look: object) -> None:
        self.ax.scatter(*((values, places) if self.lying else (places, values)), **look)

    def write(self, text: str, place: float, value: float) -> None:
        beside = {"xy": (value, place), "xytext": (0, -4), "ha": "center", "va": "top"}
        right = {"xy": (place, value), "xytext": (3, 0), "va": "center"}
        self.ax.annotate(text, textcoords="offset points", fontsize=8.5, color=INK, **(beside if self.lying else right))


def _draw_seeds(ax: _Flat, values: np.ndarray, centre: float, width: float, style: Look, numbers: int | None) -> None:
    """Points in a narrow fan (by rank, so the picture never changes), and to their right the mean with its interval."""
    values = values[np.isfinite(values)]
    if values.size == 0:
        return
    fan = width * 0.16 * np.where(np.arange(values.size) % 2, 1, -1) * (values.size > 1)
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    ax.scatter(
        centre - width * 0.14 + fan[ranks],
        values,
        s=26,
        c=style.colour,
        marker=style.marker,
        alpha=0.75,
        linewidths=0.5,
        edgecolors="white",
        zorder=3,
    )
    mean, (low, high) = float(values.mean()), t_interval(values)
    right = centre + width * 0.24
    ax.plot([right - width * 0.09, right + width * 0.09], [mean] * 2, color=INK, lw=2, solid_capstyle="butt", zorder=4)
    if np.isfinite(low):
        ax.plot([right] * 2, [low, high], color=INK, lw=1.1, zorder=4)
    if numbers is not None:
        ax.write(number(mean, f".{numbers}f"), right + width * 0.09, mean)


def _diverged(data: pd.DataFrame, x: str, y: str, levels: Sequence[Hashable]) -> dict[Hashable, int]:
    """How many rows of each level are not finite."""
    finite = np.isfinite(data[y].to_numpy(dtype=float))
    return {level: int((~finite & (data[x] == level).to_numpy()).sum()) for level in levels}


def _label_levels(ax: Axes, levels: Sequence[Hashable], lost: Mapping[Hashable, int], y: str, *, lying: bool) -> None:
    """Ticks with the names of the levels and the number of diverged rows; ``y`` names the other axis."""
    words = [f"{level}\n({lost[level]} diverged)" if lost[level] else str(level) for level in levels]
    ends = (-0.6, len(levels) - 0.4)
    if lying:
        ax.set_yticks(range(len(levels)), words)
        ax.set(ylim=ends[::-1], xlabel=y, ylabel="")
    else:
        ax.set_xticks(range(len(levels)), words)
        ax.set(xlim=ends, xlabel="", ylabel=y)
    ax.grid(visible=False, axis="y" if lying else "x")


def _check_order(data: pd.DataFrame, column: str, levels: Sequence[Hashable]) -> None:
    """Refuse rows that would be left out of the figure."""
    if data[column].isna().any():
        raise ValueError(
            f"{int(data[column].isna().sum())} rows have no {column}: they would be left out of the figure"
        )
    if forgotten := [level for level in data[column].unique().tolist() if level not in levels]:
        raise ValueError(f"the order of {column} leaves out {forgotten[0]!r}: select rows first, so that none is lost")
