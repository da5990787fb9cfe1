"""Weights of an attention head as a picture: by lag, and as the matrix that they fill."""

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from inductive_bias.plotting.style import MUTED, CellStyle

#: Blue below 0, white at 0, red above.
COLOURS = "RdBu_r"


def matrix_map(matrix: Float[np.ndarray, "i j"], *, ax: Axes | None = None, limit: float = 1.0) -> AxesImage:
    """One square a weight, white at 0; rows are the tokens that read, columns those that are read.

    Args:
        matrix: the weights.
        ax: axes to draw on; the current ones if not given.
        limit: the size at which both ends of the colour scale lie, so that several maps can share one.

    Raises:
        ValueError: if ``limit`` is not positive.
    """
    if not limit > 0:
        raise ValueError(f"limit must be positive, not {limit}")
    ax = ax or plt.gca()
    image = ax.imshow(np.asarray(matrix), cmap=COLOURS, vmin=-limit, vmax=limit, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set(visible=True, color=MUTED, lw=0.8)
    return image


def lag_plot(lags: Float[np.ndarray, " t"], style: CellStyle, *, ax: Axes | None = None, label: str = "") -> Axes:
    """Weights by steps back: a marker a lag, a thin stem to zero."""
    ax = ax or plt.gca()
    steps = np.arange(len(lags))
    ax.axhline(0, color=MUTED, lw=0.8, zorder=1)
    ax.vlines(steps, 0, lags, color=style.colour, lw=1, alpha=0.6, zorder=2)
    ax.plot(steps, lags, color=style.colour, marker=style.marker, ls="", ms=4.5, mec="white", mew=0.4, zorder=3,
            label=label)  # fmt: skip
    return ax
