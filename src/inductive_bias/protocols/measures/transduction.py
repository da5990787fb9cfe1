"""Rows of a model that answers at empty tokens: how many answers are right by the length of the string."""

from collections.abc import Iterator

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split, Transduction
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.vocabulary import PAD

#: Pairs of tokens of a forward pass at most: attention to distances has all weights of all heads in memory.
PAIRS = 2**20


@torch.no_grad()
def right_by_length(model: nn.Module, split: Split) -> pd.DataFrame:
    """Mean over the answers to all strings of a length, in its present mode: columns ``nll, accuracy`` by ``length``.

    Strings of one length go together, so that no model sees any padding.
    """
    device, lengths, found = next(model.parameters()).device, split.slices["length"], {}
    for length in lengths.unique().tolist():
        chosen = lengths == length
        inputs, labels = split.inputs[chosen], split.labels[chosen]
        tokens = int((inputs[0] != PAD).sum())
        nll, right, answers = 0.0, 0.0, 0
        size = max(1, PAIRS // tokens**2)
        for some, wanted in zip(inputs[:, :tokens].split(size), labels[:, :tokens].split(size), strict=True):
            asked = wanted != IGNORED
            logits, wanted = model(some.to(device)).float().cpu()[asked], wanted[asked]
            nll += F.cross_entropy(logits.double(), wanted, reduction="sum").item()
            right += (logits.argmax(-1) == wanted).sum().item()
            answers += len(wanted)
        found[length] = {"nll": nll / answers, "accuracy": right / answers}
    return pd.DataFrame(found).T.rename_axis("length")


def length_rows(found: pd.DataFrame, split: Split, name: str) -> Iterator[Row]:
    """``nll`` and ``accuracy`` as means over lengths, and ``accuracy`` by ``length``."""
    for metric, values in found.items():
        yield row(name, metric, values.mean(), split.source)
    for length, value in found["accuracy"].items():
        yield row(name, "accuracy", value, split.source, length=length)


def constant_rows(task: Transduction, split: Split, name: str) -> Iterator[Row]:
    """``constant_accuracy`` in the same places: the best answer that knows length and place alone, exactly."""
    best = {length: task.best_constant(length) for length in split.slices["length"].unique().tolist()}
    yield row(name, "constant_accuracy", sum(best.values()) / len(best), split.source)
    for length, value in best.items():
        yield row(name, "constant_accuracy", value, split.source, length=length)


def diverged_length_rows(split: Split, name: str) -> Iterator[Row]:
    """Scores of a diverged run as NaN."""
    lengths = split.slices["length"].unique().tolist()
    lost = pd.DataFrame(float("nan"), index=pd.Index(lengths, name="length"), columns=["nll", "accuracy"])
    return length_rows(lost, split, name)
