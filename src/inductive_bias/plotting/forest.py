"""Estimates with their intervals, one a row: what a claim compares, and how far it lies from no effect."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.markers import CARETLEFTBASE, CARETRIGHTBASE

from inductive_bias.formatting import number
from inductive_bias.plotting.labels import handles_of
from inductive_bias.plotting.palette import Look, check_columns, chosen, levels_of
from inductive_bias.plotting.style import INK, MUTED, PAPER_DASH

_BAND = "#ececec"
#: Rows that a heading takes, and the part of a row that a band fills to either side.
_HEADING, _HALF = 0.9, 0.4


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
    letters: Mapping[Hashable, str] | None = None,
    group: str | None = None,
    references: Sequence[float] = (0.0,),
    bands: str | None = None,
    paper: str | None = None,
    limits: tuple[float, float] | None = None,
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
        low: column of the lower ends; without ``limits`` a row without finite ends has no line.
        high: column of the upper ends.
        hue: column that chooses colour and marker: a verdict, a model, a control.
        palette: colour by level of ``hue``; derived if not given.
        markers: marker by level of ``hue``; derived if not given.
        letters: a letter by level of ``hue``, written behind the row's name in its colour, so that neither colour nor
            marker must be read alone.
        group: column whose levels stand as headings above their rows.
        references: where lines say what to compare with, such as "no effect".
        bands: column of pairs of ends, drawn as grey bands: where a rule wants the estimate. An end may be infinite.
        paper: column of a paper's numbers, drawn as short dashed lines where they are not NaN.
        limits: of the axis. A line that leaves it ends in an arrow, an estimate beyond it is written out at the edge.
        legend: whether to draw one above the axes (only with ``hue``).
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, or letters without a hue.
    """
    check_columns(data, y, estimate, low, high, hue, group, bands, paper)
    if letters and not hue:
        raise ValueError("letters need a hue, whose levels they stand for")
    ax = ax or plt.gca()
    looks = chosen(data, hue, palette, markers) if hue else {}
    # a row is shared only where one of them has more than one estimate
    several = bool(hue) and data.groupby(y, observed=True)[hue].nunique().max() > 1
    step = 0.72 / len(looks) if several else 0.0
    places, headings = _places(data, y, group)
    if limits:
        ax.set_xlim(limits)
    for row in data.to_dict("records"):
        place = places[row[y]]
        if several:
            place += (list(looks).index(row[hue]) - (len(looks) - 1) / 2) * step
        look = looks[row[hue]] if hue else Look(INK, "o")
        _estimate(ax, (row[low], row[estimate], row[high]), place, look, limits)
        if paper and np.isfinite(row[paper]):
            half = 0.42 * (step or 0.7)
            ax.plot([row[paper]] * 2, [place - half, place + half], color=MUTED, lw=1.6, ls=PAPER_DASH, zorder=4)
    for place in references:
        ax.axvline(place, color=MUTED, lw=1, zorder=1)
    for text, place in headings.items():
        ax.text(0.0, place, text, transform=ax.get_yaxis_transform(), va="center", weight="bold", fontsize=9)
    if bands:
        _draw_bands(ax, {places[row[y]]: row[bands] for row in data.to_dict("records")})
    hues = data.drop_duplicates(y).set_index(y)[hue] if letters else {}
    ax.set_yticks(list(places.values()), [f"{name} {letters[hues[name]]}" if letters else str(name) for name in places])
    for tick, name in zip(ax.get_yticklabels() if letters else (), places, strict=False):
        tick.set_color(looks[hues[name]].colour)
    ax.set(ylim=(max(places.values(), default=0) + 0.6, -0.6), ylabel="", xlabel=estimate)
    ax.grid(visible=False, axis="y")
    if hue and legend:
        words = {level: f"{level} ({letters[level]})" for level in looks} if letters else None
        ax.legend(
            handles=handles_of(looks, words), loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(looks), 3)
        )
    return ax


def _places(data: pd.DataFrame, y: str, group: str | None) -> tuple[dict[Hashable, float], dict[str, float]]:
    """The place of every row from the top down, and of every heading; a row is under its first heading."""
    names = levels_of(data[y])
    if group is None:
        return {name: float(place) for place, name in enumerate(names)}, {}
    under = data.drop_duplicates(y).set_index(y)[group]
    places, headings, top = {}, {}, 0.0
    for heading in dict.fromkeys(under[name] for name in names):
        headings[str(heading)] = top
        members = [name for name in names if under[name] == heading]
        places |= {name: top + _HEADING + place for place, name in enumerate(members)}
        top += _HEADING + len(members)
    return places, headings


def _draw_bands(ax: Axes, regions: Mapping[float, Iterable[tuple[float, float]]]) -> None:
    """Behind the row at each place; an infinite end is the edge of the axes, which stays where it is."""
    left, right = ax.get_xlim()
    for place, pairs in regions.items():
        for low, high in pairs:
            ends = max(low, left), min(high, right)
            if ends[0] < ends[1]:
                ax.fill_betweenx([place - _HALF, place + _HALF], *ends, color=_BAND, lw=0, zorder=0.5)
    ax.set_xlim(left, right)


def _estimate(
    ax: Axes, numbers: tuple[float, float, float], place: float, look: Look, limits: tuple[float, float] | None
) -> None:
    """One point with its line, cut at the limits."""
    least, most = limits or (-np.inf, np.inf)
    low, middle, high = numbers
    ends = np.clip([low, high], least, most)
    if np.isfinite(ends).all():
        ax.plot(ends, [place] * 2, color=look.colour, lw=2, solid_capstyle="butt", zorder=2)
        for end, beyond, arrow in ((least, low < least, CARETLEFTBASE), (most, high > most, CARETRIGHTBASE)):
            if beyond:
                ax.plot([end], [place], color=look.colour, marker=arrow, ms=7, clip_on=False, zorder=3)
    if least <= middle <= most:
        ax.scatter([middle], [place], s=46, c=look.colour, marker=look.marker, lw=0.7, edgecolors="white", zorder=3)
    else:
        text, left = number(middle, "+.0f"), middle < least
        ax.annotate(
            text,
            (least if left else most, place),
            xytext=(6 if left else -6, 0),
            textcoords="offset points",
            ha="left" if left else "right",
            va="center",
            color=look.colour,
            weight="bold",
            fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
