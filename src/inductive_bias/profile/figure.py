"""The profile as a figure of the book: an axis a row, the population as dots, the model with its interval."""

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from inductive_bias.plotting.palette import palette
from inductive_bias.plotting.style import INK, MUTED, use_book_style
from inductive_bias.profile.report import Report
from inductive_bias.studies.profile_comparison import NOTHING

#: Models of the population that are named in the figure, of sequences and of images.
LANDMARKS = ("Attention", "RSA", "LSTM", "CNN", "MLP", "Attention, patches")


def profile_figure(report: Report) -> Figure:
    """Draw a report; every axis runs from 0 to 1, and a row that was not learnt says so in words."""
    use_book_style()
    order = [each.axis for each in report.axes]
    known = report.known.reset_index().melt("model", var_name="axis").dropna()
    figure, axes = plt.subplots(figsize=(4.6, 0.5 * len(order) + 1.6))
    # rows of probes that nobody else was asked have no dots
    sns.stripplot(known, x="value", y="axis", order=order, color=MUTED, alpha=0.4, size=4, jitter=False, ax=axes)
    marked = known[known["model"].isin(LANDMARKS)]
    sns.stripplot(
        marked,
        x="value",
        y="axis",
        order=order,
        hue="model",
        palette=palette(marked["model"]),
        size=7,
        jitter=False,
        ax=axes,
    )
    label = report.name
    for place, each in enumerate(report.axes):
        if each.word == NOTHING:  # there is no value to draw
            axes.text(0.0, place + 0.28, f"{report.name}: {NOTHING}", color=INK, va="center", fontsize="small")
            continue
        axes.hlines(place + 0.28, each.low, each.high, color=INK, lw=2)
        axes.plot(each.value, place + 0.28, marker="D", color=INK, ls="", label=label)
        label = None  # the legend names the model once
    axes.set(xlim=(-0.03, 1.03), xlabel="score of the axis", ylabel="")
    axes.set_yticks(range(len(order)), order)
    axes.legend(loc="upper center", bbox_to_anchor=(0.3, -0.12), ncols=2, title="")
    return figure
