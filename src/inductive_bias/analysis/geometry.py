"""Final solutions and training paths of any study as tidy frames and maps.

``similarities`` is a table of :func:`~inductive_bias.studies.representations.similarity_table`, ``paths`` one of
:func:`~inductive_bias.studies.representations.path_table`, both as :meth:`Results.table` gives them: with the factors,
``cell``, ``seed`` and ``number`` of both ends. :func:`between` chooses runs. Coordinates of a map have no unit and
compare within that map only.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from jaxtyping import Float

from inductive_bias.analysis.embedding import joint_mds, stress, turned_to
from inductive_bias.analysis.paths import path_distance, path_smoothness
from inductive_bias.analysis.similarity import distance_matrix

#: A level of a factor.
Level = str | int | float | None
#: Similarities and distances by which the smoothness of a path is given.
PATH_FORMS = ("cosine", "cka")
PATH_KINDS = ("chord", "difference")


def between(table: pd.DataFrame, **levels: Level | Sequence[Level]) -> pd.DataFrame:
    """The rows of which both ends have these levels (one, or several of a factor)."""
    for factor, wanted in levels.items():
        table = table[_is_one_of(table[f"{factor}_a"], wanted) & _is_one_of(table[f"{factor}_b"], wanted)]
    return table


def _is_one_of(column: pd.Series, wanted: Level | Sequence[Level]) -> pd.Series:
    """Where a column has one of these levels; None stands for a missing one."""
    known = [wanted] if isinstance(wanted, Level) else list(wanted)
    found = column.isin([level for level in known if level is not None])
    return found | column.isna() if None in known else found


def similarity_square(similarities: pd.DataFrame, form: str) -> pd.DataFrame:
    """Similarity of every two final solutions; rows and columns are ``(cell, seed)`` in the order of the design.

    Raises:
        ValueError: if the table has no row of the form.
    """
    rows = similarities[similarities["form"] == form]
    if rows.empty:
        raise ValueError(f"the table has no form {form!r}; it has {', '.join(similarities['form'].unique())}")
    keys = ["cell_a", "seed_a", "cell_b", "seed_b"]
    square = rows.set_index(keys)["value"].unstack(["cell_b", "seed_b"]).sort_index().sort_index(axis=1)
    return square.rename_axis(index=["cell", "seed"], columns=["cell", "seed"])


def similarity_by_cell(similarities: pd.DataFrame, form: str, *, family: str | None = None) -> pd.DataFrame:
    """Mean similarity between the solutions of two cells; on the diagonal between *different* solutions of one.

    Args:
        similarities: the table.
        form: ``cosine``, ``centred`` or ``cka``.
        family: a factor. With it, twins are left out as well: two solutions of one level and one seed have the same
            initial weights, which makes them alike whatever they learnt.

    Returns:
        A square by cell; NaN where no pair is left, such as on the diagonal of a cell with a single solution.
    """
    rows = similarities[similarities["form"] == form]
    start = family or "cell"
    twins = (rows[f"{start}_a"].astype(str) == rows[f"{start}_b"].astype(str)) & (rows["seed_a"] == rows["seed_b"])
    apart = rows.assign(value=rows["value"].where(~twins & (rows["trial_a"] != rows["trial_b"])))
    square = apart.pivot_table(index="cell_a", columns="cell_b", values="value", observed=True, dropna=False)
    there = [name for name in rows["cell_a"].cat.categories if name in set(rows["cell_a"])]
    return square.reindex(index=there, columns=there).rename_axis(index=None, columns=None)


def similarity_to(similarities: pd.DataFrame, form: str, **levels: Level | Sequence[Level]) -> pd.DataFrame:
    """Mean similarity of each solution to those with these levels, itself left out.

    Returns:
        One row a solution: its factors, ``cell, seed, number`` and ``value``.

    Raises:
        ValueError: if the table has no row of the form or of the levels.
    """
    rows = similarities[(similarities["form"] == form) & (similarities["trial_a"] != similarities["trial_b"])]
    for factor, wanted in levels.items():
        rows = rows[_is_one_of(rows[f"{factor}_b"], wanted)]
    if rows.empty:
        raise ValueError(f"the table has no {form!r} similarity to {levels}")
    return _mean_by(rows, ["trial_a"], _known(rows))


def _known(rows: pd.DataFrame) -> list[str]:
    """Columns that say which run the first end is."""
    return [name for name in rows.columns if name.endswith("_a") and name not in ("trial_a", "epoch_a")]


def _mean_by(rows: pd.DataFrame, keys: list[str], known: list[str]) -> pd.DataFrame:
    means = rows.groupby(keys, sort=False)["value"].mean()
    labels = rows.drop_duplicates(keys).set_index(keys)[known]
    return _tidied(labels.assign(value=means)).sort_values(["cell", "number"], ignore_index=True)


def _tidied(rows: pd.DataFrame) -> pd.DataFrame:
    """Of one end of a pair: names without suffix, and no unused categories, for which a figure would leave room."""
    rows = rows.reset_index(drop=True).rename(columns=lambda name: name.removesuffix("_a"))
    return rows.assign(**{name: rows[name].cat.remove_unused_categories() for name in rows.select_dtypes("category")})


def solution_map(similarities: pd.DataFrame, *, form: str = "centred") -> pd.DataFrame:
    """All final solutions in one plane by the chord distance: factors, ``cell, seed, number, across, up, stress``."""
    square = similarity_square(similarities, form)
    known = similarities.drop_duplicates("trial_a").set_index(["cell_a", "seed_a"])
    labels = known.loc[square.index, [n for n in known if n.endswith("_a") and n != "trial_a"]].reset_index()
    return _embedded(_tidied(labels), distance_matrix(square.to_numpy(), kind="chord"))


def path_numbers(paths: pd.DataFrame) -> list[int]:
    """The numbers (places in their cells) for which there are paths."""
    return sorted(paths["number_a"].unique().tolist())


def path_maps(paths: pd.DataFrame, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """All checkpoints in a plane, one joint embedding a number, each turned to lie as the first one does.

    Returns:
        Columns ``number, cell, epoch, across, up, stress``.
    """
    frames = []
    for number in path_numbers(paths):
        points, distances = distances_of(paths, form=form, kind=kind, number=number)
        frame = _embedded(pd.DataFrame(points, columns=["cell", "epoch"]), distances)
        frame.insert(0, "number", number)
        frames.append(_turned(frame, frames[0]) if frames else frame)
    return pd.concat(frames, ignore_index=True)


def smoothness(paths: pd.DataFrame, form: str = "cosine", kind: str = "chord") -> pd.Series:
    """Path length over the distance of its ends, by number; the table holds the paths of one cell.

    ``chord`` is a metric, so that 1 is a straight path; ``difference`` (1 − similarity) is the paper's distance.
    """
    found = {number: path_smoothness(distances) for _, number, _, distances in _each(paths, form, kind)}
    return pd.Series(found, name="smoothness").rename_axis("number")


def smoothness_by_seed(paths: pd.DataFrame) -> pd.DataFrame:
    """:func:`smoothness` of every cell: columns ``cell, number, checkpoints, form, kind, value``."""
    return pd.DataFrame(
        {
            "cell": cell,
            "number": number,
            "checkpoints": len(points),
            "form": form,
            "kind": kind,
            "value": path_smoothness(distances),
        }
        for form in PATH_FORMS
        for kind in PATH_KINDS
        for cell, number, points, distances in _each(paths, form, kind)
    )


def smoothness_table(smooth: pd.DataFrame) -> pd.DataFrame:
    """:func:`smoothness_by_seed` for a page: ``form, kind, cell, checkpoints, mean``, and one column a number."""
    keys = ["form", "kind", "cell", "checkpoints"]
    smooth = smooth.replace({"kind": {"difference": "1 − similarity"}})
    table = smooth.set_index([*keys, "number"])["value"].unstack("number").add_prefix("seed ")
    table.insert(0, "mean", table.mean(axis=1))
    order = list(dict.fromkeys(smooth[keys].itertuples(index=False, name=None)))
    return table.loc[order].rename_axis(columns=None).reset_index()


def path_steps(paths: pd.DataFrame, *, form: str = "cosine", kind: str = "chord") -> pd.DataFrame:
    """Steps between consecutive checkpoints: columns ``cell, number, start, end, length`` (epochs, distance)."""
    rows = []
    for cell, number, points, distances in _each(paths, form, kind):
        steps = zip(pairwise(points), np.diagonal(distances, offset=1), strict=True)
        rows += [
            {"cell": cell, "number": number, "start": int(a), "end": int(b), "length": length}
            for ((_, a), (_, b)), length in steps
        ]
    return pd.DataFrame(rows)


def distance_to_finished(
    paths: pd.DataFrame, *, form: str = "cosine", kind: str = "chord", **levels: Level
) -> pd.DataFrame:
    """Distance of every other checkpoint to the last of the teacher of its number: ``cell, number, epoch, distance``.

    Args:
        paths: the table.
        form: ``cosine`` or ``cka``.
        kind: of distance.
        levels: of the teacher's cell.

    Raises:
        ValueError: if the table has no path of the teacher.
    """
    rows = _to_teacher(paths, form, kind, levels)
    rows = rows[rows["epoch_b"] == rows["epoch_b"].max()]
    names = {"cell_a": "cell", "number_a": "number", "epoch_a": "epoch", "value": "distance"}
    found = rows.rename(columns=names)[["cell", "number", "epoch", "distance"]].reset_index(drop=True)
    return found.astype({"cell": str})  # as the other tables of paths have it


def distance_to_path(
    paths: pd.DataFrame, *, form: str = "cosine", kind: str = "chord", **levels: Level
) -> pd.DataFrame:
    """How near every other path lies to that of the teacher of its number, as a whole: ``cell, number, distance``.

    By dynamic time warping (:func:`~.paths.path_distance`), without the first checkpoints, at which nothing is learnt.
    The arguments are those of :func:`distance_to_finished`.

    Raises:
        ValueError: if the table has no path of the teacher.
    """
    rows = _to_teacher(paths, form, kind, levels)
    trained = rows[(rows["epoch_a"] > rows["epoch_a"].min()) & (rows["epoch_b"] > rows["epoch_b"].min())]
    found = []
    for (cell, number), pair in trained.groupby(["cell_a", "number_a"], observed=True):
        square = pair.pivot(index="epoch_a", columns="epoch_b", values="value").sort_index().sort_index(axis=1)
        found.append({"cell": str(cell), "number": int(number), "distance": path_distance(square.to_numpy())})
    return pd.DataFrame(found)


def _to_teacher(paths: pd.DataFrame, form: str, kind: str, levels: Mapping[str, Level]) -> pd.DataFrame:
    """Distances of all checkpoints of other cells to those of a teacher."""
    table = paths[(paths["form"] == form) & (paths["kind"] == kind)]
    teacher = np.logical_and.reduce([_is_one_of(table[f"{factor}_b"], level) for factor, level in levels.items()])
    if not teacher.any():
        raise ValueError(f"the table has no path of {levels}; it has {', '.join(table['cell_b'].unique())}")
    cells = set(table.loc[teacher, "cell_b"])
    return table[teacher & ~table["cell_a"].isin(cells)]


def distances_of(
    table: pd.DataFrame, *, form: str, kind: str, number: int
) -> tuple[list[tuple[str, int]], Float[np.ndarray, "m m"]]:
    """The points ``(cell, epoch)`` of one number, and the square matrix of their distances."""
    rows = table[(table["form"] == form) & (table["kind"] == kind) & (table["number_a"] == number)]
    square = rows.pivot(index=["cell_a", "epoch_a"], columns=["cell_b", "epoch_b"], values="value")
    square = square.sort_index().sort_index(axis=1)
    return list(square.index), square.to_numpy()


def _each(paths: pd.DataFrame, form: str, kind: str) -> Iterator[tuple[str, int, list, Float[np.ndarray, "m m"]]]:
    """Cell, number, points and distances of every path."""
    own = paths[(paths["form"] == form) & (paths["kind"] == kind) & (paths["trial_a"] == paths["trial_b"])]
    for (cell, number), rows in own.groupby(["cell_a", "number_a"], observed=True):
        points, distances = distances_of(rows, form=form, kind=kind, number=number)
        yield str(cell), int(number), points, distances


def _turned(frame: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    """A map turned so that its points lie near those of another that have their names; nothing is stretched."""
    keys, plane = ["cell", "epoch"], ["across", "up"]
    both = frame.merge(first, on=keys, suffixes=("", "_first"))
    rotation, move = turned_to(both[plane].to_numpy(), both[["across_first", "up_first"]].to_numpy())
    return frame.assign(**dict(zip(plane, (frame[plane].to_numpy() @ rotation + move).T, strict=True)))


def _embedded(frame: pd.DataFrame, distances: Float[np.ndarray, "m m"]) -> pd.DataFrame:
    """The frame with the coordinates of a joint map of its rows, and the map's stress in every row."""
    points = joint_mds(distances)
    return frame.assign(across=points[:, 0], up=points[:, 1], stress=stress(distances, points))
