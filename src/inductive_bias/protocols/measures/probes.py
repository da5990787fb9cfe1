"""Rows of a model of a probe: right answers by length, calibration, and which of two rules it follows."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.metrics import accuracy, confidence_and_correct, expected_calibration_error, negative_log_likelihood
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks
from inductive_bias.tasks.data import IGNORED

#: Metrics of the test split, by length.
METRICS = ("accuracy", "constant_accuracy", "nll", "ece_20")
#: Metrics of the split on which two rules differ.
PREFERENCE, DECIDED = "preference", "decided_share"


class Asked(NamedTuple):
    """What a model answers wherever something is asked: logits, right answers, and the number of the sequence."""

    logits: Float[Tensor, "m k"]
    labels: Int64[Tensor, " m"]
    sequence: Int64[Tensor, " m"]


@torch.no_grad()
def asked_of(model: nn.Module, split: Split) -> Asked:
    """Answers to all of a split, which has the slice ``length``, on the CPU, in the order of its sequences.

    A state may overflow on a sequence that is longer than those in training. Logits that are no numbers are no answer:
    all answers are then equally likely.
    """
    device, parts = next(model.parameters()).device, []
    for index, tokens in length_chunks(split.inputs, lengths=split.slices["length"]):
        labels = split.labels[index, : tokens.shape[1]]
        asked = labels != IGNORED
        logits = model(tokens.to(device)).float().cpu()[asked]
        logits = logits.where(logits.isfinite().all(-1, keepdim=True), 0.0)
        parts.append(Asked(logits, labels[asked], index[:, None].expand_as(labels)[asked]))
    found = Asked(*(torch.cat(each) for each in zip(*parts, strict=True)))
    order = found.sequence.argsort(stable=True)
    return Asked(*(part[order] for part in found))


def skill_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Every one of :data:`METRICS` by ``length``.

    ``constant_accuracy`` is what the most frequent answer would have: chance.
    """
    found = asked_of(model, split)
    for length, logits, labels in _by_length(found, split):
        values = {
            "accuracy": accuracy(logits, labels),
            "constant_accuracy": constant_accuracy(labels),
            "nll": negative_log_likelihood(logits, labels),
            "ece_20": expected_calibration_error(*confidence_and_correct(logits, labels), bins=20),
        }
        yield from (row(name, metric, values[metric], split.source, length=length) for metric in METRICS)


def preference_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """``preference``: among answers that follow one of two rules, how many follow the first; and how many there are.

    It is NaN where no answer follows either.
    """
    found = asked_of(model, split)
    answers, second = found.logits.argmax(-1), split.slices["second"]
    firsts, seconds = int((answers == found.labels).sum()), int((answers == second).sum())
    decided = firsts + seconds
    yield row(name, PREFERENCE, firsts / decided if decided else math.nan, split.source)
    yield row(name, DECIDED, decided / len(answers), split.source)


def diverged_probe_rows(split: Split, name: str, metrics: tuple[str, ...], *, by_length: bool) -> Iterator[Row]:
    """Rows of a probe for a run that diverged: NaN in place of every number."""
    lengths = split.slices["length"].unique().tolist() if by_length else [None]
    for length in lengths:
        at = {} if length is None else {"length": length}
        yield from (row(name, metric, math.nan, split.source, **at) for metric in metrics)


def constant_accuracy(labels: Int64[Tensor, " m"]) -> float:
    """How often the most frequent answer is right."""
    return float(labels.bincount().max() / len(labels))


def _by_length(found: Asked, split: Split) -> Iterator[tuple[int, Tensor, Tensor]]:
    lengths = split.slices["length"][found.sequence]
    for length in lengths.unique().tolist():
        chosen = lengths == length
        yield length, found.logits[chosen], found.labels[chosen]
