"""Reliability diagrams: does a confidence of .8 mean right four times in five? (Guo et al. 2017, section 2)."""

from collections.abc import Hashable, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.formatting import short
from inductive_bias.plotting.palette import Look, check_columns, chosen
from inductive_bias.plotting.style import INK, MUTED


def reliability_diagram(
    data: pd.DataFrame,
    *,
    confidence: str = "confidence",
    accuracy: str = "accuracy",
    share: str = "share",
    hue: str | None = None,
    palette: Mapping[Hashable, str] | None = None,
    markers: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    color: object = None,
    label: object = None,
) -> Axes:
    """Accuracy over mean confidence of each bin, with the share of the examples as the size of the point.

    Args:
        data: one row a bin and hue; columns named by the three keywords, all in [0, 1]. Empty bins (share 0 or NaN)
            are left out of the line.
        confidence: column of the mean confidence of a bin.
        accuracy: column of its accuracy.
        share: column of its share of all examples.
        hue: column that chooses colour and marker; without it there is one line.
        palette: colour by level of ``hue``; derived if not given.
        markers: marker by level of ``hue``; derived if not given.
        ax: axes to draw on; the current ones if not given.
        color: what `FacetGrid.map_dataframe` passes; the palette decides.
        label: the same.

    Raises:
        ValueError: for a missing column or a value outside [0, 1].
    """
    check_columns(data, confidence, accuracy, share, hue)
    bins = data[data[share].fillna(0) > 0].sort_values(confidence)
    values = bins[[confidence, accuracy, share]].to_numpy(dtype=float)
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"a reliability diagram needs values between 0 and 1; found {values.min()} to {values.max()}")
    ax = ax or plt.gca()
    ax.plot([0, 1], [0, 1], color=MUTED, lw=1, ls=(0, (4, 3)), zorder=1)
    looks = chosen(data, hue, palette, markers) if hue else {None: Look(INK, "o")}
    for level, look in looks.items():
        line = bins if hue is None else bins[bins[hue] == level]
        ax.plot(line[confidence], line[accuracy], color=look.colour, lw=1.4, zorder=2)
        ax.scatter(
            line[confidence],
            line[accuracy],
            s=12 + 150 * line[share],
            c=look.colour,
            marker=look.marker,
            linewidths=0.5,
            edgecolors="white",
            alpha=0.9,
            zorder=3,
            label=None if level is None else short(level),
        )
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="confidence", ylabel="accuracy", aspect="equal")
    return ax
