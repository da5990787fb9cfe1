"""Tables of representations that several studies make: similarities of trained models, and paths of training."""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from inductive_bias.analysis import distance_matrix, similarity_between
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

FORMS = ("cosine", "centred", "cka")


def similarity_table(runs: Runs, cells: Iterable[str]) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials of ``cells``, on the same probe examples.

    Returns:
        One row a pair and form: columns ``form, cell_a, seed_a, cell_b, seed_b, value``.
    """
    members = [(cell, trial) for cell in cells for trial in runs.cells[cell]]
    features = [list(runs.features(trial).values())[-1].numpy() for _, trial in members]
    frames = []
    for form in FORMS:
        matrix = similarity_between(features, form=form)
        frames += [
            {"form": form, "cell_a": a, "seed_a": s.seed, "cell_b": b, "seed_b": t.seed, "value": matrix[i, j]}
            for i, (a, s) in enumerate(members)
            for j, (b, t) in enumerate(members)
        ]
    return pd.DataFrame(frames)


def path_table(runs: Runs, cells: Sequence[str]) -> pd.DataFrame:
    """Distances between all checkpoints of the trials of ``cells`` that have the same number in their cells.

    Returns:
        One row a pair of checkpoints: columns ``form, kind, number, cell_a, epoch_a, cell_b, epoch_b, value``.
    """
    frames = []
    for number in range(len(runs.cells[cells[0]])):
        trials: dict[str, Trial] = {cell: runs.cells[cell][number] for cell in cells}
        kept = {(cell, epoch): x for cell, t in trials.items() for epoch, x in runs.features(t).items()}
        points, features = list(kept), [values.numpy() for values in kept.values()]
        for form, kind in product(("cosine", "cka"), ("difference", "chord")):
            distances = distance_matrix(similarity_between(features, form=form), kind=kind)
            frames += [
                {"form": form, "kind": kind, "number": number, "cell_a": a, "epoch_a": e, "cell_b": b, "epoch_b": f,
                 "value": distances[i, j]}
                for i, (a, e) in enumerate(points)
                for j, (b, f) in enumerate(points)
            ]  # fmt: skip
    return pd.DataFrame(frames)


def distances_of(
    table: pd.DataFrame, *, form: str, kind: str, number: int, cells: tuple[str, ...]
) -> tuple[list, np.ndarray]:
    """The points ``(cell, epoch)`` and the square matrix of their distances, from a :func:`path_table`."""
    rows = table[(table["form"] == form) & (table["kind"] == kind) & (table["number"] == number)]
    rows = rows[rows["cell_a"].isin(cells) & rows["cell_b"].isin(cells)]
    square = rows.pivot_table(index=["cell_a", "epoch_a"], columns=["cell_b", "epoch_b"], values="value", sort=False)
    return list(square.index), square.to_numpy()
