"""Small maps of who reaches whom in a sentence: one row a model, one column a measure, one colour scale."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure

from inductive_bias.plotting.palette import SIZES
from inductive_bias.plotting.style import INK, MUTED

#: Ends of the colour scale. Exact zeros are left white; what is below the scale has its palest colour.
LIMITS = (5e-3, 1.0)


def reach_map(reach: np.ndarray, words: Sequence[str], *, ax: Axes | None = None) -> Axes:
    """One map: row i is a state, column j a word. A map of nothing but 0 and 1 is drawn in grey: it has no strength.

    Args:
        reach: ``[i, j]``, not negative.
        words: of the sentence, one a row.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: if ``reach`` is not square, is negative somewhere, or has not one row a word.
    """
    if reach.shape != (len(words), len(words)) or (reach < 0).any():
        raise ValueError(f"reach must be ≥ 0 and {len(words)} × {len(words)}, not of the shape {reach.shape}")
    ax = ax or plt.gca()
    shown = np.ma.masked_equal(reach, 0)
    if set(np.unique(reach)) <= {0.0, 1.0}:
        ax.imshow(shown, cmap=ListedColormap([MUTED]))
    else:
        ax.imshow(shown, cmap=mpl.colormaps[f"{SIZES}_r"], norm=LogNorm(*LIMITS, clip=True))
    ax.set_xticks(range(len(words)), words, rotation=90, fontsize=8)
    ax.set_yticks(range(len(words)), words, fontsize=8)
    ax.set_xticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.grid(visible=False)
    ax.grid(which="minor", color="#e4e4e4", lw=0.5)
    ax.tick_params(which="both", length=0, pad=1)
    ax.spines[:].set_visible(True)
    ax.spines[:].set_linewidth(0.6)
    return ax


def reach_grid(maps: Mapping[str, Mapping[str, np.ndarray]], words: Mapping[str, Sequence[str]]) -> Figure:
    """A new figure: a row a model, a column a measure, words at the outer edges, one colour bar below.

    Args:
        maps: by model, then by measure: ``[i, j]``.
        words: by model, of the sentence as that model reads it.
    """
    columns = list(next(iter(maps.values())))
    figure, axes = plt.subplots(len(maps), len(columns), figsize=(7.2, 2.35 * len(maps) + 0.9), squeeze=False)
    for row, (model, measures) in zip(axes, maps.items(), strict=True):
        for ax, column in zip(row, columns, strict=True):
            reach_map(np.asarray(measures[column]), words[model], ax=ax)
            ax.label_outer()
        row[0].set_ylabel(_two_lines(model), fontsize=10, fontweight="bold", color=INK)
    for ax, column in zip(axes[0], columns, strict=True):
        ax.set_title(column, fontsize=10)
    scale = mpl.cm.ScalarMappable(LogNorm(*LIMITS), mpl.colormaps[f"{SIZES}_r"])
    bar = figure.colorbar(
        scale,
        ax=axes,
        orientation="horizontal",
        extend="both",
        shrink=0.7,
        aspect=32,
        pad=0.01,
        label="gradient, relative to that of the state's own word; empty: exactly 0",
    )
    bar.set_ticks([0.01, 0.1, 1], labels=["0.01", "0.1", "1"])
    return figure


def _two_lines(name: str) -> str:
    """``Sequential Universal`` above ``Transformer``."""
    first, _, last = name.rpartition(" ")
    return f"{first}\n{last}" if first else last
