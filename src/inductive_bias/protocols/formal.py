"""Formal languages: an answer after every symbol, scored by whole strings."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from inductive_bias.evaluation import Row, layer_rows, row
from inductive_bias.evaluation.formal import accuracy_rows, curve_rows, right_positions
from inductive_bias.protocols.base import Protocol
from inductive_bias.tasks.batching import Batch, bucketed_batches, sentence_batches
from inductive_bias.tasks.formal import LONGER
from inductive_bias.tasks.vocabulary import lengths_of

#: Validation strings whose last states are kept.
PROBE_STRINGS = 100


class FormalProtocol(Protocol):
    """Mean loss over the real positions of a batch of strings of similar length.

    The published protocol (Bhattamishra et al. 2020, code): squared error of the sigmoids, an output counts as yes
    from one half on, and a string counts only if all its positions are right. That code reports the best epoch of each
    bin, chosen on that bin; the rows of every epoch (of the first ``watched`` strings) allow it, the final rows are of
    the last epoch.
    """

    @property
    def bins(self) -> list[str]:
        """The held-out splits, shortest first."""
        return ["validation", *(name for name in LONGER if name in self.data)]

    def steps_per_epoch(self) -> int:
        return sentence_batches(len(self.train), self.trial.schedule.batch_size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        return bucketed_batches(inputs, labels, batch_size=self.trial.schedule.batch_size, generator=order)

    def set_teacher(self, teacher: nn.Module) -> None:
        raise ValueError("a model of a formal language cannot have a teacher: its answers are not one of several")

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        real = batch.inputs != 0
        outputs, targets = model(batch.inputs)[real], batch.labels[:, : batch.inputs.shape[1]][real].float()
        if self.trial.task.loss == "bce":
            return F.binary_cross_entropy_with_logits(outputs.float(), targets)
        return F.mse_loss(outputs.float().sigmoid(), targets)

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return layer_rows(model, self.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        for name in self.bins:
            split, few = self.data[name], slice(self.trial.task.watched)
            right = right_positions(model, split.inputs[few], split.labels[few])
            yield from accuracy_rows(right, name, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in self.bins:
            split = self.data[name]
            if diverged:
                for metric in ("string_accuracy", "position_accuracy"):
                    yield row(name, metric, math.nan, split.source)
                continue
            right = right_positions(model, split.inputs, split.labels)
            yield from accuracy_rows(right, name, split.source)
            yield from curve_rows(right, split, name)
        parameters = sum(weight.numel() for weight in model.parameters())
        yield row("train", "parameters", float(parameters), self.train.source)
        if not diverged:
            yield from layer_rows(model, self.train.source)

    @torch.no_grad()
    def probe(self, model: nn.Module) -> Tensor:
        """States ``[100, d]`` after the last symbol of the first validation strings."""
        tokens = self.validation.inputs[:PROBE_STRINGS]
        states = model.states(tokens.to(next(model.parameters()).device)).float().cpu()
        return states[torch.arange(len(tokens)), lengths_of(tokens) - 1]
