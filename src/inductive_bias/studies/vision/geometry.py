"""Training paths, final solutions and barriers as tidy tables and maps, made from the tables of the study.

A path belongs to a *number*: the teacher of that number, its students, and the undistilled twin that shares the
students' initial weights and order of batches (see :func:`~inductive_bias.studies.vision.tables.paths`).
"""

from itertools import pairwise

import numpy as np
import pandas as pd
from jaxtyping import Float

from inductive_bias.analysis import distance_matrix, joint_mds, stress
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.claims import barrier_heights, smoothness
from inductive_bias.studies.vision.design import CNN_TO_MLP, INDEPENDENT, PAIRS, SAME_STEPS
from inductive_bias.studies.vision.tables import distances_of

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
    return sorted(results.table("paths")["number"].unique().tolist())


def path_maps(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """All checkpoints in a plane, one joint embedding a number.

    Returns:
        Columns ``number, cell, epoch, across, up, stress``; coordinates have no unit and compare within a number only.
    """
    frames = []
    for number in path_numbers(results):
        points, distances = distances_of(results.table("paths"), form=form, kind=kind, number=number, cells=PATH_CELLS)
        frame = _embedded(pd.DataFrame(points, columns=["cell", "epoch"]), distances)
        frame.insert(0, "number", number)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def smoothness_by_seed(results: Results) -> pd.DataFrame:
    """Path length over the distance of its ends: columns ``cell, number, checkpoints, form, kind, value``."""
    table, numbers = results.table("paths"), path_numbers(results)
    counts = table.drop_duplicates(["cell_a", "epoch_a"]).groupby("cell_a").size()
    return pd.DataFrame(
        {"cell": cell, "number": number, "checkpoints": int(counts[cell]), "form": form, "kind": kind, "value": value}
        for form in ("cosine", "cka")
        for kind in ("chord", "difference")
        for cell in PATH_CELLS
        for number, value in zip(numbers, smoothness(results, cell, form, kind), strict=True)
    )


def path_steps(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Steps between consecutive checkpoints: columns ``cell, number, start, end, length`` (epochs, distance)."""
    rows = []
    for cell, number, points, distances in _paths(results, form, kind):
        steps = zip(pairwise(points), np.diagonal(distances, offset=1), strict=True)
        rows += [
            {"cell": cell, "number": number, "start": int(a), "end": int(b), "length": length}
            for ((_, a), (_, b)), length in steps
        ]
    return pd.DataFrame(rows)


def _paths(results: Results, form: str, kind: str):
    for cell in PATH_CELLS:
        for number in path_numbers(results):
            yield (
                cell,
                number,
                *distances_of(results.table("paths"), form=form, kind=kind, number=number, cells=(cell,)),
            )


def distance_to_teacher(results: Results, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Distance of every MLP checkpoint to the finished CNN of its number: columns ``cell, number, epoch, distance``."""
    table = results.table("paths")
    table = table[(table["form"] == form) & (table["kind"] == kind)]
    last = table.loc[table["cell_b"] == "CNN", "epoch_b"].max()
    rows = table[(table["cell_b"] == "CNN") & (table["epoch_b"] == last) & (table["cell_a"] != "CNN")]
    names = {"cell_a": "cell", "epoch_a": "epoch", "value": "distance"}
    return rows.rename(columns=names)[["cell", "number", "epoch", "distance"]].reset_index(drop=True)


def similarity_square(results: Results, form: str) -> pd.DataFrame:
    """Similarity of every two final solutions; rows and columns are ``(cell, seed)`` in the order of the cells."""
    table = results.table("similarity")
    rows = table[table["form"] == form]
    order = list(dict.fromkeys(zip(rows["cell_a"], rows["seed_a"], strict=True)))
    square = rows.set_index(["cell_a", "seed_a", "cell_b", "seed_b"])["value"].unstack(["cell_b", "seed_b"])
    square = square.loc[order, order]
    return square.rename_axis(index=["cell", "seed"], columns=["cell", "seed"])


def similarity_by_cell(results: Results, form: str) -> pd.DataFrame:
    """Mean similarity between the solutions of two cells; on the diagonal between *different* solutions of one."""
    square = similarity_square(results, form)
    apart = square.where(~np.eye(len(square), dtype=bool))
    cells = list(dict.fromkeys(square.index.get_level_values("cell")))
    values = [[np.nanmean(apart.loc[a, b].to_numpy()) for b in cells] for a in cells]
    return pd.DataFrame(values, index=pd.Index(cells, name=None), columns=cells)


def similarity_to_cnns(results: Results, form: str) -> pd.DataFrame:
    """Mean similarity of each solution to the CNNs, itself left out: columns ``cell, seed, value``."""
    square = similarity_square(results, form)
    apart = square.where(~np.eye(len(square), dtype=bool))
    return apart["CNN"].mean(axis=1).rename("value").reset_index()


def solution_map(results: Results, *, form: str = "centred") -> pd.DataFrame:
    """All final solutions in one plane by the chord distance: columns ``cell, seed, across, up, stress``."""
    square = similarity_square(results, form)
    return _embedded(square.index.to_frame(index=False), distance_matrix(square.to_numpy(), kind="chord"))


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


def _embedded(frame: pd.DataFrame, distances: Float[np.ndarray, "m m"]) -> pd.DataFrame:
    """The frame with the coordinates of a joint map of its rows, and the map's stress in every row."""
    points = joint_mds(distances)
    return frame.assign(across=points[:, 0], up=points[:, 1], stress=stress(distances, points))
