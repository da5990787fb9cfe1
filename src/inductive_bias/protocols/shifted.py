"""Simulating automata under a shift: trained on short words, tested on longer ones and on other shares of ones."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.protocols.automata import LOOKS, PROBE_WORDS, SOLVED
from inductive_bias.protocols.base import Given, Measures, Protocol
from inductive_bias.protocols.batching import FRESH_STEPS, Fresh
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.memory import answers_of, mean_nll
from inductive_bias.protocols.measures.shifted import (
    constant_length_rows,
    constant_share_rows,
    diverged_shift_rows,
    length_rows,
    right_states,
    said_alone,
    share_rows,
)
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import EveryPosition
from inductive_bias.tasks.automata.shifted import SHARES

#: A look has found all when all of the validation states are right, where a scratchpad carries an error on; elsewhere
#: when :data:`~inductive_bias.protocols.automata.SOLVED` of them are.
FAULTLESS = 1.0


class ShiftMeasures(Measures):
    """Scores by position, by share of ones and by their number; of the last weights.

    Looks at the validation words decide when training ends, and by which rate: there a scratchpad holds the right
    states, as in training.
    """

    reads = "states"

    def __init__(self, given: Given):
        super().__init__(given)
        self._epoch, self._solved = 0, 0

    @property
    def enough(self) -> bool:
        return self._solved >= LOOKS and not self.given.task.patient

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        found = answers_of(model, split)
        accuracy = found.right[found.right >= 0].double().mean().item()
        wanted = FAULTLESS if self.given.task.scratchpad else SOLVED
        self._epoch, self._solved = epoch, self._solved + 1 if accuracy >= wanted else 0
        yield row("validation", "nll", mean_nll(found), split.source, epoch=epoch)
        yield row("validation", "accuracy", accuracy, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source, task = self.given.train.source, self.given.task
        yield row("train", "steps", float(self._epoch * FRESH_STEPS), source)
        yield parameters_row(model, source)
        yield from constant_length_rows(task, source)
        yield from constant_share_rows(task, source)
        if diverged:
            yield from diverged_shift_rows(task, source)
            return
        longer, shares = (self.given.data[name] for name in ("test", SHARES))
        yield from length_rows(right_states(model, task, longer), task, source)
        yield from share_rows(right_states(model, task, shares), task, shares)
        yield from mixer_rows(model, source)

    def probe(self, model: nn.Module) -> Tensor:
        """States ``[100, d]`` after the last token of the first validation words."""
        some = self.given.validation
        return last_states(model, some.inputs[:PROBE_WORDS], some.slices["length"][:PROBE_WORDS])


class ShiftProtocol(Protocol):
    """Fresh words in every step; cross-entropy averaged over the positions that have a label."""

    splits = ("train", "validation", "test", SHARES)
    slices = ("length", "ones", "share")
    needs = ("draw", "best_constant", "shares", "scratchpad", "patient")
    batching = Fresh
    objective = EveryPosition
    measures = ShiftMeasures

    @torch.no_grad()
    def check(self, model: nn.Module) -> None:
        """See :meth:`Protocol.check`; with a scratchpad a model must go token by token as well."""
        super().check(model)
        task = self.given.task
        if not task.scratchpad:
            return
        try:
            said_alone(model, self.given.data["test"].inputs[:1, :4:2], task.written)
        except Exception as error:
            name = self.given.trial.model.name
            raise SettingError(f"{name} cannot use a scratchpad: {type(error).__name__}: {error}") from error
