"""A map of who is best where: one colour and name a model, stripes for a tie."""

from collections.abc import Hashable, Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from inductive_bias.plotting.heat import readable_ink
from inductive_bias.plotting.style import cell_style


def winner_map(
    winners: Mapping[tuple[Hashable, Hashable], Sequence[str]],
    *,
    rows: Sequence[Hashable],
    columns: Sequence[Hashable],
    short: Mapping[str, str],
    ax: Axes | None = None,
) -> Axes:
    """A grid in the colours of the models that are best at each place; several tied ones share it in stripes.

    Args:
        winners: the best models at every ``(row, column)``, the best first.
        rows: from the top down.
        columns: from left to right.
        short: a letter or two for each model, written into its colour so that this need not be read alone.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: if a place of the grid has no winner.
    """
    ax = ax or plt.gca()
    for down, row in enumerate(rows):
        for along, column in enumerate(columns):
            names = winners.get((row, column))
            if not names:
                raise ValueError(f"nobody is best at row {row!r}, column {column!r}: every place needs a winner")
            width = 0.96 / len(names)
            for place, name in enumerate(names):
                left, colour = along - 0.48 + place * width, cell_style(name).colour
                ax.add_patch(Rectangle((left, down - 0.48), width, 0.96, facecolor=colour, edgecolor="none"))
                ax.text(left + width / 2, down, short[name], ha="center", va="center", fontsize=8.5,
                        color=readable_ink(to_rgb(colour)))  # fmt: skip
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(columns)), [str(column) for column in columns])
    ax.set_yticks(range(len(rows)), [str(row) for row in rows])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax
