"""Training paths, final solutions and barriers as tidy tables and maps, made from the tables of the study.

A path belongs to a *number*: the teacher of that number, its students, and the undistilled twin that shares the
students' initial weights and order of batches (see :func:`~inductive_bias.studies.vision.tables.paths`).
"""

import numpy as np
import pandas as pd

from inductive_bias.studies import geometry as generic
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.claims import barrier_heights
from inductive_bias.studies.vision.design import CNN_TO_MLP, INDEPENDENT, PAIRS, SAME_STEPS

#: Cells that have a path, the teacher first.
PATH_CELLS = ("CNN", SAME_STEPS, CNN_TO_MLP, "MLP → MLP")
#: Cells whose final solutions are compared, in the order of the table of similarities.
SOLUTION_CELLS = (*INDEPENDENT, SAME_STEPS, *PAIRS)

#: What was done to a line between two solutions, by ``(aligned, statistics)`` of the table of barriers.
TREATMENTS = {
    (False, "as interpolated"): "as interpolated",
    (False, "computed again"): "batch statistics again",
    (True, "computed again"): "units aligned, statistics again",
}


def path_numbers(results: Results) -> list[int]:
    """The numbers for which there are paths."""
    return generic.path_numbers(results.table("paths"))


def path_maps(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """All checkpoints in a plane, one joint embedding a number (columns of ``geometry.path_maps``)."""
    return generic.path_maps(results.table("paths"), PATH_CELLS, form=form, kind=kind)


def smoothness_by_seed(results: Results) -> pd.DataFrame:
    """Path length over the distance of its ends: columns ``cell, number, checkpoints, form, kind, value``."""
    return generic.smoothness_by_seed(results.table("paths"), PATH_CELLS)


def path_steps(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Steps between consecutive checkpoints: columns ``cell, number, start, end, length`` (epochs, distance)."""
    return generic.path_steps(results.table("paths"), PATH_CELLS, form=form, kind=kind)


def distance_to_teacher(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Distance of every MLP checkpoint to the finished CNN of its number: columns ``cell, number, epoch, distance``."""
    return generic.distance_to_finished(results.table("paths"), "CNN", form=form, kind=kind)


def similarity_square(results: Results, form: str) -> pd.DataFrame:
    """Similarity of every two final solutions; rows and columns are ``(cell, seed)`` in the order of the cells."""
    return generic.similarity_square(results.table("similarity"), form)


def similarity_by_cell(results: Results, form: str) -> pd.DataFrame:
    """Mean similarity between the solutions of two cells; on the diagonal between *different* solutions of one."""
    return generic.similarity_by_cell(results.table("similarity"), form)


def similarity_to_cnns(results: Results, form: str) -> pd.DataFrame:
    """Mean similarity of each solution to the CNNs, itself left out: columns ``cell, seed, value``."""
    return generic.similarity_to(results.table("similarity"), "CNN", form)


def solution_map(results: Results, *, form: str = "centred") -> pd.DataFrame:
    """All final solutions in one plane by the chord distance: columns ``cell, seed, across, up, stress``."""
    return generic.solution_map(results.table("similarity"), form=form)


def barrier_lines(results: Results) -> pd.DataFrame:
    """Test loss on the lines between solutions: columns ``kind, pair, treatment, weight, loss`` (nats)."""
    table = results.table("barriers")
    rows = table[table["metric"] == "nll"].rename(columns={"value": "loss"})
    return _treated(rows)[["kind", "pair", "treatment", "weight", "loss"]]


def barrier_points(results: Results) -> pd.DataFrame:
    """Height of the barrier of every line, in nats of test loss: columns ``kind, pair, treatment, height``."""
    table = results.table("barriers")
    heights = [
        barrier_heights(table, statistics=statistics).assign(statistics=statistics)
        for statistics in table["statistics"].unique()
    ]
    return _treated(pd.concat(heights))[["kind", "pair", "treatment", "height"]]


def barrier_table(results: Results) -> pd.DataFrame:
    """One row a kind of line: ``kind``, number of ``pairs``, and ``mean (lowest – highest)`` barrier by treatment."""
    heights = barrier_points(results)
    groups = heights.groupby(["kind", "treatment"], sort=False)["height"]
    text = groups.agg(lambda h: f"{h.mean():.3f} ({h.min():.3f} – {h.max():.3f})").unstack()
    text.insert(0, "pairs", heights.groupby("kind", sort=False)["pair"].nunique())
    columns = ["pairs", *(name for name in TREATMENTS.values() if name in text)]
    return text.loc[heights["kind"].unique(), columns].rename_axis(columns=None).reset_index()


def _treated(rows: pd.DataFrame) -> pd.DataFrame:
    """With a name for the pair and for what was done to the line; alignment alone, with stale statistics, is left out.

    A line whose batch statistics are stale is high whether or not its ends were aligned: the table keeps it, a figure
    need not.
    """
    rows = rows.assign(
        pair=[f"{a} – {b}" for a, b in zip(rows["seed_a"], rows["seed_b"], strict=True)],
        treatment=[TREATMENTS.get(key) for key in zip(rows["aligned"], rows["statistics"], strict=True)],
    )
    rows = rows[rows["treatment"].notna()]
    order = rows["treatment"].map(list(TREATMENTS.values()).index)
    return rows.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)
