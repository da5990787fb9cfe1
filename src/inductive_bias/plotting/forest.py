"""Estimates with their intervals, one a row: what a claim compares, and how far it lies from no effect."""

from collections.abc import Hashable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.plotting.labels import handles_of
from inductive_bias.plotting.looks import check_columns, chosen, levels_of
from inductive_bias.plotting.style import INK, MUTED, PAPER_DASH

_BAND = "#ececec"


def forest_plot(
    data: pd.DataFrame,
    *,
    y: str,
    estimate: str = "estimate",
    low: str = "low",
    high: str = "high",
    hue: str | None = None,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    reference: float | None = 0.0,
    least: float | str | None = None,
    paper: str | None = None,
    legend: bool = True,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """An estimate as a point and its interval as a line, a row a level of ``y``, from the top down.

    Args:
        data: one row an estimate. Where a level of ``y`` has several hues, they stand above each other in its row.
        y: column of the rows' names.
        estimate: column of the estimates.
        low: column of the lower ends; a row without finite ends has no line.
        high: column of the upper ends.
        hue: column that chooses colour and marker: a verdict, a model, a control.
        palette: colour by level of ``hue``; derived if not given.
        markers: marker by level of ``hue``; derived if not given.
        reference: where a line says "no effect"; None draws none.
        least: the smallest effect worth the name, drawn as a grey band around the reference; a column's name gives each
            row its own.
        paper: column of a paper's numbers, drawn as short dashed lines where they are not NaN.
        legend: whether to draw one above the axes (only with ``hue``).
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, or a band without a reference.
    """
    check_columns(data, y, estimate, low, high, hue, paper, least if isinstance(least, str) else None)
    if least is not None and reference is None:
        raise ValueError("a band of the least effect needs a reference to lie around")
    ax = ax or plt.gca()
    rows = levels_of(data[y])
    looks = chosen(data, hue, palette, markers) if hue else {}
    # a row is shared only where one of them has more than one estimate
    several = bool(hue) and data.groupby(y, observed=True)[hue].nunique().max() > 1
    step = 0.72 / len(looks) if several else 0.0
    for row in data.to_dict("records"):
        place = rows.index(row[y])
        if isinstance(least, str) and np.isfinite(row[least]):
            ax.fill_betweenx([place - 0.4, place + 0.4], reference - row[least], reference + row[least], color=_BAND,
                             lw=0, zorder=0.5)  # fmt: skip
        if several:
            place += (list(looks).index(row[hue]) - (len(looks) - 1) / 2) * step
        colour, marker = looks[row[hue]] if hue else (INK, "o")
        if np.isfinite([row[low], row[high]]).all():
            ax.plot([row[low], row[high]], [place] * 2, color=colour, lw=2, solid_capstyle="butt", zorder=2)
        ax.scatter(
            [row[estimate]], [place], s=46, c=colour, marker=marker, linewidths=0.7, edgecolors="white", zorder=3
        )
        if paper and np.isfinite(row[paper]):
            half = 0.42 * (step or 0.7)
            ax.plot([row[paper]] * 2, [place - half, place + half], color=MUTED, lw=1.6, ls=PAPER_DASH, zorder=4)
    if isinstance(least, int | float):
        ax.axvspan(reference - least, reference + least, color=_BAND, lw=0, zorder=0.5)
    if reference is not None:
        ax.axvline(reference, color=MUTED, lw=1, zorder=1)
    ax.set_yticks(range(len(rows)), [str(name) for name in rows])
    ax.set(ylim=(len(rows) - 0.4, -0.6), ylabel="", xlabel=estimate)
    ax.grid(visible=False, axis="y")
    if hue and legend:
        ax.legend(handles=handles_of(looks), loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(looks), 3))
    return ax
