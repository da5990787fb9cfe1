"""Protocols of tasks from tensors: a class or numbers for a sequence or for every position, or the next token.

All measure the model of the epoch with the lowest validation loss, on validation and test. ``constant_accuracy`` and
``baseline_mse`` are what the best constant answer gets, for comparison.
"""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64, Shaped
from torch import Tensor, nn

from inductive_bias.protocols.base import Objective, Protocol
from inductive_bias.protocols.batching import OnDevice
from inductive_bias.protocols.measures import Row, row
from inductive_bias.protocols.objectives import Logits, NonCausalTokenLevel, TokenLevel
from inductive_bias.protocols.selection import ErrorMeasures
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch, bucketed_batches, length_chunks, sentence_batches
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.tensors import LENGTH


class ByLength(OnDevice):
    """Sequences of similar length together, trimmed to the longest of them, whatever the padding is."""

    def steps_per_epoch(self) -> int:
        return sentence_batches(len(self.given.train), self.size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.tensors(device)
        options = {"batch_size": self.size, "lengths": self.given.train.slices[LENGTH]}
        places = torch.arange(len(inputs), device=device)
        for batch in bucketed_batches(inputs, places, generator=order, **options):
            answers = labels[batch.index]
            trimmed = answers[:, : batch.inputs.shape[1]] if self.given.task.by_position else answers
            yield Batch(batch.inputs, trimmed, batch.index)


def last_real(
    outputs: Shaped[Tensor, "b ..."], inputs: Shaped[Tensor, "b t *channels"], padding: int | None
) -> Shaped[Tensor, "b k"]:
    """Answers ``[b, k]`` as they are; of ``[b, t, k]`` those at the last position that is no padding."""
    if outputs.ndim < 3:
        return outputs
    if padding is None:
        return outputs[:, -1]
    return outputs[torch.arange(len(outputs), device=outputs.device), (inputs != padding).sum(1) - 1]


class Whole(Logits):
    """One class a sequence."""

    def predictions(self, model: nn.Module, batch: Batch) -> Float[Tensor, "n k"]:
        return last_real(model(batch.inputs), batch.inputs, self.given.task.padding)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return len(batch.inputs), self.given.task.dimensions["classes"]

    def check(self, model: nn.Module, batch: Batch) -> None:
        """Refuse a model that answers neither ``[b, classes]`` nor ``[b, t, classes]``.

        Raises:
            ValueError: naming the shapes.
        """
        _refuse_shapes(model, batch, self.shape(batch)[1])


class Numbers(Objective):
    """Mean squared error of the numbers that are known."""

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        errors, known = squared_errors(self.given.task, model(batch.inputs).float(), batch)
        return errors.sum() / known.sum().clamp(min=1)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return tuple(batch.labels.shape)

    def check(self, model: nn.Module, batch: Batch) -> None:
        """Refuse a model whose answers are not of the labels' shape.

        Raises:
            ValueError: naming the shapes.
        """
        found = tuple(model(batch.inputs).shape)
        if self.given.task.by_position and found != self.shape(batch):
            raise ValueError(f"inputs {tuple(batch.inputs.shape)} must give outputs {self.shape(batch)}, not {found}")
        if not self.given.task.by_position:
            _refuse_shapes(model, batch, batch.labels.shape[1])


def _refuse_shapes(model: nn.Module, batch: Batch, answers: int) -> None:
    rows, length = batch.inputs.shape[:2]
    found = tuple(model(batch.inputs).shape)
    wanted = [(rows, answers), (rows, length, answers)]
    if found not in wanted and not (answers == 1 and found == (rows,)):
        raise ValueError(
            f"inputs {tuple(batch.inputs.shape)} must give outputs {wanted[0]}, or {wanted[1]}, of which the last real "
            f"position is read, not {found}"
        )


def squared_errors(
    task: object, outputs: Float[Tensor, "..."], batch: Batch
) -> tuple[Float[Tensor, "..."], Shaped[Tensor, "..."]]:
    """Squared errors, 0 where a number is not known, and which are known."""
    if not task.by_position:
        outputs = last_real(outputs[:, None] if outputs.ndim == 1 else outputs, batch.inputs, task.padding)
    known = ~batch.labels.isnan()
    # within where, so that no gradient passes what is not known
    return (outputs - batch.labels.where(known, outputs.detach())).square(), known


class _TensorMeasures(ErrorMeasures):
    """What all of them share: outputs by chunks of similar length, and facts of the data."""

    def chunks(self, model: nn.Module, split: Split) -> Iterator[tuple[Batch, Tensor]]:
        """Every example once: its batch, on the model's device, and what the model answers."""
        device = next(model.parameters()).device
        for index, inputs in length_chunks(split.inputs, lengths=split.slices[LENGTH]):
            labels = split.labels[index]
            if self.given.task.by_position:
                labels = labels[:, : inputs.shape[1]]
            batch = Batch(inputs.to(device), labels.to(device), index)
            with torch.no_grad():
                yield batch, model(batch.inputs).float()


class ClassMeasures(_TensorMeasures):
    """Cross-entropy in nats (``nll``) and accuracy, over sequences or over the positions that have a label."""

    error = "nll"
    metrics = ("accuracy", "nll")

    def of(self, model: nn.Module, split: Split) -> float:
        return self._sums(model, split)[0]

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        nll, accuracy = self._sums(model, split)
        yield row(name, "accuracy", accuracy, split.source)
        yield row(name, "nll", nll, split.source)
        yield from self._facts(split, name)

    def _facts(self, split: Split, name: str) -> Iterator[Row]:
        known = split.labels[split.labels != IGNORED]
        often = self.given.train.labels[self.given.train.labels != IGNORED].bincount().argmax()
        yield row(name, "constant_accuracy", (known == often).double().mean().item(), split.source)
        yield row(name, "n", float(len(known)), split.source)

    def _sums(self, model: nn.Module, split: Split) -> tuple[float, float]:
        """Mean cross-entropy and share of right answers."""
        loss, right, count = 0.0, 0, 0
        for batch, outputs in self.chunks(model, split):
            logits, labels = self._rows(outputs, batch)
            loss += F.cross_entropy(logits, labels, reduction="sum").double().item()
            right += int((logits.argmax(1) == labels).sum())
            count += len(labels)
        return loss / count, right / count

    def _rows(self, outputs: Tensor, batch: Batch) -> tuple[Float[Tensor, "n k"], Int64[Tensor, " n"]]:
        if self.given.task.by_position:
            known = batch.labels != IGNORED
            return outputs[known], batch.labels[known]
        return last_real(outputs, batch.inputs, self.given.task.padding), batch.labels


class NextTokenMeasures(ClassMeasures):
    """Cross-entropy in nats a token, perplexity, and the share of tokens that were the likeliest."""

    metrics = ("perplexity", "nll", "accuracy")

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        nll, accuracy = self._sums(model, split)
        yield row(name, "perplexity", math.exp(min(nll, 700.0)), split.source)
        yield row(name, "nll", nll, split.source)
        yield row(name, "accuracy", accuracy, split.source)
        yield from self._facts(split, name)


class NumberMeasures(_TensorMeasures):
    """Mean squared and mean absolute error over all numbers that are known."""

    error = "mse"
    metrics = ("mse", "mae")

    def of(self, model: nn.Module, split: Split) -> float:
        return self._means(model, split)[0]

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        for metric, value in zip(self.metrics, self._means(model, split), strict=True):
            yield row(name, metric, value, split.source)
        mean = self.given.train.labels.flatten(0, -2).nanmean(0)
        yield row(name, "baseline_mse", (split.labels - mean).square().nanmean().item(), split.source)
        yield row(name, "n", float((~split.labels.isnan()).sum()), split.source)

    def _means(self, model: nn.Module, split: Split) -> tuple[float, float]:
        squared, absolute, count = 0.0, 0.0, 0
        for batch, outputs in self.chunks(model, split):
            errors, known = squared_errors(self.given.task, outputs, batch)
            squared += errors.double().sum().item()
            absolute += errors.double().sqrt().sum().item()
            count += int(known.sum())
        return squared / count, absolute / count


class TensorProtocol(Protocol):
    """Base of the four: no features are kept, since a model of one's own may mean something else by that name."""

    slices = (LENGTH,)
    needs = ("padding", "by_position")
    batching = ByLength

    def features(self, model: nn.Module) -> None:
        return None


class SequenceClassificationProtocol(TensorProtocol):
    """Cross-entropy, or distillation, of one class a sequence."""

    objective = Whole
    measures = ClassMeasures


class TokenLabelsProtocol(TensorProtocol):
    """Cross-entropy, or distillation, averaged over the positions of a batch that have a label."""

    objective = NonCausalTokenLevel
    measures = ClassMeasures


class RegressionProtocol(TensorProtocol):
    """Squared error averaged over the numbers of a batch that are known."""

    objective = Numbers
    measures = NumberMeasures


class NextTokenProtocol(TensorProtocol):
    """Cross-entropy, or distillation, averaged over the tokens of a batch but the first of each sequence."""

    objective = TokenLevel
    measures = NextTokenMeasures


#: By the names that a task from outside gives as its ``protocol``.
NAMED: dict[str, type[Protocol]] = {
    "sequence_classification": SequenceClassificationProtocol,
    "token_labels": TokenLabelsProtocol,
    "regression": RegressionProtocol,
    "next_token": NextTokenProtocol,
}
