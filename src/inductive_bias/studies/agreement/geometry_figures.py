"""Figures of where the agreement models end: a heat map in blocks of architectures, and maps with a legend in columns.

Drawing only; the frames come from :mod:`inductive_bias.studies.agreement.geometry`.
"""

from collections.abc import Iterable, Mapping
from typing import SupportsFloat

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from inductive_bias.plotting import cell_style, heat_map, path_plot, short_name
from inductive_bias.plotting.style import INK
from inductive_bias.studies.agreement.design import LADDER
from inductive_bias.studies.agreement.geometry import BY_ARCHITECTURE, SOLUTION_CELLS

#: Size of a marker, in points: undistilled models stand out from the students.
ALONE, STUDENT = 9.5, 8.0


def taught_by(cell: str) -> str:
    """``alone`` or ``by LSTM``: what distinguishes the cells of one architecture."""
    teacher, arrow, _ = cell.partition(" → ")
    return f"by {short_name(teacher)}" if arrow else "alone"


def teacher_words(cells: Iterable[str]) -> dict[str, str]:
    """Words under an axis on which all cells are of one architecture: its teachers, a long name on two lines."""
    return {cell: taught_by(cell).replace("\u00a0Transformer", "\nTransformer") for cell in cells}


def pair_words(cells: Iterable[str]) -> dict[str, str]:
    """Words under an axis with teachers and students: a pair on two lines."""
    return {cell: short_name(cell).replace("→\u00a0", "→\n") for cell in cells}


def architecture_map(means: pd.DataFrame, *, ax: Axes | None = None, label: str = "") -> Axes:
    """Mean similarities of all cells, in blocks of one architecture against another.

    Args:
        means: rows and columns are ``SOLUTION_CELLS``; NaN is grey.
        ax: axes to draw on; the current ones if not given.
        label: title of the colour bar.

    Raises:
        ValueError: if rows or columns are other cells, or in another order.
    """
    if list(means.index) != list(SOLUTION_CELLS) or list(means.columns) != list(SOLUTION_CELLS):
        raise ValueError("rows and columns must be SOLUTION_CELLS, in their order")
    ax = ax or plt.gca()
    colours = mpl.colormaps["viridis"].with_extremes(bad="#e6e6e6")
    image = ax.imshow(np.ma.masked_invalid(means.to_numpy(float)), cmap=colours)
    words = [taught_by(cell) for cell in SOLUTION_CELLS]
    ax.set_xticks(range(len(words)), words, rotation=90, fontsize=7.5)
    ax.set_yticks(range(len(words)), words, fontsize=7.5)
    start = 0
    for model, cells in BY_ARCHITECTURE.items():
        _name_block(ax, model, start + (len(cells) - 1) / 2)
        if start:
            ax.axhline(start - 0.5, color="white", lw=2)
            ax.axvline(start - 0.5, color="white", lw=2)
        start += len(cells)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.7, pad=0.02)
    return ax


def change_map(changes: pd.DataFrame, *, ax: Axes | None = None, label: str = "") -> Axes:
    """Teachers down, students along: the change of similarity of each pair, white where nothing changed.

    Args:
        changes: columns ``teacher, student, change`` (an interval), one row a pair of the ladder.
        ax: axes to draw on; the current ones if not given.
        label: title of the colour bar.
    """
    table = changes.assign(change=[interval.mean for interval in changes["change"]])
    table = table.pivot(index="teacher", columns="student", values="change").loc[list(LADDER), list(LADDER)]
    words = table.map(_signed)
    table.index = [short_name(model) for model in LADDER]
    table.columns = [short_name(model) for model in LADDER]
    ax = heat_map(table, ax=ax, centre=0.0, label=label, words=words)
    ax.set(xlabel="student", ylabel="teacher")
    return ax


def solution_maps(maps: Mapping[str, pd.DataFrame]) -> Figure:
    """One map a measure, side by side, with a legend of four columns: one an architecture, one row a teacher.

    Args:
        maps: words for a measure, and its :func:`~inductive_bias.studies.agreement.geometry.solution_map`.
    """
    figure, axes = plt.subplots(1, len(maps), figsize=(8.6, 5.6), squeeze=False)
    for ax, (words, frame) in zip(axes.flat, maps.items(), strict=True):
        for cell in sorted(frame["cell"].unique(), key=SOLUTION_CELLS.index, reverse=True):  # undistilled ones on top
            rows, style = frame[frame["cell"] == cell], cell_style(cell)
            size = STUDENT if "→" in cell else ALONE
            ax.scatter(rows["across"], rows["up"], s=size**2, c=style.colour, marker=style.marker, edgecolors="white",
                       linewidths=0.6, zorder=2 if "→" in cell else 3)  # fmt: skip
        ax.set(xticks=[], yticks=[], title=f"{words}\n(stress {frame['stress'].iloc[0]:.2f})")
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0.08)
        ax.spines[:].set_visible(True)
        ax.spines[:].set_color("#cccccc")
    figure.legend(handles=_columns(), loc="outside lower center", ncols=len(LADDER), fontsize=8, handletextpad=0.3)
    return figure


def path_panels(maps: pd.DataFrame) -> Figure:
    """One panel a number, two a row, with the paths of all its cells; one legend above.

    Args:
        maps: columns ``number, cell, epoch, across, up``, embedded jointly by number.
    """
    count = maps["number"].nunique()
    rows = -(-count // 2)
    figure, axes = plt.subplots(rows, 2, figsize=(8.4, 0.4 + 3.8 * rows), squeeze=False)
    for ax, (number, points) in zip(axes.flat, maps.groupby("number"), strict=False):
        for cell, path in points.groupby("cell", sort=False):
            path_plot(path[["across", "up"]].to_numpy(), label=str(cell), steps=path["epoch"], ax=ax)
        ax.set_title(f"teacher's seed {number}")
    for ax in axes.flat[count:]:
        ax.axis("off")
    legend_above(figure, axes[0, 0])
    return figure


def legend_above(figure: Figure, ax: Axes) -> Legend:
    """One legend for all panels, with what one of them shows."""
    handles, labels = ax.get_legend_handles_labels()
    return figure.legend(handles, [short_name(label) for label in labels], loc="outside upper center", ncols=4)


def epoch_axis(ax: Axes, epochs: Iterable[SupportsFloat]) -> None:
    """Ticks at the epochs of checkpoints; logarithmic where these are spaced that way (more than five, doubling)."""
    marks = sorted({int(float(epoch)) for epoch in epochs})
    if len(marks) > 5:
        ax.set_xscale("symlog", base=2, linthresh=1)
    ax.set_xticks(marks, [str(mark) for mark in marks], minor=False)
    ax.set_ylim(0, None)


def _signed(value: float) -> str:
    # adding zero turns -0.00, no change, into +0.00
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")


def _columns() -> list[Line2D]:
    """Handles for a legend that fills downwards: an architecture's name, then its students by teacher."""
    return [
        Line2D([], [], color=style.colour, marker=style.marker, ls="", mew=0.4, mec="white",
               ms=STUDENT if "→" in cell else ALONE, label=taught_by(cell) if "→" in cell else short_name(cell))
        for cell in SOLUTION_CELLS
        for style in [cell_style(cell)]
    ]  # fmt: skip


def _name_block(ax: Axes, model: str, middle: float) -> None:
    """The architecture's name, above its columns and to the left of the words beside its rows."""
    *first, last = short_name(model).split("\u00a0")
    name = "\n".join(filter(None, ["\u00a0".join(first), last]))
    look = {"textcoords": "offset points", "fontsize": 8.5, "fontweight": "bold", "color": INK}
    ax.annotate(name, (middle, 1), (0, 5), xycoords=ax.get_xaxis_transform(), ha="center", va="bottom", **look)
    ax.annotate(name, (0, middle), (-122, 0), xycoords=ax.get_yaxis_transform(), ha="right", va="center", rotation=90,
                multialignment="center", **look)  # fmt: skip
