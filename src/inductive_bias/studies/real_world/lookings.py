"""From the tables of what models look at to what its rule judges and its figures draw."""

import pandas as pd

from inductive_bias.studies.real_world.design import MITBIH, cell
from inductive_bias.studies.real_world.looking import DELETIONS, INTEGRATED, RANDOM_ORDER
from inductive_bias.studies.results import Results


def dearer(results: Results, model: str, order: str = INTEGRATED) -> pd.DataFrame:
    """What more of the margin is lost in an order than in random ones: a row a run, a column a test record.

    The mean over the kinds of beat of a record. Only those kinds of a record count of which every run that is there has
    chosen beats: a table of runs × records has no holes. A run that diverged has no row.
    """
    table = results.table(DELETIONS)
    table = table[table["model"] == model]
    own, theirs = (
        table[table["order"] == each].pivot(index="number", columns=["record", "kind"], values="lost")
        for each in (order, RANDOM_ORDER)
    )
    return (own - theirs).dropna(axis="columns").T.groupby(level="record").mean().T


def left_out(results: Results, model: str) -> tuple[str, ...]:
    """Runs of MIT-BIH that diverged, in words: of them there is nothing to explain."""
    found = results.values("macro_f1", split="test", **cell(results.scale, MITBIH, model))
    return tuple(f"{model}, run {number}" for number in found.index[found.isna()])
