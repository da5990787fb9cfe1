"""A map of who is best where: one colour and name a model, stripes for a tie."""

from collections.abc import Hashable, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from inductive_bias.plotting.heat import readable_ink
from inductive_bias.plotting.looks import check_columns, chosen, levels_of


def winner_map(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str,
    short: Mapping[Hashable, str],
    palette: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """A grid in the colours of the levels that are best at each place; several tied ones share it in stripes.

    Args:
        data: one row a place and winner; of several at one place, the best first.
        x: column of the places from left to right.
        y: column of the places from the top down.
        hue: column of the winners.
        short: a letter or two for each winner, written into its colour so that this need not be read alone.
        palette: colour by winner; derived if not given.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for an unknown column, or if a place of the grid has no winner.
    """
    check_columns(data, x, y, hue)
    ax = ax or plt.gca()
    looks = chosen(data, hue, palette, None)
    rows, columns = levels_of(data[y]), levels_of(data[x])
    winners = {place: list(names) for place, names in data.groupby([y, x], observed=True)[hue]}
    for down, row in enumerate(rows):
        for along, column in enumerate(columns):
            names = winners.get((row, column))
            if not names:
                raise ValueError(f"nobody is best at {y} = {row!r}, {x} = {column!r}: every place needs a winner")
            width = 0.96 / len(names)
            for place, name in enumerate(names):
                left, colour = along - 0.48 + place * width, looks[name].colour
                ax.add_patch(Rectangle((left, down - 0.48), width, 0.96, facecolor=colour, edgecolor="none"))
                ax.text(left + width / 2, down, short[name], ha="center", va="center", fontsize=8.5,
                        color=readable_ink(to_rgb(colour)))  # fmt: skip
    ax.set_xticks(range(len(columns)), [str(column) for column in columns])
    ax.set_yticks(range(len(rows)), [str(row) for row in rows])
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5), xlabel=x, ylabel=y)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax
