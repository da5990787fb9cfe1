"""A heat map of which a slider chooses the slice: one step of a third setting, such as length."""

import math
from collections.abc import Hashable, Mapping

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.plotting.interactive.base import Choice, Control, PageWidget, Slider, page_widget
from inductive_bias.plotting.palette import check_columns, levels_of


def slice_widget(
    data: pd.DataFrame,
    *,
    along: str,
    y: str,
    x: str,
    by: str,
    steps: Mapping[Hashable, str],
    measures: Mapping[str, str],
    reached: float,
    words: str,
    instead: str,
    titles: Mapping[Hashable, str] | None = None,
    groups: Mapping[Hashable, str] | None = None,
) -> PageWidget:
    """A slider over the slices of a heat map of shares, and a count of the rows in which a column reaches enough.

    Args:
        data: one row a cell: ``along``, ``y``, ``x``, ``by`` and ``value`` in 0..1; a cell may be missing.
        along: column that the slider moves.
        y: column of the rows, in order.
        x: column of the columns, in order.
        by: column of what is measured, one of which is shown at a time.
        steps: of the slider, in order, with their words.
        measures: levels of ``by``, each with its words: ``whole strings right``.
        reached: the share from which a row counts as reached.
        words: what rows are called: ``languages``.
        instead: a sentence for who has no JavaScript.
        titles: of the rows, if not their names.
        groups: headings by row; neighbours share one.

    Raises:
        ValueError: for an unknown column, or a share outside of 0..1.
    """
    check_columns(data, along, y, x, by, "value")
    if not data["value"].dropna().between(0, 1).all():
        raise ValueError(f"shares must be in 0..1, not {data['value'].min():g} to {data['value'].max():g}")
    rows, columns = levels_of(data[y]), levels_of(data[x])
    known = data.set_index([by, along, y, x])["value"].to_dict()

    def slices(measure: str) -> list[list[list[float | None]]]:
        return [
            [[_share(known.get((measure, step, row, column))) for column in columns] for row in rows] for step in steps
        ]

    controls: list[Control] = [Slider("step", along, 0, len(steps) - 1, 0)]
    if len(measures) > 1:
        controls.append(Choice("measure", "Share of", list(measures.values()), open=True))
    return page_widget(
        "slices",
        {
            "rows": [(titles or {}).get(row, str(row)) for row in rows],
            "groups": [(groups or {}).get(row, "") for row in rows],
            "columns": [short(column).replace("\u00a0", " ") for column in columns],
            "steps": list(steps.values()),
            "measures": list(measures.values()),
            "values": [slices(measure) for measure in measures],
            "reached": reached,
            "words": words,
        },
        controls=controls,
        pictures={"map": "Mean over runs; a diverged run has nothing right. Empty: there are no such strings."},
        text=f"Interactive heat map of {words} by {x} with a slider for {along}.",
        instead=instead,
    )


def _share(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 3)
