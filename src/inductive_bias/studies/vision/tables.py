"""Tables of the vision study that compare trials with one another: similarities, paths and barriers."""

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np
import pandas as pd
from torch import Tensor, nn

from inductive_bias.analysis import align_hidden_units, interpolate, recompute_batch_statistics
from inductive_bias.evaluation import logits_of
from inductive_bias.metrics import accuracy, negative_log_likelihood
from inductive_bias.models import MLP
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.vision.design import MODELS, SAME_STEPS, STANDARD
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.trials import Trial

POINTS = 11
#: Clean training images from which batch statistics are computed again for an interpolated model.
STATISTICS_EXAMPLES = 5000


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation images."""
    return similarity_table(runs, runs.trials(variant=(STANDARD, SAME_STEPS)))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a CNN, its MLP student, one taught by an MLP, and their undistilled twin.

    The twin shares initial weights and order of batches with the students, so their paths start at one point.
    """
    students = [runs.trials(model="MLP", teacher=teacher, variant=STANDARD) for teacher in MODELS]
    return path_table(runs, zip(runs.trials(model="CNN", teacher=NO_TEACHER), _twins(runs), *students, strict=True))


def barriers(runs: Runs) -> pd.DataFrame:
    """Test loss and accuracy on the straight line between two solutions of one architecture.

    ``statistics``: batch normalisation as interpolated, or computed again from training images (an interpolated model
    with stale statistics looks worse than it is). ``aligned``: after permuting the hidden units of the second model to
    match the first (Ainsworth et al. 2023), which removes the symmetry that separates independent solutions.
    """
    rows = []
    for kind, first, second, align in _lines(runs):
        for aligned in (False, True) if align else (False,):
            rows += _line(runs, kind, first, second, aligned=aligned)
    return pd.DataFrame(rows)


def _twins(runs: Runs) -> list[Trial]:
    return runs.trials(variant=SAME_STEPS)


def _lines(runs: Runs) -> Iterator[tuple[str, Trial, Trial, bool]]:
    """Kind of line, its two ends, and whether to align them as well (twins share their start: nothing to align)."""
    cells = {
        (model, teacher): runs.trials(model=model, teacher=teacher, variant=STANDARD)
        for model, teacher in product(MODELS, (NO_TEACHER, *MODELS))
    }
    twins, of_cnn, of_mlp = _twins(runs), cells["MLP", "CNN"], cells["MLP", "MLP"]
    yield from (("two MLPs", a, b, True) for a, b in combinations(twins, 2))
    yield from (("two students of CNNs", a, b, True) for a, b in combinations(of_cnn, 2))
    for kind, first, second, align in (
        ("MLP and its CNN-taught twin", twins, of_cnn, False),
        ("MLP and its self-distilled twin", twins, of_mlp, False),
        ("CNN-taught and MLP-taught twins", of_cnn, of_mlp, False),
        ("MLP teacher and student", cells["MLP", NO_TEACHER], of_mlp, True),
        ("CNN teacher and student", cells["CNN", NO_TEACHER], cells["CNN", "CNN"], False),
    ):
        yield from ((kind, a, b, align) for a, b in zip(first, second, strict=True))


def _line(runs: Runs, kind: str, first: Trial, second: Trial, *, aligned: bool) -> list[dict[str, object]]:
    data, model = runs.data(first), runs.model(first)
    a, b = runs.store.weights(first), runs.store.weights(second)
    if aligned:
        b = align_hidden_units(a, b, hidden_layers(model))
    known = {"kind": kind, "trial_a": first.id, "trial_b": second.id, "aligned": aligned}
    rows = []
    for weight in np.linspace(0, 1, POINTS):
        for statistics in ("as interpolated", "computed again"):
            model.load_state_dict(interpolate(a, b, float(weight)))
            if statistics == "computed again":
                recompute_batch_statistics(model, ordered_chunks(data["train"].inputs[:STATISTICS_EXAMPLES]))
            at = known | {"statistics": statistics, "weight": round(float(weight), 6)}
            rows += [at | {"metric": name, "value": x} for name, x in _test_values(model.eval(), data).items()]
    return rows


def _test_values(model: nn.Module, data: TaskData) -> dict[str, float]:
    logits: Tensor = logits_of(model, data["test"].inputs)
    labels = data["test"].labels
    return {"nll": negative_log_likelihood(logits, labels), "accuracy": accuracy(logits, labels)}


def hidden_layers(model: MLP) -> list[tuple[str, list[str]]]:
    """Names of an MLP's linear layers, each with the normalisation whose units permute with it."""
    return [(f"hidden.{i}.linear", [f"hidden.{i}.norm"]) for i in range(len(model.hidden))] + [("readout", [])]


TABLES: dict[str, Callable[[Runs], pd.DataFrame]] = {"similarity": similarity, "paths": paths, "barriers": barriers}
