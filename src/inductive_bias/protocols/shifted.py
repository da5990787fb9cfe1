"""Simulating automata under a shift: trained on short words, tested on longer ones and on other shares of ones."""

from collections.abc import Iterator

import torch
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.protocols.automata import SOLVED, StateMeasures
from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import FRESH_STEPS, Fresh
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.shifted import (
    constant_length_rows,
    constant_share_rows,
    diverged_shift_rows,
    length_rows,
    right_states,
    said_alone,
    share_rows,
)
from inductive_bias.protocols.objectives import TokenLevel
from inductive_bias.tasks.automata.shifted import SHARES

#: An evaluation has found all when all of the validation states are right, where a scratchpad carries an error on;
#: elsewhere when :data:`~inductive_bias.protocols.automata.SOLVED` of them are.
FAULTLESS = 1.0


class ShiftMeasures(StateMeasures):
    """Scores by position, by share of ones and by their number; of the last weights.

    Evaluations on the validation words decide when training ends, and by which rate: there a scratchpad holds the right
    states, as in training.
    """

    @property
    def should_stop(self) -> bool:
        return super().should_stop and not self.given.task.patient

    @property
    def wanted(self) -> float:
        return FAULTLESS if self.given.task.scratchpad else SOLVED

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


class ShiftProtocol(Protocol):
    """Fresh words in every step; cross-entropy averaged over the positions that have a label."""

    splits = ("train", "validation", "test", SHARES)
    slices = ("length", "ones", "share")
    needs = ("draw", "best_constant", "shares", "scratchpad", "begun", "patient")
    batching = Fresh
    objective = TokenLevel
    measures = ShiftMeasures

    @torch.no_grad()
    def check(self, model: nn.Module) -> None:
        """Refuse a model that does not fit; with a scratchpad it must go token by token as well.

        Raises:
            SettingError: naming the model and what is wrong.
        """
        super().check(model)
        task = self.given.task
        if not task.scratchpad:
            return
        try:
            said_alone(model, self.given.data["test"].inputs[:1, :4:2], task.written)
        except Exception as error:
            name = self.given.run.model.name
            raise SettingError(f"{name} cannot use a scratchpad: {type(error).__name__}: {error}") from error
