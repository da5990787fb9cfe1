"""Character models: cross-entropy in bits per character (BPC), and what their mixers have learned."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.evaluation import Row, layer_rows, row
from inductive_bias.losses import distillation_loss
from inductive_bias.protocols.base import PROBE_EXAMPLES, Protocol
from inductive_bias.tasks.batching import Batch, ordered_chunks
from inductive_bias.tasks.characters import IGNORED
from inductive_bias.training import predict


class CharacterProtocol(Protocol):
    """Random windows of the training text; held-out text in windows side by side.

    An epoch has as many windows as lie side by side in the training text, each beginning anywhere.
    """

    _teacher: nn.Module | None = None

    def _windows(self) -> int:
        return max(1, len(self.train) // self.trial.task.window)

    def steps_per_epoch(self) -> int:
        return max(1, self._windows() // self.trial.schedule.batch_size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        window, size = self.trial.task.window, self.trial.schedule.batch_size
        # drawn on the CPU from the trial's seed alone: models of one seed read the same windows in the same order
        starts = torch.randint(len(inputs) - window + 1, (self.steps_per_epoch(), size), generator=order)
        for begin in starts:
            index = (begin[:, None] + torch.arange(window)).to(device)
            yield Batch(inputs[index], labels[index], begin)

    def set_teacher(self, teacher: nn.Module) -> None:
        self._teacher = teacher.train(self.trial.distill.teacher_mode == "train")

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        there = batch.labels != IGNORED
        logits, labels = model(batch.inputs)[there], batch.labels[there]
        if self._teacher is None:
            return F.cross_entropy(logits.float(), labels)
        settings = self.trial.distill
        with torch.no_grad():
            targets = self._teacher(batch.inputs)[there].float()
        options = {"temperature": settings.temperature, "mixing": settings.mixing, "scaling": settings.scaling}
        return distillation_loss(logits.float(), targets, labels, **options)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        value = mean_bits(bits(model, self.validation.inputs, self.validation.labels))
        yield row("validation", "bpc", value, self.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test"):
            split = self.data[name]
            if diverged:
                for metric in ("bpc", "bpc, second half"):
                    yield row(name, metric, math.nan, split.source)
                continue
            found = bits(model, split.inputs, split.labels)
            yield row(name, "bpc", mean_bits(found), split.source)
            # those with at least half a window of context
            yield row(name, "bpc, second half", mean_bits(found[:, found.shape[1] // 2 :]), split.source)
            yield row(name, "characters", float(found.isfinite().sum()), split.source)
            for longest, value in by_context(found):
                yield row(name, "bpc by context", value, split.source, x=float(longest))
        for reason, count in self.data.skipped.items():
            yield row("train", f"skipped: {reason}", float(count), self.train.source)
        yield from layer_rows(model, self.train.source)

    def probe(self, model: nn.Module) -> Tensor:
        """Features of the last character of the first validation windows, ``[n, d]``."""
        # not the sentences' batching: it takes id 0 for padding
        device = next(model.parameters()).device
        chunks = ordered_chunks(self.validation.inputs[:PROBE_EXAMPLES])
        return predict(lambda chunk: model.features(chunk.to(device)).float().cpu(), chunks)


def bits(model: nn.Module, inputs: Int64[Tensor, "n t"], labels: Int64[Tensor, "n t"]) -> Float[Tensor, "n t"]:
    """−log₂ of the probability of every label, on the CPU; NaN where a label is unknown."""
    device = next(model.parameters()).device

    def of(chunk: Tensor) -> Tensor:
        tokens, wanted = (part.to(device) for part in chunk.unbind(1))
        loss = F.cross_entropy(model(tokens).float().mT, wanted, ignore_index=IGNORED, reduction="none")
        return loss.masked_fill(wanted == IGNORED, math.nan).cpu() / math.log(2)

    return predict(of, ordered_chunks(torch.stack((inputs, labels), 1)))


def mean_bits(found: Tensor) -> float:
    """The mean of what is known, summed in float64."""
    return float(found.double().nanmean())


def by_context(found: Float[Tensor, "n t"]) -> Iterator[tuple[int, float]]:
    """Mean bits by context: 1 character, 2, 3–4, 5–8 … up to the window, each with the longest context it holds."""
    shortest = longest = 1
    while shortest <= found.shape[1]:
        yield min(longest, found.shape[1]), mean_bits(found[:, shortest - 1 : longest])
        shortest, longest = longest + 1, 2 * longest
