"""Words of a figure: levels are full names, ticks and legends have room for short ones."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from inductive_bias.formatting import short
from inductive_bias.plotting.palette import Look, levels_of
from inductive_bias.plotting.palette import markers as derived_markers
from inductive_bias.plotting.palette import palette as derived_palette

Drawn = Axes | Figure | sns.axisgrid.Grid


def shorten(drawn: Drawn, *, width: int = 16, words: Mapping[str, str] | None = None) -> None:
    """Write the short names of levels at the ticks, in the legends and in the titles of what has been drawn.

    Args:
        drawn: axes, a figure with all of its axes, or a grid of seaborn.
        width: characters of a line of a tick's label; legends and titles keep one line.
        words: what to write instead of a level, where its name alone does not say it: ``{"none": "no teacher"}``.
    """
    instead = words or {}

    def named(text: str, room: int | None) -> str:
        lines = text.split("\n")  # a count of diverged runs keeps its own line
        return "\n".join(short(instead.get(line, line), width=room) for line in lines)

    for ax in _axes_of(drawn):
        for axis in (ax.xaxis, ax.yaxis):
            _shorten_ticks(axis, partial(named, room=width))
        ax.set_title(named(ax.get_title(), None))
    for legend in _legends_of(drawn):
        for text in legend.get_texts():
            text.set_text(named(text.get_text(), None))
    if isinstance(drawn, sns.axisgrid.Grid) and not isinstance(
        drawn.figure.get_layout_engine(), ConstrainedLayoutEngine
    ):
        drawn.tight_layout()  # seaborn left room for the long names


def level_legend(
    drawn: Drawn,
    levels: Iterable[Hashable],
    *,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    words: Mapping[Hashable, str] | None = None,
    title: str | None = None,
    columns: int = 3,
    lines: bool = False,
) -> Legend:
    """One legend for all panels of a figure, above them; entries run down the columns.

    Args:
        drawn: the figure, or whatever lies on it.
        levels: a column of the frame, or the levels themselves.
        palette: colours, if not those of `palette`.
        markers: markers, if not those of `markers`.
        words: what to write instead of a level.
        title: of the legend.
        columns: side by side.
        lines: without markers, for levels that are drawn as lines alone.
    """
    names = levels_of(levels)
    colours, signs = palette or derived_palette(names), markers or derived_markers(names)
    figure = drawn if isinstance(drawn, Figure) else drawn.figure
    figure.set_layout_engine("constrained")  # seaborn's grids have set another, which leaves no room outside
    handles = handles_of({level: Look(colours[level], signs[level]) for level in names}, words)
    if lines:
        for handle in handles:
            handle.set(linestyle="-", marker="")
    return figure.legend(handles=handles, loc="outside upper center", ncols=columns, title=title)


def handles_of(entries: Mapping[Hashable, Look], words: Mapping[Hashable, str] | None = None) -> list[Line2D]:
    """Entries of a legend."""
    return [
        Line2D(
            [],
            [],
            color=look.colour,
            marker=look.marker,
            ls="",
            markersize=6,
            label=short((words or {}).get(level, level)),
        )
        for level, look in entries.items()
    ]


def _axes_of(drawn: Drawn) -> Iterator[Axes]:
    if isinstance(drawn, Axes):
        return iter([drawn])
    return iter((drawn if isinstance(drawn, Figure) else drawn.figure).axes)


def _legends_of(drawn: Drawn) -> list[Legend]:
    figure = None if isinstance(drawn, Axes) else drawn if isinstance(drawn, Figure) else drawn.figure
    legends = [legend for ax in _axes_of(drawn) if (legend := ax.get_legend())]
    return legends + (list(figure.legends) if figure else [])


def _shorten_ticks(axis: Axis, named: Callable[[str], str]) -> None:
    """Rewrite the labels of an axis of words; numbers are left alone."""
    labels = [label.get_text() for label in axis.get_majorticklabels()]
    if not any(character.isalpha() for label in labels for character in label.replace("mathdefault", "")):
        return
    axis.set_ticks(np.asarray(axis.get_majorticklocs()), [named(label) for label in labels])
