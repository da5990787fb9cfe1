"""Rows of a model that was fitted to random labels: how much of its answers to fresh sequences a state decides."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor, nn

from inductive_bias.metrics import accuracy
from inductive_bias.protocols.measures.probes import asked_of
from inductive_bias.protocols.measures.rows import Row, logits_of, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.probes import STATES

#: The share of the training set that is answered as its labels say.
FIT = "fit"
#: Metrics of the test split by state: same answers in one state, other answers in two, and what the state decides.
WITHIN, ACROSS, DECIDED_BY = ({state: f"{part}_{state}" for state in STATES} for part in ("r_ib", "d_ib", "decided_by"))
EXTRAPOLATION = tuple(part[state] for state in STATES for part in (WITHIN, ACROSS, DECIDED_BY))


class Likeness(NamedTuple):
    """How answers go with a state, mean over labellings.

    Attributes:
        within: the share of pairs of sequences in one state with the same answer (R-IB).
        across: the share of pairs of sequences in two states with two answers (D-IB).
        decided: of the answers' variety, what the state decides: 0 if the state does not matter, 1 if two sequences of
            one state always have one answer, however many states there are.
    """

    within: float
    across: float
    decided: float


def likeness(answers: Int64[Tensor, "n q"], states: Int64[Tensor, " n"]) -> Likeness:
    """How answers to ``q`` questions about ``n`` sequences go with their states.

    ``decided`` is ``(within − same) / (1 − same)``, where ``same`` is the share of all pairs with the same answer. A
    model that answers all sequences alike has ``within`` 1 and ``across`` 0, and nothing is decided. Shares of no pairs
    are NaN.
    """
    n, questions = answers.shape
    # how many sequences have a state and an answer, by question: pairs are counted by it, and none is formed
    counts = np.zeros((questions, int(states.max()) + 1, int(answers.max()) + 1))
    np.add.at(counts, (np.arange(questions), states.numpy()[:, None], answers.numpy()), 1)
    same, same_within = (float(_pairs(part).sum()) / questions for part in (counts.sum(1), counts))
    within = float(_pairs(counts[0].sum(1)).sum())
    across = n * (n - 1) / 2 - within
    r_ib = same_within / within if within else math.nan
    d_ib = 1 - (same - same_within) / across if across else math.nan
    if not within or not across:
        return Likeness(r_ib, d_ib, math.nan)
    by_chance = same / (within + across)
    return Likeness(r_ib, d_ib, (r_ib - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0)


def _pairs(counts: np.ndarray) -> np.ndarray:
    return counts * (counts - 1) / 2


@torch.no_grad()
def extrapolation_rows(model: nn.Module, fitted: Split, test: Split, questions: int) -> Iterator[Row]:
    """``fit`` of the set that was learnt, and every one of :data:`EXTRAPOLATION` of the test split.

    Args:
        model: ``tokens [n, t] → logits [n, t, k]``.
        fitted: the training set.
        test: fresh sequences, each with every question in turn.
        questions: how many there are.
    """
    found = asked_of(model, fitted)
    yield row("train", FIT, accuracy(found.logits, found.labels), fitted.source)
    answers = logits_of(model, test.inputs)[:, -1].argmax(-1).reshape(-1, questions)
    for state in STATES:
        told = likeness(answers, test.slices[state][::questions])
        for part, value in zip((WITHIN, ACROSS, DECIDED_BY), told, strict=True):
            yield row("test", part[state], value, test.source)


def diverged_extrapolation_rows(fitted: Split, test: Split) -> Iterator[Row]:
    """Rows of a run that diverged: NaN in place of every number."""
    yield row("train", FIT, math.nan, fitted.source)
    yield from (row("test", metric, math.nan, test.source) for metric in EXTRAPOLATION)
