"""Every claim's effect on one axis: in units of what the paper reports, or of its rule's margin."""

from collections.abc import Iterable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from inductive_bias.plotting import VERDICT_SIGNS, forest_plot, level_legend
from inductive_bias.studies import study_named
from inductive_bias.verdicts import VERDICTS

#: Of each unit: title, words at the axis, its limits, and what to compare with.
AXES = {
    "paper": ("A paper reports the size", "÷ effect in the paper (0 none, 1 as reported)", (-2.0, 3.0), (0.0, 1.0)),
    "margin": ("No paper reports a size", "÷ margin of the rule", (-4.0, 6.0), (0.0,)),
}
#: Inches: of the figure, of a row, and of what is around the rows of a panel.
WIDTH, ROW, AROUND = 4.6, 0.215, 1.0


def relative_effects(claims: pd.DataFrame) -> pd.DataFrame:
    """Effects of the claims whose rule has a number to measure them by, in units of a paper's effect or a margin.

    Returns:
        One row a claim: ``claim, part`` (of the book), ``verdict`` (in the words for a paper's sentence), ``unit``
        (*paper* or *margin*), ``estimate, low, high`` in it, and ``regions``, in one of which the sentence holds.
    """
    rows = []
    for each in claims.to_dict("records"):
        if (asked := each["finding"].asked) is not None:
            scaled = asked.relative()
            effect = scaled.contrast
            rows.append(
                {
                    "claim": each["claim"],
                    "part": study_named(each["study"]).part,
                    "verdict": each["finding"].judgement.verdict,
                    "unit": asked.unit,
                    "estimate": effect.estimate,
                    "low": effect.low,
                    "high": effect.high,
                    "regions": scaled.regions,
                }
            )
    return pd.DataFrame(rows, columns=["claim", "part", "verdict", "unit", "estimate", "low", "high", "regions"])


def draw_effects(claims: pd.DataFrame) -> Figure:
    """The forest plot of :func:`relative_effects`: a panel a unit, narrow enough for a phone."""
    table = relative_effects(claims)
    if table.empty:
        return empty_figure("no claim could be measured")
    panels = {unit: rows for unit in AXES if len(rows := table[table["unit"] == unit])}
    heights = [AROUND + ROW * (len(rows) + rows["part"].nunique()) for rows in panels.values()]
    size = WIDTH, sum(heights) + 0.5
    figure, axes = plt.subplots(len(panels), figsize=size, height_ratios=heights, squeeze=False)
    for ax, (unit, rows) in zip(axes.flat, panels.items(), strict=True):
        title, words, limits, references = AXES[unit]
        forest_plot(
            rows,
            y="claim",
            hue="verdict",
            letters=VERDICT_SIGNS,
            group="part",
            references=references,
            bands="regions",
            limits=limits,
            legend=False,
            ax=ax,
        )
        ax.set_xlabel(f"effect here {words}")
        ax.set_title(title, loc="left")
    drawn = [verdict for verdict in VERDICTS if verdict in set(table["verdict"])]
    level_legend(figure, drawn, words={verdict: f"{VERDICT_SIGNS[verdict]} {verdict}" for verdict in drawn})
    return figure


def drawn_and_not(claims: pd.DataFrame) -> str:
    """How many claims the figure shows in which unit, and which it leaves out for what reason."""
    table = relative_effects(claims)
    reported = table.loc[table["unit"] == "paper", "verdict"]
    verdicts = ", ".join(f"{count} {verdict}" for verdict in VERDICTS if (count := (reported == verdict).sum()))
    rest = claims[~claims["claim"].isin(table["claim"])]
    untestable = rest["verdict"] == "not testable here"
    return (
        f"Of {len(claims)} claims {len(reported)} are about an effect whose size a paper reports ({verdicts}), and "
        f"{len(table) - len(reported)} about one with a margin alone. Not drawn: "
        f"{_listed(rest.loc[untestable, 'claim'])} not testable here; {_listed(rest.loc[~untestable, 'claim'])} "
        "measured by a share of another effect."
    )


def empty_figure(words: str) -> Figure:
    """What stands where nothing can be drawn."""
    figure = plt.figure(figsize=(WIDTH, AROUND))
    figure.text(0.5, 0.5, words, ha="center", va="center")
    return figure


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return f"{len(names)} ({', '.join(names)})" if names else "0"
