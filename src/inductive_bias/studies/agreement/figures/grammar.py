"""What the page on a generated grammar draws.

Sentences are drawn anew for every number of a run, so that runs of one number share them. At scale
``smoke`` the main training set is generated itself, and stands in for them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.studies.agreement import figures, measures
from inductive_bias.studies.agreement.design import FURTHER, LADDER, STRONG, UNTAUGHT, WEAK, WHOLE_MAIN_SET, drawn_cell
from inductive_bias.studies.agreement.measures import AGAINST_ALONE, drawn_data
from inductive_bias.studies.design import Cell, Level
from inductive_bias.studies.frames import bracketed, table_of
from inductive_bias.studies.results import Results

#: By student: what it is compared after, in the words of an axis. In brackets: its teacher itself.
STUDENTS = {
    "bidirectional Transformer": {
        "its own\nkind": drawn_cell(WEAK, WEAK),
        "an LSTM": drawn_cell(WEAK, STRONG),
        "its own kind,\nfurther": drawn_cell(WEAK, WEAK, sentences=FURTHER),
        "an LSTM,\nfurther": drawn_cell(WEAK, STRONG, sentences=FURTHER),
        "labels,\nfurther": drawn_cell(WEAK, sentences=FURTHER),
        "(the LSTM\nitself)": drawn_cell(STRONG),
    },
    "LSTM": {
        "its own\nkind": drawn_cell(STRONG, STRONG),
        "a Transformer": drawn_cell(STRONG, WEAK),
        "its own kind,\nfurther": drawn_cell(STRONG, STRONG, sentences=FURTHER),
        "a Transformer,\nfurther": drawn_cell(STRONG, WEAK, sentences=FURTHER),
        "(the Transformer\nitself)": drawn_cell(WEAK),
    },
}


def untaught(results: Results) -> dict[str, Level]:
    """Levels of what learns from the labels of all such sentences."""
    return UNTAUGHT | {"data": drawn_data(results)}


def rung_gains(results: Results, measure: str) -> pd.DataFrame:
    """What each rung gains over the one below it: one row a draw, with ``rung``, ``number`` and ``value``."""
    here, found = drawn_data(results), []
    for lower, upper in pairwise(LADDER):
        above, below = (measures.values(results, measure, drawn_cell(model, data=here)) for model in (upper, lower))
        gain = (above - below).rename("value").rename_axis("number").reset_index()
        found.append(gain.assign(rung=f"{short(upper)}\n− {short(lower)}"))
    return pd.concat(found, ignore_index=True)


def accuracy_by(results: Results, way: str, split: str) -> pd.DataFrame:
    """Accuracy of each rung on a test, by ``attractors`` or ``distance``, where every draw has such sentences."""
    rows = results.frame("accuracy", split=split, by=way, model=LADDER, **untaught(results))
    counts = rows.groupby(way)["value"].count()
    return rows[rows[way].isin(counts.index[counts == counts.max()])]


def conditions(results: Results, measure: str, cells: Mapping[str, Cell]) -> pd.DataFrame:
    """Runs of named cells, those of them that the scale has, as :func:`figures.conditions` gives them."""
    here = {words: Cell(**{**each, "data": drawn_data(results)}) for words, each in cells.items()}
    return figures.conditions(results, [measure], here)


def gains_over_alone(results: Results, measure: str) -> pd.DataFrame:
    """Every student with a teacher minus the same model without one, by draw, as :func:`measures.teacher_effects`.

    The column ``words`` has the difference, in brackets where it may be nothing.
    """
    found = measures.teacher_effects(results, only=AGAINST_ALONE, data=drawn_data(results), asked=[measure])
    return found.assign(words=[bracketed(row.estimate, row.low, row.high) for row in found.itertuples()])


def students_by_teacher(results: Results, asked: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation of every student and measure: a row a student and teacher."""
    levels = WHOLE_MAIN_SET | {"data": drawn_data(results)}
    frame = measures.measured(results, asked, model=LADDER, **levels)
    found = table_of(frame, ["model", "teacher"], "measure")
    named = found.assign(model=found["model"].map(short), teacher=found["teacher"].map(short))
    return named.rename(columns={"model": "student"})
