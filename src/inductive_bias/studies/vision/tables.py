"""Tables of the vision study that compare trials with one another: similarities, paths and barriers."""

from collections.abc import Iterator
from itertools import combinations, product

import pandas as pd
from torch import nn

from inductive_bias.analysis import align_hidden_units, interpolation_curve, recompute_batch_statistics
from inductive_bias.metrics import accuracy, negative_log_likelihood
from inductive_bias.models import MLP
from inductive_bias.protocols.measures import logits_of
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.vision.design import CNN, MLP_ALONE, SAME_STEPS, SELF_TAUGHT, STANDARD, TAUGHT, TWIN
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.trials import Trial

POINTS = 11
STATISTICS_EXAMPLES = 5000  # clean training images from which batch statistics are computed again
#: Runs of a cell that are compared with all others; a cell may have more of them for the sake of its scores.
COMPARED = 4


def compared(runs: Runs) -> list[Trial]:
    """The first runs of the paper's cells and of the twin."""
    members = runs.design.members(runs.scale)
    return [trial for trial in runs.trials(variant=(STANDARD, SAME_STEPS)) if members[trial.id][1] < COMPARED]


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation images."""
    return similarity_table(runs, runs.trials())


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a CNN, its MLP student, one taught by an MLP, and their undistilled twin.

    The twin shares initial weights and order of batches with the students, so their paths start at one point.
    """
    return path_table(runs, zip(*(runs.trials(**cell) for cell in (CNN, TWIN, TAUGHT, SELF_TAUGHT)), strict=True))


def barriers(runs: Runs) -> pd.DataFrame:
    """Test loss and accuracy on the straight line between two solutions of one architecture.

    ``statistics``: batch normalisation as interpolated, or computed again from training images (an interpolated model
    with stale statistics looks worse than it is). ``aligned``: after permuting the hidden units of the second model to
    match the first (Ainsworth et al. 2023), which removes the symmetry that separates independent solutions.
    """
    rows = []
    for kind, first, second, align in _lines(runs):
        data, model = runs.data(first), runs.model(first).eval()
        a, b = runs.store.weights(first), runs.store.weights(second)
        ends = {False: b, True: align_hidden_units(a, b, hidden_layers(model))} if align else {False: b}

        def scores(model: nn.Module, test: Split = data["test"]) -> dict[str, float]:
            logits = logits_of(model, test.inputs)
            return {"nll": negative_log_likelihood(logits, test.labels), "accuracy": accuracy(logits, test.labels)}

        def refresh(model: nn.Module, train: Split = data["train"]) -> None:
            recompute_batch_statistics(model, ordered_chunks(train.inputs[:STATISTICS_EXAMPLES]))

        treatments = {"as interpolated": None, "computed again": refresh}
        for (aligned, end), (statistics, prepare) in product(ends.items(), treatments.items()):
            rows += [
                {
                    "kind": kind,
                    "trial_a": first.id,
                    "trial_b": second.id,
                    "aligned": aligned,
                    "statistics": statistics,
                    "weight": round(weight, 6),
                    "metric": name,
                    "value": value,
                }
                for weight, found in interpolation_curve(model, a, end, scores, points=POINTS, prepare=prepare)
                for name, value in found.items()
            ]
    return pd.DataFrame(rows)


def _lines(runs: Runs) -> Iterator[tuple[str, Trial, Trial, bool]]:
    """Kind of line, its two ends, and whether to align them as well (twins share their start: nothing to align)."""
    for kind, cell in (("two MLPs", TWIN), ("two students of CNNs", TAUGHT)):
        yield from ((kind, a, b, True) for a, b in combinations(runs.trials(**cell), 2))
    for kind, first, second, align in (
        ("MLP and its CNN-taught twin", TWIN, TAUGHT, False),
        ("MLP and its self-distilled twin", TWIN, SELF_TAUGHT, False),
        ("CNN-taught and MLP-taught twins", TAUGHT, SELF_TAUGHT, False),
        ("MLP teacher and student", MLP_ALONE, SELF_TAUGHT, True),
        ("CNN teacher and student", CNN, CNN | {"teacher": "CNN"}, False),
    ):
        yield from ((kind, a, b, align) for a, b in zip(runs.trials(**first), runs.trials(**second), strict=True))


def hidden_layers(model: MLP) -> list[tuple[str, list[str]]]:
    """Names of an MLP's linear layers, each with the normalisation whose units permute with it."""
    return [(f"hidden.{i}.linear", [f"hidden.{i}.norm"]) for i in range(len(model.hidden))] + [("readout", [])]


TABLES = {make.__name__: Table(make, uses=compared) for make in (similarity, paths, barriers)}
