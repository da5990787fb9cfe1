"""Reliability diagrams: does a confidence of .8 mean right four times in five? (Guo et al. 2017, section 2)."""

import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.names import short_name
from inductive_bias.plotting.style import MUTED, cell_style


def reliability_diagram(
    ax: Axes,
    table: pd.DataFrame,
    *,
    label: str,
    confidence: str = "confidence",
    accuracy: str = "accuracy",
    share: str = "share",
) -> Axes:
    """Accuracy over mean confidence of each bin, with the share of the examples as the size of the point.

    Args:
        ax: axes to draw on.
        table: one row a bin; columns named by the three keywords, all in [0, 1]. Empty bins (share 0 or NaN) are
            left out of the line.
        label: cell name; chooses colour and marker.
        confidence: column of the mean confidence of a bin.
        accuracy: column of its accuracy.
        share: column of its share of all examples.

    Raises:
        ValueError: for a missing column or a value outside [0, 1].
    """
    for column in (confidence, accuracy, share):
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")
    bins = table[table[share].fillna(0) > 0].sort_values(confidence)
    values = bins[[confidence, accuracy, share]].to_numpy(dtype=float)
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"a reliability diagram needs values between 0 and 1; found {values.min()} to {values.max()}")
    style = cell_style(label)
    ax.plot([0, 1], [0, 1], color=MUTED, lw=1, ls=(0, (4, 3)), zorder=1)
    ax.plot(bins[confidence], bins[accuracy], color=style.colour, lw=1.4, zorder=2)
    ax.scatter(bins[confidence], bins[accuracy], s=12 + 150 * bins[share], c=style.colour, marker=style.marker,
               linewidths=0.5, edgecolors="white", alpha=0.9, zorder=3, label=short_name(label))  # fmt: skip
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="confidence", ylabel="accuracy", aspect="equal")
    return ax
