"""Models and training paths as points of a plane (multidimensional scaling draws distances, and nothing else)."""

from collections.abc import Iterable
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from inductive_bias.plotting.style import INK, cell_style


def embedding_plot(points: np.ndarray, labels: Iterable[str], *, ax: Axes | None = None) -> Axes:
    """Models as points of a plane, one colour and marker a label; the axes carry no unit, only equal scale.

    Args:
        points: array of shape (n, 2).
        labels: n cell names.
        ax: axes to draw on; the current ones if not given.

    Raises:
        ValueError: if the shapes do not fit.
    """
    labels = list(labels)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) != len(labels):
        raise ValueError(f"points must be (n, 2) with n labels; got {points.shape} and {len(labels)} labels")
    ax = ax or plt.gca()
    for name in dict.fromkeys(labels):
        mine = points[[label == name for label in labels]]
        style = cell_style(name)
        ax.scatter(*mine.T, s=48, c=style.colour, marker=style.marker, edgecolors="white", linewidths=0.6, label=name)
    _unitless(ax)
    ax.legend()
    return ax


def path_plot(
    points: np.ndarray,
    *,
    label: str,
    ax: Axes | None = None,
    steps: Iterable[object] | None = None,
) -> Axes:
    """One training path in a plane: consecutive checkpoints joined by arrows and numbered, where there is room.

    Args:
        points: array of shape (checkpoints, 2), in order of training.
        label: cell name; chooses colour and marker.
        ax: axes to draw on; the current ones if not given.
        steps: what to write at each checkpoint (an epoch, say); 0, 1, 2, … if not given.

    Raises:
        ValueError: if the shapes do not fit.
    """
    steps = list(range(len(points)) if steps is None else steps)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) != len(steps):
        raise ValueError(f"points must be (n, 2) with n steps; got {points.shape} and {len(steps)} steps")
    ax = ax or plt.gca()
    style = cell_style(label)
    arrow = {"arrowstyle": "-|>", "color": style.colour, "lw": 1.3, "shrinkA": 3, "shrinkB": 4}
    for start, end in pairwise(points):
        ax.annotate("", xy=end, xytext=start, arrowprops=arrow, zorder=2)
    sizes = np.where(np.arange(len(points)) == len(points) - 1, 70, 26)  # the last one is where training ended
    ax.scatter(*points.T, s=sizes, c=style.colour, marker=style.marker, edgecolors="white", linewidths=0.6, zorder=3,
               label=label)  # fmt: skip
    for place in _labelled(points):
        ax.annotate(
            str(steps[place]),
            points[place],
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=7.5,
            color=INK,
            zorder=4,
        )
    _unitless(ax)
    return ax


def _labelled(points: np.ndarray, room: float = 0.08) -> list[int]:
    """Checkpoints that get a number: the last, and each that lies apart from those already numbered.

    Late checkpoints crowd; numbers on top of each other would say less than fewer of them. ``room`` is a share of the
    path's extent.
    """
    extent = np.linalg.norm(np.ptp(points, axis=0))
    chosen = [len(points) - 1]
    for place in range(len(points) - 1):
        if np.linalg.norm(points[chosen] - points[place], axis=1).min() > room * extent:
            chosen.append(place)
    return sorted(chosen)


def _unitless(ax: Axes) -> None:
    """Equal scale and no ticks: an embedding has distances and nothing else."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color("#cccccc")
