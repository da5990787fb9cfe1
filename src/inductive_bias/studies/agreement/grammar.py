"""Sentences of a generated grammar, drawn anew for every number of a run, so that runs of one number share them.

At scale ``smoke`` the main training set is generated itself, and stands in for them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.studies.agreement import measures, widgets
from inductive_bias.studies.agreement.design import ALONE, WHOLE, cell
from inductive_bias.studies.agreement.parts import DRAWN, LADDER, MAIN, STRONG, WEAK
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.frames import bracketed, table_of
from inductive_bias.studies.results import Results

#: A teacher that learnt from 3,000 sentences speaks of so many, if it speaks of others.
FURTHER = 10_000


def of(model: str, teacher: str = NO_TEACHER, **other: Level) -> Cell:
    """A cell of such sentences, or one that is ``other`` in some factor."""
    return cell(model, teacher, **{"data": DRAWN, **other})


#: By student: what it is compared after, in the words of an axis. In brackets: its teacher itself.
STUDENTS = {
    "bidirectional Transformer": {
        "its own\nkind": of(WEAK, WEAK),
        "an LSTM": of(WEAK, STRONG),
        "its own kind,\nfurther": of(WEAK, WEAK, sentences=FURTHER),
        "an LSTM,\nfurther": of(WEAK, STRONG, sentences=FURTHER),
        "labels,\nfurther": of(WEAK, sentences=FURTHER),
        "(the LSTM\nitself)": of(STRONG),
    },
    "LSTM": {
        "its own\nkind": of(STRONG, STRONG),
        "a Transformer": of(STRONG, WEAK),
        "its own kind,\nfurther": of(STRONG, STRONG, sentences=FURTHER),
        "a Transformer,\nfurther": of(STRONG, WEAK, sentences=FURTHER),
        "(the Transformer\nitself)": of(WEAK),
    },
}


def data(results: Results) -> str:
    """The training set of a scale that has generated sentences."""
    return DRAWN if DRAWN in {each["data"] for each in results.cells} else MAIN


def alone(results: Results) -> dict[str, Level]:
    """Levels of what learns from the labels of all such sentences."""
    return ALONE | {"data": data(results)}


def steps(results: Results, measure: str) -> pd.DataFrame:
    """What each rung gains over the one below it: one row a draw, with ``rung``, ``number`` and ``value``."""
    here, found = data(results), []
    for lower, upper in pairwise(LADDER):
        above, below = (measures.values(results, measure, of(model, data=here)) for model in (upper, lower))
        gain = (above - below).rename("value").rename_axis("number").reset_index()
        found.append(gain.assign(rung=f"{short(upper)}\n− {short(lower)}"))
    return pd.concat(found, ignore_index=True)


def by(results: Results, way: str, split: str) -> pd.DataFrame:
    """Accuracy of each rung on a test, by ``attractors`` or ``distance``, where every draw has such sentences."""
    rows = results.frame("accuracy", split=split, by=way, model=LADDER, **alone(results))
    counts = rows.groupby(way)["value"].count()
    return rows[rows[way].isin(counts.index[counts == counts.max()])]


def conditions(results: Results, measure: str, cells: Mapping[str, Cell]) -> pd.DataFrame:
    """Runs of named cells, those of them that the scale has, as :func:`measures.conditions` gives them."""
    here = {words: Cell(**{**each, "data": data(results)}) for words, each in cells.items()}
    return measures.conditions(results, [measure], here)


def loans(results: Results, measure: str) -> pd.DataFrame:
    """Every student with a teacher minus the same model without one, by draw, as ``widgets.differences``.

    The column ``words`` has the difference, in brackets where it may be nothing.
    """
    found = widgets.differences(results, only=widgets.ALONE, data=data(results), measures=[measure])
    return found.assign(words=[bracketed(row.estimate, row.low, row.high) for row in found.itertuples()])


def table(results: Results, shown: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation of every student and measure: a row a student and teacher."""
    levels = WHOLE | {"data": data(results)}
    frame = measures.measured(results, shown, model=LADDER, **levels)
    found = table_of(frame, ["model", "teacher"], "measure")
    named = found.assign(model=found["model"].map(short), teacher=found["teacher"].map(short))
    return named.rename(columns={"model": "student"})
