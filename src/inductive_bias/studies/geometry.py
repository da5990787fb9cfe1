"""Final solutions and training paths of any study as tidy frames and maps, made from its tables of representations.

``similarities`` is a table of :func:`~inductive_bias.studies.representations.similarity_table`, ``paths`` one of
:func:`~inductive_bias.studies.representations.path_table`. Coordinates of a map have no unit and compare within that
map only.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from jaxtyping import Float

from inductive_bias.analysis import distance_matrix, joint_mds, path_smoothness, stress
from inductive_bias.studies.representations import distances_of

#: Similarities and distances by which the smoothness of a path is given.
PATH_FORMS = ("cosine", "cka")
PATH_KINDS = ("chord", "difference")


def similarity_square(similarities: pd.DataFrame, form: str, cells: Sequence[str] | None = None) -> pd.DataFrame:
    """Similarity of every two final solutions; rows and columns are ``(cell, seed)``.

    Args:
        similarities: the table.
        form: ``cosine``, ``centred`` or ``cka``.
        cells: which cells, in this order; all in the table's order if not given.

    Raises:
        ValueError: if the table has no row of the form or of a cell.
    """
    rows = similarities[similarities["form"] == form]
    order = list(dict.fromkeys(zip(rows["cell_a"], rows["seed_a"], strict=True)))
    if not order:
        raise ValueError(f"the table has no form {form!r}; it has {', '.join(similarities['form'].unique())}")
    there = {cell for cell, _ in order}
    if cells is not None:
        if missing := [cell for cell in cells if cell not in there]:
            raise ValueError(f"the table has no cell {missing[0]!r}; it has {', '.join(sorted(there))}")
        order = [run for cell in cells for run in order if run[0] == cell]
    square = rows.set_index(["cell_a", "seed_a", "cell_b", "seed_b"])["value"].unstack(["cell_b", "seed_b"])
    return square.loc[order, order].rename_axis(index=["cell", "seed"], columns=["cell", "seed"])


def similarity_by_cell(
    similarities: pd.DataFrame,
    form: str,
    cells: Sequence[str] | None = None,
    *,
    family: Callable[[str], str] | None = None,
) -> pd.DataFrame:
    """Mean similarity between the solutions of two cells; on the diagonal between *different* solutions of one.

    Args:
        similarities: the table.
        form: ``cosine``, ``centred`` or ``cka``.
        cells: which cells, in this order; all in the table's order if not given.
        family: from a cell to its architecture. With it, twins are left out as well: two solutions of one architecture
            and one seed have the same initial weights, which makes them alike whatever they learnt.

    Returns:
        A square; NaN where no pair is left, such as on the diagonal of a cell with a single solution.
    """
    square = similarity_square(similarities, form, cells)
    starts = [(family(cell) if family else cell, seed) for cell, seed in square.index]
    apart = square.where([[a != b for b in starts] for a in starts])
    names = list(dict.fromkeys(cell for cell, _ in square.index))
    # a mean over all pairs of a block: its rows need not have equally many
    sums, counts = (
        frame.groupby(level="cell").sum().T.groupby(level="cell").sum().T.loc[names, names]
        for frame in (apart.fillna(0.0), apart.notna())
    )
    return (sums / counts).rename_axis(index=None, columns=None)


def similarity_to(similarities: pd.DataFrame, family: str, form: str) -> pd.DataFrame:
    """Mean similarity of each solution to those of the cell ``family``, itself left out: columns ``cell, seed, value``.

    Raises:
        ValueError: if the table has no row of the form or of the family.
    """
    square = similarity_square(similarities, form)
    if family not in square.columns.get_level_values("cell"):
        raise ValueError(f"the table has no cell {family!r}")
    return _apart(square)[family].mean(axis=1).rename("value").reset_index()


def solution_map(similarities: pd.DataFrame, *, form: str = "centred") -> pd.DataFrame:
    """All final solutions in one plane by the chord distance: columns ``cell, seed, across, up, stress``."""
    square = similarity_square(similarities, form)
    return _embedded(square.index.to_frame(index=False), distance_matrix(square.to_numpy(), kind="chord"))


def path_numbers(paths: pd.DataFrame) -> list[int]:
    """The numbers (places in their cells) for which there are paths."""
    return sorted(paths["number"].unique().tolist())


def path_maps(
    paths: pd.DataFrame, cells: tuple[str, ...], *, form: str = "cosine", kind: str = "chord"
) -> pd.DataFrame:
    """All checkpoints of ``cells`` in a plane, one joint embedding a number.

    Returns:
        Columns ``number, cell, epoch, across, up, stress``.
    """
    frames = []
    for number in path_numbers(paths):
        points, distances = distances_of(paths, form=form, kind=kind, number=number, cells=cells)
        frame = _embedded(pd.DataFrame(points, columns=["cell", "epoch"]), distances)
        frame.insert(0, "number", number)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def smoothness(paths: pd.DataFrame, cell: str, form: str = "cosine", kind: str = "chord") -> list[float]:
    """Path length over the distance of its ends, one value a number.

    ``chord`` is a metric, so that 1 is a straight path; ``difference`` (1 − similarity) is the paper's distance.
    """
    return [path_smoothness(distances) for _, _, _, distances in _each(paths, (cell,), form, kind)]


def smoothness_by_seed(paths: pd.DataFrame, cells: Iterable[str]) -> pd.DataFrame:
    """:func:`smoothness` of ``cells``: columns ``cell, number, checkpoints, form, kind, value``."""
    counts = paths.drop_duplicates(["cell_a", "epoch_a"]).groupby("cell_a").size()
    cells, numbers = tuple(cells), path_numbers(paths)
    return pd.DataFrame(
        {"cell": cell, "number": number, "checkpoints": int(counts[cell]), "form": form, "kind": kind, "value": value}
        for form in PATH_FORMS
        for kind in PATH_KINDS
        for cell in cells
        for number, value in zip(numbers, smoothness(paths, cell, form, kind), strict=True)
    )


def smoothness_table(smooth: pd.DataFrame) -> pd.DataFrame:
    """:func:`smoothness_by_seed` for a page: ``form, kind, cell, checkpoints, mean``, and one column a number."""
    keys = ["form", "kind", "cell", "checkpoints"]
    smooth = smooth.replace({"kind": {"difference": "1 − similarity"}})
    table = smooth.set_index([*keys, "number"])["value"].unstack("number").add_prefix("seed ")
    table.insert(0, "mean", table.mean(axis=1))
    order = list(dict.fromkeys(smooth[keys].itertuples(index=False, name=None)))
    return table.loc[order].rename_axis(columns=None).reset_index()


def path_steps(paths: pd.DataFrame, cells: Iterable[str], *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Steps between consecutive checkpoints: columns ``cell, number, start, end, length`` (epochs, distance)."""
    rows = []
    for cell, number, points, distances in _each(paths, cells, form, kind):
        steps = zip(pairwise(points), np.diagonal(distances, offset=1), strict=True)
        rows += [
            {"cell": cell, "number": number, "start": int(a), "end": int(b), "length": length}
            for ((_, a), (_, b)), length in steps
        ]
    return pd.DataFrame(rows)


def distance_to_finished(
    paths: pd.DataFrame, teacher: str, *, form: str = "cosine", kind: str = "chord"
) -> pd.DataFrame:
    """Distance of every other checkpoint to the last of ``teacher`` of its number: ``cell, number, epoch, distance``.

    Raises:
        ValueError: if the table has no path of the teacher.
    """
    table = paths[(paths["form"] == form) & (paths["kind"] == kind)]
    if teacher not in set(table["cell_b"]):
        raise ValueError(f"the table has no path of {teacher!r}; it has {', '.join(table['cell_b'].unique())}")
    last = table.loc[table["cell_b"] == teacher, "epoch_b"].max()
    rows = table[(table["cell_b"] == teacher) & (table["epoch_b"] == last) & (table["cell_a"] != teacher)]
    names = {"cell_a": "cell", "epoch_a": "epoch", "value": "distance"}
    return rows.rename(columns=names)[["cell", "number", "epoch", "distance"]].reset_index(drop=True)


def _each(
    paths: pd.DataFrame, cells: Iterable[str], form: str, kind: str
) -> Iterator[tuple[str, int, list, Float[np.ndarray, "m m"]]]:
    for cell in cells:
        for number in path_numbers(paths):
            yield (cell, number, *distances_of(paths, form=form, kind=kind, number=number, cells=(cell,)))


def _apart(square: pd.DataFrame) -> pd.DataFrame:
    """With NaN where a network meets itself."""
    return square.where(~np.eye(len(square), dtype=bool))


def _embedded(frame: pd.DataFrame, distances: Float[np.ndarray, "m m"]) -> pd.DataFrame:
    """The frame with the coordinates of a joint map of its rows, and the map's stress in every row."""
    points = joint_mds(distances)
    return frame.assign(across=points[:, 0], up=points[:, 1], stress=stress(distances, points))
