"""Transductions: a string of one length a batch, answers at empty tokens, and strings longer than those trained on."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import Batching, Measures, Protocol
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.measures.transduction import (
    constant_rows,
    diverged_length_rows,
    length_rows,
    right_by_length,
)
from inductive_bias.protocols.objectives import NonCausalTokenLevel
from inductive_bias.tasks.batching import Batch
from inductive_bias.tasks.vocabulary import lengths_of

#: Validation strings whose last states are kept.
PROBE_STRINGS = 100


class FreshLengths(Batching):
    """New strings in every step, all of one length, which is drawn anew; the task says how many steps an *epoch* has.

    Trials of one seed see the same strings in the same order, whatever their model. No batch is ever padded.
    """

    def steps_per_epoch(self) -> int:
        return self.given.task.batches

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        size = self.given.run.schedule.batch_size
        for step in range(self.steps_per_epoch()):
            inputs, labels = (part.to(device) for part in self.given.task.draw(size, order))
            yield Batch(inputs, labels, torch.arange(step * size, (step + 1) * size))


class TransductionMeasures(Measures):
    """Accuracy over answers by length, and its mean over lengths; of the last weights.

    Of ``validation``, strings as long as those trained on, and of ``test``, longer ones; training has no end before
    its time. What is solved within the training lengths may need more steps to be solved beyond.
    """

    reads = "states"

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        found = right_by_length(model, self.given.validation)
        for metric in ("nll", "accuracy"):
            yield row("validation", metric, found[metric].mean(), self.given.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield parameters_row(model, self.given.train.source)
        for name in ("validation", "test"):
            split = self.given.data[name]
            yield from constant_rows(self.given.task, split, name)
            if diverged:
                yield from diverged_length_rows(split, name)
            else:
                yield from length_rows(right_by_length(model, split), split, name)
        if not diverged:
            yield from mixer_rows(model, self.given.train.source)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` at the last empty token of the last validation strings, the longest."""
        inputs = self.given.validation.inputs[-PROBE_STRINGS:]
        return last_states(model, inputs, lengths_of(inputs))


class TransductionProtocol(Protocol):
    """Fresh strings of one length a step; cross-entropy averaged over the answers."""

    slices = ("length",)
    needs = ("draw", "best_constant")
    batching = FreshLengths
    objective = NonCausalTokenLevel
    measures = TransductionMeasures
