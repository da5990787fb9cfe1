"""Regression of a real-valued sequence with a known best error."""

import math
from collections.abc import Iterator

from torch import Tensor, nn

from inductive_bias.metrics import error_shares
from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import Stream
from inductive_bias.protocols.measures import Row, mixer_rows, outputs_of, parameters_row, row
from inductive_bias.protocols.objectives import SquaredErrorOfLast, scored
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split

ERRORS = ("excess_error", "recurrent_error", "lookup_error")


class SignalMeasures(SelectingMeasures):
    """Measures of the model of the best evaluation on the validation set, which has one size for all training sets.

    A small set is passed more often, and would be overfitted: what is measured, and kept, is the model at the epoch of
    the lowest validation error. Errors are *excess errors*: squared distances from the noise-free target, whose
    variance is 1. 0 is the best reachable error and 1 that of the constant 0. On the validation set, whose labels have
    noise, it is the squared error less the noise's variance.
    """

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        error = self._errors(model, split).square().mean().item() - self.given.task.noise
        self._best.update(model, error, epoch)
        yield row("validation", "excess_error", error, split.source, epoch=epoch)
        yield from mixer_rows(model, self.given.train.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """Rows of the selected model, whose weights ``model`` has from here on.

        On ``test``: ``excess_error``, and what of it depends on the drives alone (``recurrent_error``) and on values,
        keys and queries alone (``lookup_error``), see :func:`~inductive_bias.metrics.error_shares`.
        """
        source = self.given.data["test"].source
        if diverged:
            for metric in ERRORS:
                yield row("test", metric, math.nan, source)
            return
        if self._best.restore(model):  # not without any epoch
            yield row("validation", "excess_error", self._best.error, self.given.validation.source)
        yield row("train", "selected_epoch", float(self._best.epoch), self.given.train.source)
        shares = error_shares(*(self._errors(model, self.given.data[name]) for name in ("test", "crossed")))
        for metric, value in zip(ERRORS, shares, strict=True):
            yield row("test", metric, value, source)
        yield parameters_row(model, source)
        yield from mixer_rows(model, source)

    def _errors(self, model: nn.Module, split: Split) -> Tensor:
        """Prediction less label, ``[n, s]`` on the CPU."""
        device = next(model.parameters()).device
        return outputs_of(lambda chunk: scored(model(chunk.to(device)), split.labels), split.inputs) - split.labels


class SignalProtocol(Protocol):
    """Mean squared error of the last steps; as many steps for every sample size."""

    splits = (*Protocol.splits, "crossed")
    needs = ("noise",)
    data_only = ("data_seed", "rho", "train_size")
    batching = Stream
    objective = SquaredErrorOfLast
    measures = SignalMeasures
