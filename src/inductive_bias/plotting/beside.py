"""A figure of a paper, redrawn from its numbers, above the same figure of our runs: one axis for both, narrow pages."""

from collections.abc import Hashable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inductive_bias.formatting import number
from inductive_bias.plotting.labels import shorten
from inductive_bias.plotting.palette import check_columns, chosen, levels_of
from inductive_bias.plotting.seeds import seed_plot
from inductive_bias.plotting.style import INK

#: Inches: a phone shows so much without scrolling, in letters that can be read.
NARROW = 4.05
#: Inches of a row, and of a panel's title and axis.
_ROW, _REST = 0.34, 0.5
#: The titles of the two panels.
ORIGINAL, HERE = "in the text", "here"


def original_above_ours(
    original: pd.DataFrame,
    ours: pd.DataFrame,
    *,
    y: str,
    xlabel: str,
    order: Sequence[Hashable] | None = None,
    words: Mapping[str, str] | None = None,
    limits: tuple[float | None, float | None] | None = None,
    decimals: int = 3,
    titles: tuple[str, str] = (ORIGINAL, HERE),
) -> Figure:
    """Numbers of a text in the upper panel and every run of ours in the lower one, on one horizontal axis.

    Args:
        original: a row a level, with ``mean`` and, where it is known, the standard deviation ``std``, a bar.
        ours: a row a run, with ``value``; see :func:`inductive_bias.plotting.seed_plot`.
        y: column of the levels, in both.
        xlabel: of the axis.
        order: levels from the top down; those of ``ours`` if not given. In the text some may be missing.
        words: names of levels in place of their own.
        limits: of the axis.
        decimals: of the numbers that are written behind the marks.
        titles: of the panels.

    Raises:
        ValueError: for an unknown column, or an order that leaves a level out.
    """
    check_columns(original, y, "mean")
    check_columns(ours, y, "value")
    order = levels_of(ours[y]) if order is None else list(order)
    size = (NARROW, 2 * (_REST + _ROW * len(order)))
    figure, (above, below) = plt.subplots(2, 1, figsize=size, sharex=True)
    known = original[original[y].isin(order)]
    looks = chosen(ours, y, None, None, order)
    for row in known.to_dict("records"):
        style, place, spread = looks[row[y]], order.index(row[y]), row.get("std", np.nan)
        above.errorbar(row["mean"], place, xerr=spread if np.isfinite(spread) else None, color=style.colour, lw=1.4)
        above.scatter(row["mean"], place, s=44, color=style.colour, marker=style.marker, zorder=3)
        _write(above, row["mean"], place, decimals)
    above.set_yticks(range(len(order)), [str(level) for level in order])
    above.set(xlabel="")
    above.grid(visible=False, axis="y")
    above.tick_params(axis="x", labelbottom=False)
    seed_plot(ours, x="value", y=y, order=order, numbers=decimals, legend=False, ax=below)
    for ax, title in zip((above, below), titles, strict=True):
        ax.set_title(title, loc="left", fontsize=10)
        ax.set_ylim(len(order) - 0.2, -0.6)  # the last number stands above the axis
    below.set(xlabel=xlabel, ylabel="")
    if limits:
        below.set_xlim(*limits)
    shorten(figure, width=18, words=words)
    return figure


def _write(ax: Axes, value: float, place: int, decimals: int) -> None:
    ax.annotate(
        number(value, f".{decimals}f"),
        (value, place),
        xytext=(0, -5),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=8.5,
        color=INK,
    )
