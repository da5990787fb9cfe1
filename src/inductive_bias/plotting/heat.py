"""Heat maps whose numbers can be read on every ground."""

from collections.abc import Iterable

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm, to_rgb

from inductive_bias.formatting import number
from inductive_bias.plotting.palette import SIZES

#: The one scale with a middle: red for less or worse, white for the same, blue for more or better.
CHANGES = "RdBu"
#: The ground of a cell without a number.
_GAP = "#e6e6e6"


def heat_map(
    table: pd.DataFrame,
    *,
    ax: Axes | None = None,
    centre: float | None = None,
    limits: tuple[float, float] | None = None,
    decimals: int = 2,
    label: str = "",
    words: pd.DataFrame | None = None,
    bar: bool = True,
) -> Axes:
    """`sns.heatmap` with the ink that contrasts more with the ground of each number, true minus signs and named gaps.

    Args:
        table: numbers, rows down and columns along (``frame.pivot_table``); NaN is an empty grey cell with a dash.
        ax: axes to draw on; the current ones if not given.
        centre: the value that is drawn white (a diverging scale: red below, blue above, so that more has to be better);
            without it the scale is sequential.
        limits: ends of the colour scale, so that several maps can share one.
        decimals: of the numbers in the cells.
        label: title of the colour bar.
        words: what to write into the cells, where it is not the number that chooses the colour; of the same shape.
        bar: whether to draw the colour bar; panels that share ``limits`` need one only.

    Raises:
        ValueError: if ``words`` has another shape.
    """
    if words is not None and words.shape != table.shape:
        raise ValueError(f"words of shape {words.shape} do not fit numbers of shape {table.shape}")
    ax = ax or plt.gca()
    values = table.to_numpy(dtype=float)
    norm = _scale(values[np.isfinite(values)], centre, limits)
    colours = mpl.colormaps[SIZES if centre is None else CHANGES]
    # seaborn would look for the ends itself, and warn of a table without a number
    ends = {"vmin": norm.vmin, "vmax": norm.vmax}
    sns.heatmap(
        table.astype(float),
        mask=~np.isfinite(values),
        cmap=colours,
        norm=norm,
        **ends,
        ax=ax,
        cbar=bar,
        cbar_kws={"label": label, "shrink": 0.85, "pad": 0.02} if bar else None,
    )
    ax.set(facecolor=_GAP, xlabel="", ylabel="")
    for (row, column), value in np.ndenumerate(values):
        ground = colours(norm(value)) if np.isfinite(value) else to_rgb(_GAP)
        # adding zero turns -0.00, a loss of nothing, into 0.00
        text = number(round(value, decimals) + 0.0, f".{decimals}f") if np.isfinite(value) else "–"
        text = text if words is None else str(words.iat[row, column])
        ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8.5, color=readable_ink(ground))
    few = table.shape[1] <= 3  # room for the names as they are
    turned = {"rotation": 0} if few else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, [_name(name) for name in table.columns], **turned)
    ax.set_yticks(np.arange(table.shape[0]) + 0.5, [_name(name) for name in table.index], rotation=0)
    return ax


def block_map(
    square: pd.DataFrame, *, ax: Axes | None = None, limits: tuple[float, float] | None = None, label: str = ""
) -> Axes:
    """A square matrix over all runs, without numbers: one block a pair of cells, parted by white lines.

    Args:
        square: rows and columns are ``(cell, seed)``, the runs of a cell side by side; NaN is grey.
        ax: axes to draw on; the current ones if not given.
        limits: ends of the colour scale, so that several maps can share one.
        label: title of the colour bar.

    Raises:
        ValueError: if rows and columns are not the same runs, or the runs of a cell are not side by side.
    """
    cells = [cell for cell, _ in square.index]
    names = list(dict.fromkeys(cells))
    if not square.index.equals(square.columns):
        raise ValueError("rows and columns must be the same runs in the same order")
    if cells != [name for name in names for cell in cells if cell == name]:
        raise ValueError("the runs of a cell must stand side by side")
    ax = ax or plt.gca()
    low, high = limits or (None, None)
    colours = mpl.colormaps[SIZES].with_extremes(bad=_GAP)
    image = ax.imshow(np.ma.masked_invalid(square.to_numpy(float)), cmap=colours, vmin=low, vmax=high)
    starts = [cells.index(name) for name in names]
    for start in starts[1:]:
        ax.axhline(start - 0.5, color="white", lw=1.5)
        ax.axvline(start - 0.5, color="white", lw=1.5)
    middles = [start + (cells.count(name) - 1) / 2 for name, start in zip(names, starts, strict=True)]
    ax.set_xticks(middles, names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(middles, names)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.85, pad=0.02)
    return ax


def readable_ink(ground: Iterable[float]) -> str:
    """Black or white, whichever has the higher contrast ratio (WCAG 2.2) on an RGB(A) ground in [0, 1]."""
    luminance = relative_luminance(ground)
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def relative_luminance(colour: Iterable[float]) -> float:
    """Relative luminance of an sRGB colour in [0, 1] (WCAG 2.2)."""
    rgb = np.fromiter(colour, dtype=float)[:3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _scale(finite: np.ndarray, centre: float | None, limits: tuple[float, float] | None) -> Normalize:
    """The scale of the colours; around a centre both sides reach equally far."""
    low, high = limits or ((finite.min(), finite.max()) if finite.size else (0.0, 1.0))
    if low == high:  # one value only: any width of scale will do
        low, high = low - 0.5, high + 0.5
    if centre is None:
        return Normalize(low, high)
    reach = max(abs(low - centre), abs(high - centre))
    return TwoSlopeNorm(centre, centre - reach, centre + reach)


def _name(label: object) -> str:
    """A row's or column's name; one of several factors is joined by commas."""
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
