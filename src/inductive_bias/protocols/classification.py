"""Classifiers of images and of sentences."""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from inductive_bias.evaluation import Row, diverged_rows, logits_of, row, shift_rows, slice_rows, split_rows
from inductive_bias.evaluation.sentences import ATTRACTORS, mean_over
from inductive_bias.losses import distillation_loss
from inductive_bias.metrics import accuracy
from inductive_bias.protocols.base import Protocol, ShuffledProtocol
from inductive_bias.tasks.batching import (
    Batch,
    bucketed_batches,
    sentence_batches,
)


class ClassificationProtocol(Protocol):
    """Cross-entropy with the labels, or distillation from a teacher's logits."""

    _targets: Callable[[Batch], Tensor] | None = None

    def set_teacher(self, teacher: nn.Module) -> None:
        if self.trial.distill.teacher_mode == "eval":
            # the targets of a fixed teacher do not change: one pass instead of one an epoch
            cached = logits_of(teacher.eval(), self.train.inputs).to(next(teacher.parameters()).device)
            self._targets = lambda batch: cached[batch.index]
        else:
            teacher.train()
            self._targets = torch.no_grad()(lambda batch: teacher(batch.inputs))

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        if self._targets is None:
            return F.cross_entropy(model(batch.inputs), batch.labels)
        settings = self.trial.distill
        return distillation_loss(
            model(batch.inputs).float(),
            self._targets(batch).float(),
            batch.labels,
            temperature=settings.temperature,
            mixing=settings.mixing,
            scaling=settings.scaling,
        )

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        score = accuracy(logits_of(model, self.validation.inputs), self.validation.labels)
        yield row("validation", "accuracy", score, self.validation.source, epoch=epoch)


class ImageProtocol(ShuffledProtocol, ClassificationProtocol):
    """Images: whole shuffled batches, corrupted test sets, and shifts."""

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return shift_rows(model, self.data["test"], epoch=0)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test", *self.trial.task.corruptions):
            split = self.data[name]
            yield from (
                diverged_rows(split, name) if diverged else split_rows(logits_of(model, split.inputs), split, name)
            )
        if not diverged:
            yield from shift_rows(model, self.data["test"])


class SentenceProtocol(ClassificationProtocol):
    """Sentences: batches of similar length, every test set by attractors and by distance."""

    def steps_per_epoch(self) -> int:
        return sentence_batches(len(self.train), self.trial.schedule.batch_size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        return bucketed_batches(inputs, labels, batch_size=self.trial.schedule.batch_size, generator=order)

    def arrays(self, model: nn.Module) -> dict[str, Tensor]:
        """Logits of the tests, to ask whether two models make the same errors."""
        return {f"logits/{name}": logits_of(model, self.data[name].inputs) for name in ("test", "attractors")}

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        accuracies: dict[float, float] = {}
        for name in (name for name in self.data.names if name != "train"):
            split = self.data[name]
            if diverged:
                yield from diverged_rows(split, name)
                continue
            logits = logits_of(model, split.inputs)
            yield from split_rows(logits, split, name)
            for found in slice_rows(logits, split, name):
                yield found
                if name == "attractors" and found["metric"] == "accuracy by attractors":
                    accuracies[found["x"]] = found["value"]
            if name == "test":
                natural = accuracy(logits, split.labels)
        if diverged:
            yield row("attractors", "a_accuracy", float("nan"), self.data["attractors"].source)
            return
        # numpred.test.0 is not among the public excerpts: sentences as they come, nine in ten without an attractor
        # between, stand in for those with none
        accuracies.setdefault(0.0, natural)
        yield row("attractors", "a_accuracy", mean_over(accuracies, ATTRACTORS), self.data["attractors"].source)
        for reason, count in self.data.skipped.items():
            yield row("train", f"skipped: {reason}", float(count), self.train.source)
        yield row("train", "n", float(len(self.train)), self.train.source)
