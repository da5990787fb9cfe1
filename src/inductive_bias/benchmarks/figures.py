"""How a page draws ratios: every repeat a point, the median as a line, the promised ratio dashed."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.benchmarks.base import summary
from inductive_bias.plotting import INK, MUTED, look


def ratio_plot(table: pd.DataFrame, measure: str, *, ax: Axes, variants: tuple[str, ...] = ()) -> Axes:
    """One group of points a model and variant.

    Args:
        table: of a benchmark.
        measure: which of its measures.
        ax: where to draw.
        variants: only these (default: all of the measure's), in this order.

    Raises:
        SettingError: for a measure that the table does not have.
    """
    found = summary(table, measure)
    found = found[found["variant"].isin(variants)] if variants else found
    rows = table[table["measure"] == measure]
    several = found["variant"].nunique() > 1
    for place, line in enumerate(found.itertuples()):
        points = rows.loc[(rows["model"] == line.model) & (rows["variant"] == line.variant), "ratio"]
        style = look(line.model, among=found["model"])
        # side by side, not jittered: a picture of the same numbers is the same picture
        across = [place + (k - (len(points) - 1) / 2) * 0.3 / max(1, len(points) - 1) for k in range(len(points))]
        ax.plot(across, points, style.marker, color=style.colour, ms=6, alpha=0.8)
        ax.hlines(line.median, place - 0.25, place + 0.25, color=INK, lw=1.5)
        ax.annotate(f"{line.median:.3g}", (place + 0.27, line.median), va="center", fontsize=9)
    target = rows["target"].max()
    if pd.notna(target):
        ax.axhline(target, color=MUTED, ls="--", lw=1)
    names = [f"{line.model}\n{line.variant}" if several else line.model for line in found.itertuples()]
    ax.set_xticks(range(len(found)), names)
    ax.set_xlim(-0.5, len(found) - 0.3)
    ax.grid(visible=False, axis="x")
    return ax


def against_size(
    table: pd.DataFrame,
    measure: str,
    *,
    ax: Axes,
    models: Mapping[str, str],
    column: str = "ratio",
    among: Sequence[str] | None = None,
) -> Axes:
    """A line a model over the sizes of its variants (1,024 tokens), every repeat a point.

    Args:
        table: of a benchmark.
        measure: which of its measures.
        ax: where to draw; its horizontal axis becomes logarithmic.
        models: which ones, with what the legend calls them.
        column: ``ratio``, or ``value`` for what it is made of.
        among: the models of all figures of a page, by whose places colours and markers are given; those that are drawn
            if None.

    Raises:
        ValueError: if a model is not ``among`` them.
        SettingError: for a measure that the table does not have.
    """
    summary(table, measure)
    rows = table[table["measure"] == measure]
    places = list(models if among is None else among)
    if strangers := [model for model in models if model not in places]:
        raise ValueError(f"{strangers[0]!r} is not among the models {', '.join(map(repr, places))}")
    looks = {place: look(place, among=places) for place in places}
    for model, words in models.items():
        colour, marker = looks[model]
        found = rows[rows["model"] == model]
        middle = found.groupby("size")[column].median()
        ax.plot(found["size"], found[column], marker, color=colour, ms=4.5, alpha=0.7)
        ax.plot(middle.index, middle, color=colour, lw=1.3, marker=marker, ms=4.5, label=words)
    sizes = sorted(rows["size"].astype(int).unique())
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    return ax


def range_band(table: pd.DataFrame, measure: str, *, ax: Axes, models: Sequence[str], words: str) -> Axes:
    """Band from the lowest to the highest median of several models at every size, where only a few have lines."""
    rows = table[(table["measure"] == measure) & table["model"].isin(models)]
    medians = rows.groupby(["model", "size"])["ratio"].median().groupby(level=1)
    low, high = medians.min(), medians.max()
    ax.fill_between(low.index, low, high, color=MUTED, alpha=0.22, lw=0, label=words)
    return ax


def promise_line(table: pd.DataFrame, measure: str, *, ax: Axes) -> Axes:
    """The promised ratio at every size, dashed."""
    rows = table[(table["measure"] == measure) & table["target"].notna()]
    targets = rows.groupby("size")["target"].first()
    ax.plot(targets.index, targets, color=MUTED, ls="--", lw=1.2, label="promised at most")
    return ax
