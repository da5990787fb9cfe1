"""Rows of a model that simulates an automaton: right states, and what is reached without looking at the word."""

from collections.abc import Iterator

import torch

from inductive_bias.metrics import last_quarter, position_scores
from inductive_bias.protocols.measures.memory import Answers
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split, StateTracking

#: The coordinate ``part`` of scores over the last quarter of the positions.
LAST_QUARTER = "last quarter"


def state_rows(found: Answers, split: Split, name: str) -> Iterator[Row]:
    """Scores by ``length``: ``accuracy`` over all positions, over the last quarter and by ``position`` from 1.

    ``string_accuracy`` counts words with every state right.
    """
    lengths = split.slices["length"]
    for length in lengths.unique().tolist():
        scores = position_scores(found.right[lengths == length, :length] == 1)
        at = {"length": length}
        yield row(name, "accuracy", scores.every, split.source, **at)
        yield row(name, "accuracy", scores.last_quarter, split.source, **at, part=LAST_QUARTER)
        yield row(name, "string_accuracy", scores.whole, split.source, **at)
        for place, value in enumerate(scores.by_position.tolist(), start=1):
            yield row(name, "accuracy", value, split.source, **at, position=place)


def constant_rows(task: StateTracking, split: Split, name: str) -> Iterator[Row]:
    """``constant_accuracy`` in the same places: the best answer that knows the position alone, exactly."""
    for length in split.slices["length"].unique().tolist():
        best, at = torch.from_numpy(task.best_constant(length)), {"length": length}
        yield row(name, "constant_accuracy", best.mean().item(), split.source, **at)
        late = best[last_quarter(length)].mean().item()
        yield row(name, "constant_accuracy", late, split.source, **at, part=LAST_QUARTER)
        for place, value in enumerate(best.tolist(), start=1):
            yield row(name, "constant_accuracy", value, split.source, **at, position=place)


def diverged_state_rows(split: Split, name: str) -> Iterator[Row]:
    """Scores of a diverged run as NaN, without those by position."""
    for length in split.slices["length"].unique().tolist():
        yield row(name, "accuracy", float("nan"), split.source, length=length)
        yield row(name, "accuracy", float("nan"), split.source, length=length, part=LAST_QUARTER)
        yield row(name, "string_accuracy", float("nan"), split.source, length=length)
