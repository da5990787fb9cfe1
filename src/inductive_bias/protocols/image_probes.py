"""Probes for images: fresh images in every step, and what was learnt from them."""

from collections.abc import Iterator

from torch import nn

from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Fresh
from inductive_bias.protocols.measures import Row, parameters_row, row
from inductive_bias.protocols.measures.image_probes import (
    INVARIANCE,
    answer_rows,
    cue_rows,
    diverged_image_rows,
    movement_rows,
)
from inductive_bias.protocols.measures.probes import DECIDED, METRICS, PREFERENCE
from inductive_bias.protocols.objectives import FreshClasses
from inductive_bias.tasks.image_probes import CHANGES, Digits
from inductive_bias.tasks.probes import CONFLICT

#: What is measured of validation.
EVALUATED = ("accuracy", "nll")


class ImageProbeMeasures(Measures):
    """Measures of the last weights; validation after every epoch, of images as in training."""

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        yield from self._validation(model, epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        data = self.given.data
        yield parameters_row(model, self.given.train.source)
        if not self.given.task.trains:
            yield from movement_rows(model, data["test"], "test", pieces=True)
            return
        if diverged:
            yield from diverged_image_rows(self.given.validation, "validation", EVALUATED)
        else:
            yield from self._validation(model)
        for name in (name for name in ("test", *CHANGES) if name in data):
            if diverged:
                yield from diverged_image_rows(data[name], name, METRICS)
            else:
                yield from answer_rows(model, data[name], name)
        if CONFLICT in data and diverged:
            yield from diverged_image_rows(data[CONFLICT], CONFLICT, (PREFERENCE, DECIDED))
        elif CONFLICT in data:
            yield from cue_rows(model, data[CONFLICT], CONFLICT)
        if isinstance(self.given.task.pictures, Digits) and diverged:
            yield from diverged_image_rows(data["test"], "test", (INVARIANCE,))
        elif isinstance(self.given.task.pictures, Digits):
            yield from movement_rows(model, data["test"], "test", pieces=False)

    def _validation(self, model: nn.Module, epoch: int | None = None) -> Iterator[Row]:
        for each in answer_rows(model, self.given.validation, "validation"):
            if each["metric"] in EVALUATED:
                yield row("validation", each["metric"], each["value"], each["data_source"], epoch=epoch)


class ImageProbeProtocol(Protocol):
    """Fresh images in every step; cross-entropy or distillation."""

    needs = ("draw",)
    batching = Fresh
    objective = FreshClasses
    measures = ImageProbeMeasures
