"""Regression of a real-valued sequence with a known best error."""

import math
from collections.abc import Iterator
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from inductive_bias.evaluation import Row, mixer_rows, outputs_of, row
from inductive_bias.metrics import error_shares
from inductive_bias.protocols.base import Protocol
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch, shuffled_batches

#: Steps between two looks at the validation set: an epoch of this protocol, whatever the number of examples.
EPOCH_STEPS = 25


class SignalProtocol(Protocol):
    """Mean squared error; as many steps for every sample size, and the model of the best look at the validation set.

    An *epoch* is :data:`EPOCH_STEPS` steps of an endless stream of passes over the training sequences, each in a new
    order. A small set is therefore passed more often, and would be overfitted: what is measured, and kept, is the model
    at the epoch of the lowest validation error. The validation set has the same size for every training set.

    Errors are *excess errors*: squared distances from the noise-free target, whose variance is 1. 0 is the best
    reachable error and 1 that of the constant 0. On the validation set, whose labels have noise, it is the squared
    error less the noise's variance.
    """

    def __init__(self, *setting: object, **options: object):
        super().__init__(*setting, **options)
        self._stream: Iterator[Batch] | None = None
        self._best: tuple[float, int, dict[str, Tensor]] = (math.inf, 0, {})

    def steps_per_epoch(self) -> int:
        return EPOCH_STEPS

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        if self._stream is None:
            self._stream = self._passes(order, device)
        return islice(self._stream, EPOCH_STEPS)

    def _passes(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        size = min(self.trial.schedule.batch_size, len(self.train))
        while True:
            yield from shuffled_batches(inputs, labels, batch_size=size, generator=order)

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        return F.mse_loss(_scored(model(batch.inputs), batch.labels).float(), batch.labels)

    def set_teacher(self, teacher: nn.Module) -> None:
        raise ValueError(f"a task of kind {self.trial.task.kind!r} has no teacher: distillation needs classes")

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        error = self._errors(model, self.validation).square().mean().item() - self.trial.task.noise
        if error < self._best[0]:
            weights = {name: value.detach().clone() for name, value in model.state_dict().items()}
            self._best = (error, epoch, weights)
        yield row("validation", "excess_error", error, self.validation.source, epoch=epoch)
        yield from mixer_rows(model, self.train.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """Of the selected model, whose weights ``model`` has from here on.

        On ``test``: ``excess_error``, and what of it depends on the drives alone (``recurrent_error``) and on values,
        keys and queries alone (``lookup_error``), see :func:`~inductive_bias.metrics.error_shares`. ``x`` is None.
        """
        source = self.data["test"].source
        if diverged:
            for metric in ("excess_error", "recurrent_error", "lookup_error"):
                yield row("test", metric, math.nan, source)
            return
        error, epoch, weights = self._best
        if weights:  # none without any epoch
            model.load_state_dict(weights)
            yield row("validation", "excess_error", error, self.validation.source)
        yield row("train", "selected_epoch", float(epoch), self.train.source)
        shares = error_shares(*(self._errors(model, self.data[name]) for name in ("test", "crossed")))
        for metric, value in zip(("excess_error", "recurrent_error", "lookup_error"), shares, strict=True):
            yield row("test", metric, value, source)
        yield row("model", "parameters", float(sum(each.numel() for each in model.parameters())), source)
        yield from mixer_rows(model, source)

    def _errors(self, model: nn.Module, split: Split) -> Tensor:
        """Prediction less label, ``[n, s]`` on the CPU."""
        device = next(model.parameters()).device
        return outputs_of(lambda chunk: _scored(model(chunk.to(device)), split.labels), split.inputs) - split.labels


def _scored(outputs: Tensor, labels: Tensor) -> Tensor:
    """The outputs ``[b, s]`` of the last positions, as many as have labels."""
    return outputs[:, -labels.shape[1] :, 0]
