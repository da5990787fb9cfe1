"""What attributions say of heartbeats, as tables of runs and records: what the samples ranked first cost a model."""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.studies.real_world.design import MITBIH
from inductive_bias.studies.real_world.measures.scores import cell_of
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.task import KINDS

#: Tables of the study, see :mod:`inductive_bias.studies.real_world.tables.attributions`.
ATTRIBUTIONS, DELETIONS = "attributions", "deletions"
#: Their columns, written out, for no beat may be left.
COLUMNS = {
    ATTRIBUTIONS: ["trial", "kind", "method", "sample", "share"],
    DELETIONS: ["trial", "record", "kind", "order", "lost"],
}
GRADIENT, INTEGRATED, OCCLUSION = METHODS = ("gradient × difference", "integrated gradients", "occlusion")
#: What stands beside the methods: samples in random order.
RANDOM_ORDER = "random"
ORDERS = (*METHODS, RANDOM_ORDER)
#: In the place of an order: nothing of the beat is left. Where a model takes the mean beat for a normal one, which most
#: beats are, a normal beat has little to lose.
ALL_SAMPLES = "all samples"


def dearer(results: Results, model: str, order: str = INTEGRATED, kinds: Sequence[str] = KINDS) -> pd.DataFrame:
    """What more of the margin is lost in an order than in random ones: a row a run, a column a test record.

    The mean over these kinds of beat of a record. Only those kinds of a record count of which every run that is there
    has chosen beats: a table of runs × records has no holes. A run that diverged has no row.
    """
    table = results.table(DELETIONS)
    table = table[(table["model"] == model) & table["kind"].isin(kinds)]
    own, theirs = (
        table[table["order"] == each].pivot(index="number", columns=["record", "kind"], values="lost")
        for each in (order, RANDOM_ORDER)
    )
    return (own - theirs).dropna(axis="columns").T.groupby(level="record").mean().T


def left_out(results: Results, model: str) -> tuple[str, ...]:
    """Runs of MIT-BIH that diverged, in words: of them there is nothing to explain."""
    found = results.values("macro_f1", split="test", **cell_of(results, MITBIH, model))
    return tuple(f"{model}, run {number}" for number in found.index[found.isna()])
