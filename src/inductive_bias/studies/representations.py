"""Tables of representations that several studies make: similarities of trained models, and paths of training."""

from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd
from jaxtyping import Float
from torch import Tensor

from inductive_bias.analysis import distance_matrix, similarity_between
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

FORMS = ("cosine", "centred", "cka")


def similarity_table(runs: Runs, trials: Sequence[Trial]) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials on the same probe examples.

    Returns:
        The table of :func:`similarity_of`.
    """
    return similarity_of(trials, [list(runs.features(trial).values())[-1] for trial in trials])


def similarity_of(trials: Sequence[Trial], features: Sequence[Float[Tensor, "n _"]]) -> pd.DataFrame:
    """Similarity of every two trials, of which the features of the same examples are given.

    Returns:
        One row a pair and form: columns ``form, trial_a, trial_b, value``.
    """
    features = [each.numpy() for each in features]
    rows = []
    for form in FORMS:
        matrix = similarity_between(features, form=form)
        rows += [
            {"form": form, "trial_a": a.id, "trial_b": b.id, "value": matrix[i, j]}
            for i, a in enumerate(trials)
            for j, b in enumerate(trials)
        ]
    return pd.DataFrame(rows)


def path_table(runs: Runs, families: Iterable[Sequence[Trial]]) -> pd.DataFrame:
    """Distances between all checkpoints of the trials of each family (a teacher, its students, their twins).

    Returns:
        One row a pair of checkpoints: columns ``form, kind, trial_a, epoch_a, trial_b, epoch_b, value``.
    """
    rows = []
    for family in families:
        kept = {(trial.id, epoch): x for trial in family for epoch, x in runs.features(trial).items()}
        points, features = list(kept), [values.numpy() for values in kept.values()]
        for form, kind in product(("cosine", "cka"), ("difference", "chord")):
            distances = distance_matrix(similarity_between(features, form=form), kind=kind)
            rows += [
                {
                    "form": form,
                    "kind": kind,
                    "trial_a": a,
                    "epoch_a": e,
                    "trial_b": b,
                    "epoch_b": f,
                    "value": distances[i, j],
                }
                for i, (a, e) in enumerate(points)
                for j, (b, f) in enumerate(points)
            ]
    return pd.DataFrame(rows)
