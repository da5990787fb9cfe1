"""What seaborn's scatter plots lack: arrows from mean to mean, paths of training, planes without units."""

from collections.abc import Hashable, Mapping
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.formatting import short
from inductive_bias.plotting.palette import Look, check_columns, chosen, levels_of
from inductive_bias.plotting.palette import palette as derived
from inductive_bias.plotting.style import INK


def unitless(ax: Axes) -> Axes:
    """Equal scale and no ticks: an embedding (multidimensional scaling, say) has distances and nothing else."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color("#cccccc")
    return ax


def path_plot(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    step: str = "epoch",
    hue: str | None = None,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """Training paths in a plane: consecutive checkpoints joined by arrows and numbered, where there is room.

    Args:
        data: one row a checkpoint, in order of training; without ``hue`` it is one path.
        x: column along.
        y: column up.
        step: column of what is written at a checkpoint.
        hue: column that tells paths apart.
        palette: colour by level of ``hue``; derived if not given.
        markers: marker by level of ``hue``; derived if not given.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column.
    """
    check_columns(data, x, y, step, hue)
    ax = ax or plt.gca()
    looks = chosen(data, hue, palette, markers) if hue else {None: Look(INK, "o")}
    for level, look in looks.items():
        path = data if hue is None else data[data[hue] == level]
        if len(path):
            _draw_path(ax, path[[x, y]].to_numpy(dtype=float), path[step].tolist(), look, level)
    return unitless(ax)


def mean_arrows(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str,
    start: Hashable,
    within: str | None = None,
    palette: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """Arrows from the mean of the rows whose ``hue`` is ``start`` to those of the other hues, each in its colour.

    Args:
        data: tidy rows, one a seed; a run counts with both of its numbers finite or not at all.
        x: column along.
        y: column up.
        hue: column of the levels that are compared: a teacher, a control.
        start: the level at which every arrow begins: ``"none"``.
        within: column of groups that have arrows of their own: a student's model.
        palette: colour by level of ``hue``; derived if not given.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, or an end of an arrow without a finite run.
    """
    check_columns(data, x, y, hue, within)
    ax = ax or plt.gca()
    colours = palette or derived(data[hue])
    groups = [(None, data)] if within is None else data.groupby(within, sort=False, observed=True)
    for group, rows in groups:
        numbers = rows[[x, y]].astype(float)
        numbers[~np.isfinite(numbers).all(axis=1)] = np.nan
        means = numbers.groupby(rows[hue], observed=True).mean()
        place = "" if within is None else f" within {within} = {group!r}"
        if start not in means.index:
            raise ValueError(f"no row has {hue} = {start!r}{place}; there are {', '.join(map(str, means.index))}")
        if lost := [level for level in means.index if not np.isfinite(means.loc[level]).all()]:
            raise ValueError(f"{hue} = {lost[0]!r} has no finite run{place}: there is nowhere for an arrow to end")
        for level in [level for level in levels_of(data[hue]) if level in means.index and level != start]:
            look = {"arrowstyle": "-|>", "color": colours[level], "lw": 1.6, "shrinkA": 6, "shrinkB": 7}
            ends = [tuple(means.loc[name]) for name in (level, start)]
            ax.annotate("", xy=ends[0], xytext=ends[1], arrowprops=look, zorder=4)
    return ax


def _draw_path(ax: Axes, points: np.ndarray, steps: list, look: Look, level: Hashable | None) -> None:
    arrow = {"arrowstyle": "-|>", "color": look.colour, "lw": 1.3, "shrinkA": 3, "shrinkB": 4}
    for begin, end in pairwise(points):
        ax.annotate("", xy=end, xytext=begin, arrowprops=arrow, zorder=2)
    sizes = np.where(np.arange(len(points)) == len(points) - 1, 70, 26)  # the last one is where training ended
    ax.scatter(
        *points.T,
        s=sizes,
        c=look.colour,
        marker=look.marker,
        edgecolors="white",
        linewidths=0.6,
        zorder=3,
        label=None if level is None else short(level),
    )
    for place in _labelled(points):
        ax.annotate(
            f"{steps[place]:g}" if isinstance(steps[place], float) else str(steps[place]),
            points[place],
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=7.5,
            color=INK,
            zorder=4,
        )


def _labelled(points: np.ndarray, room: float = 0.15) -> list[int]:
    """Checkpoints that get a number: the last, and each that lies apart from those already numbered.

    Late checkpoints crowd; numbers on top of each other would say less than fewer of them. ``room`` is a share of the
    path's extent.
    """
    extent = np.linalg.norm(np.ptp(points, axis=0))
    kept = [len(points) - 1]
    for place in range(len(points) - 1):
        if np.linalg.norm(points[kept] - points[place], axis=1).min() > room * extent:
            kept.append(place)
    return sorted(kept)
