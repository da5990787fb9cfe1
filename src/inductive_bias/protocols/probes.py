"""Probes of the bias profile: fresh sequences in every step, and what was learnt from them."""

from collections.abc import Iterator

from torch import nn

from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Fresh
from inductive_bias.protocols.measures import Row, parameters_row, row
from inductive_bias.protocols.measures.extrapolation import diverged_extrapolation_rows, extrapolation_rows
from inductive_bias.protocols.measures.probes import (
    DECIDED,
    METRICS,
    PREFERENCE,
    diverged_probe_rows,
    preference_rows,
    skill_rows,
)
from inductive_bias.protocols.measures.untrained import untrained_rows
from inductive_bias.protocols.objectives import NonCausalTokenLevel
from inductive_bias.tasks.probes import CONFLICT

#: What is measured of validation.
EVALUATED = ("accuracy", "nll")


class ProbeMeasures(Measures):
    """Measures of the last weights; validation after every epoch, of sequences as in training."""

    reads = "states"

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        yield from self._validation(model, epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield parameters_row(model, self.given.train.source)
        test, conflict = self.given.data["test"], self.given.data.get(CONFLICT)
        if not self.given.task.trains:
            yield from untrained_rows(model, test, "test")
            return
        if diverged:
            yield from diverged_probe_rows(self.given.validation, "validation", EVALUATED, by_length=False)
        else:
            yield from self._validation(model)
        if self.given.task.fixed:
            yield from self._extrapolated(model, diverged=diverged)
            return
        if diverged:
            yield from diverged_probe_rows(test, "test", METRICS, by_length=True)
        else:
            yield from skill_rows(model, test, "test")
        if conflict is not None and diverged:
            yield from diverged_probe_rows(conflict, CONFLICT, (PREFERENCE, DECIDED), by_length=False)
        elif conflict is not None:
            yield from preference_rows(model, conflict, CONFLICT)

    def _extrapolated(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """What a model that was fitted to random labels answers to fresh sequences."""
        fitted, test = self.given.train, self.given.data["test"]
        if diverged:
            return diverged_extrapolation_rows(fitted, test)
        return extrapolation_rows(model, fitted, test, self.given.task.sequences.questions)

    def _validation(self, model: nn.Module, epoch: int | None = None) -> Iterator[Row]:
        """Sequences of validation have one length: these rows have no coordinate."""
        for each in skill_rows(model, self.given.validation, "validation"):
            if each["metric"] in EVALUATED:
                yield row("validation", each["metric"], each["value"], each["data_source"], epoch=epoch)


class ProbeProtocol(Protocol):
    """Fresh sequences in every step; cross-entropy averaged over what is asked.

    A model may see the whole sequence: no label is an input.
    """

    slices = ("length",)
    needs = ("draw",)
    batching = Fresh
    objective = NonCausalTokenLevel
    measures = ProbeMeasures
