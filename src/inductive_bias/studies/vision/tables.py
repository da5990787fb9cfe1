"""Tables of the vision study that compare trials with one another: similarities, paths and barriers."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from torch import Tensor, nn

from inductive_bias.analysis import (
    align_hidden_units,
    interpolate,
    recompute_batch_statistics,
)
from inductive_bias.metrics import accuracy, negative_log_likelihood
from inductive_bias.models import MLP
from inductive_bias.protocols.measures import logits_of
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.vision.design import CNN_TO_MLP, INDEPENDENT, PAIRS, SAME_STEPS
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.trials import Trial

POINTS = 11
#: Clean training images from which batch statistics are computed again for an interpolated model.
STATISTICS_EXAMPLES = 5000


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation images."""
    return similarity_table(runs, (*INDEPENDENT, SAME_STEPS, *PAIRS))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and their undistilled twin, for each seed.

    The twin shares initial weights and order of batches with the students, so the paths start at one point.
    """
    return path_table(runs, ("CNN", SAME_STEPS, CNN_TO_MLP, "MLP → MLP"))


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


def _lines(runs: Runs) -> Iterator[tuple[str, Trial, Trial, bool]]:
    """Kind of line, its two ends, and whether to align them as well (twins share their start: nothing to align)."""
    cells = runs.cells
    for kind, cell in (("two MLPs", SAME_STEPS), ("two students of CNNs", CNN_TO_MLP)):
        yield from ((kind, a, b, True) for a, b in combinations(cells[cell], 2))
    twins = {
        "MLP and its CNN-taught twin": (SAME_STEPS, CNN_TO_MLP),
        "MLP and its self-distilled twin": (SAME_STEPS, "MLP → MLP"),
        "CNN-taught and MLP-taught twins": (CNN_TO_MLP, "MLP → MLP"),
    }
    for kind, (a, b) in twins.items():
        yield from ((kind, s, t, False) for s, t in zip(cells[a], cells[b], strict=True))
    yield from (("MLP teacher and student", a, b, True) for a, b in zip(cells["MLP"], cells["MLP → MLP"], strict=True))
    yield from (("CNN teacher and student", a, b, False) for a, b in zip(cells["CNN"], cells["CNN → CNN"], strict=True))


def _line(runs: Runs, kind: str, first: Trial, second: Trial, *, aligned: bool) -> list[dict[str, object]]:
    data, model = runs.data(first), runs.model(first)
    a, b = runs.store.weights(first), runs.store.weights(second)
    if aligned:
        b = align_hidden_units(a, b, hidden_layers(model))
    rows = []
    for weight in np.linspace(0, 1, POINTS):
        for statistics in ("as interpolated", "computed again"):
            model.load_state_dict(interpolate(a, b, float(weight)))
            if statistics == "computed again":
                recompute_batch_statistics(model, ordered_chunks(data["train"].inputs[:STATISTICS_EXAMPLES]))
            for metric, value in _test_values(model.eval(), data).items():
                rows.append(
                    {"kind": kind, "model": first.model.kind, "seed_a": first.seed, "seed_b": second.seed,
                     "aligned": aligned, "statistics": statistics, "weight": round(float(weight), 6),
                     "metric": metric, "value": value}
                )  # fmt: skip
    return rows


def _test_values(model: nn.Module, data: TaskData) -> dict[str, float]:
    logits: Tensor = logits_of(model, data["test"].inputs)
    labels = data["test"].labels
    return {"nll": negative_log_likelihood(logits, labels), "accuracy": accuracy(logits, labels)}


def hidden_layers(model: MLP) -> list[tuple[str, list[str]]]:
    """Names of an MLP's linear layers, each with the normalisation whose units permute with it."""
    return [(f"hidden.{i}.linear", [f"hidden.{i}.norm"]) for i in range(len(model.hidden))] + [("readout", [])]


TABLES: dict[str, Callable[[Runs], pd.DataFrame]] = {"similarity": similarity, "paths": paths, "barriers": barriers}
