"""Small grey images with a word each."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inductive_bias.plotting.style import MUTED


def show_image(image: np.ndarray, *, ax: Axes | None = None, title: str = "") -> Axes:
    """One image of shape (h, w), dark where it is large, in a thin frame and without ticks.

    Raises:
        ValueError: if it has another number of axes.
    """
    if image.ndim != 2:
        raise ValueError(f"an image has two axes, not the shape {image.shape}")
    ax = ax or plt.gca()
    ax.imshow(image, cmap="gray_r", vmin=min(0.0, float(image.min())), interpolation="nearest")
    ax.set(xticks=[], yticks=[], title=title)
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(MUTED)
    ax.spines[:].set_linewidth(0.6)
    return ax


def image_grid(images: Mapping[str, np.ndarray], *, columns: int = 4, size: float = 1.4) -> Figure:
    """A new figure with every image under its name, row by row; ``size`` is the inches of one.

    Raises:
        ValueError: if there is no image or no column.
    """
    if not images or columns < 1:
        raise ValueError(f"a grid needs images and columns, not {len(images)} and {columns}")
    rows = -(-len(images) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(size * columns, (size + 0.22) * rows), squeeze=False)
    for ax in axes.flat[len(images) :]:
        ax.set_axis_off()
    for ax, (name, image) in zip(axes.flat, images.items(), strict=False):
        show_image(image, ax=ax)
        ax.set_title(name, fontsize=9.5)
    return figure
