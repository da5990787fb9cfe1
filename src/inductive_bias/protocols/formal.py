"""Formal languages: an answer after every symbol, scored by whole strings."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Bucketed
from inductive_bias.protocols.given import Given
from inductive_bias.protocols.measures import Row, mixer_rows, row
from inductive_bias.protocols.measures.formal import accuracy_rows, curve_rows, right_positions, right_strings
from inductive_bias.protocols.objectives import MultiLabel
from inductive_bias.tasks.formal import LONGER
from inductive_bias.tasks.vocabulary import lengths_of

#: Validation strings whose last states are kept.
PROBE_STRINGS = 100
#: So many evaluations in a row must show mastery before training ends on it: one alone may be luck.
EVALUATIONS = 2


class FormalMeasures(Measures):
    """Right strings and positions of every bin of lengths.

    The published code (Bhattamishra et al. 2020) reports the best epoch of each bin, chosen on that bin; the rows of
    every epoch (of the first ``watched`` strings) allow it, the final rows are of the last epoch.
    """

    reads = "states"

    def __init__(self, given: Given):
        super().__init__(given)
        self._good_evaluations = 0

    @property
    def should_stop(self) -> bool:
        return self._good_evaluations >= EVALUATIONS

    @property
    def bins(self) -> list[str]:
        """The held-out splits, shortest first."""
        return ["validation", *(name for name in LONGER if name in self.given.data)]

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        for name in self.bins:
            split, few = self.given.data[name], slice(self.given.task.watched)
            right = right_positions(model, split.inputs[few], split.labels[few])
            if name == "validation":
                self._evaluated(right_strings(right).float().mean().item())
            yield from accuracy_rows(right, name, split.source, epoch=epoch)

    def _evaluated(self, share: float) -> None:
        wanted = self.given.task.mastered
        self._good_evaluations = self._good_evaluations + 1 if wanted is not None and share >= wanted else 0

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in self.bins:
            split = self.given.data[name]
            if diverged:
                for metric in ("string_accuracy", "position_accuracy"):
                    yield row(name, metric, math.nan, split.source)
                continue
            right = right_positions(model, split.inputs, split.labels)
            yield from accuracy_rows(right, name, split.source)
            yield from curve_rows(right, split, name)
        source = self.given.train.source
        yield row("train", "parameters", float(sum(weight.numel() for weight in model.parameters())), source)
        if not diverged:
            yield from mixer_rows(model, source)

    @torch.no_grad()
    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` after the last symbol of the first validation strings."""
        tokens = self.given.validation.inputs[:PROBE_STRINGS]
        states = model.states(tokens.to(next(model.parameters()).device)).float().cpu()
        return states[torch.arange(len(tokens)), lengths_of(tokens) - 1]


class FormalProtocol(Protocol):
    """Mean loss over the real positions of a batch of strings of similar length.

    As published: squared error of the sigmoids, an output counts as yes from one half on, and a string counts only if
    all its positions are right.
    """

    splits = ("train", "validation")
    needs = ("loss", "watched", "mastered")
    batching = Bucketed
    objective = MultiLabel
    measures = FormalMeasures
