"""What is minimised: the loss of a batch with labels, and distillation from a teacher in their place."""

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Integer, Shaped
from torch import Tensor, nn

from inductive_bias.losses import OutputLayer, distillation_loss, mean_key_cross_entropy, vocabulary_cross_entropy
from inductive_bias.protocols.base import Objective
from inductive_bias.protocols.measures import logits_of
from inductive_bias.tasks.batching import Batch
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.vocabulary import PAD, lengths_of
from inductive_bias.tracing import transformed


class Distillable(Objective):
    """Cross-entropy with the labels, or, with a teacher, the distillation loss of both models' predictions.

    A subclass says what is read of a model, what the labels are, and how predictions are compared.

    Attributes:
        teacher_first: whether the teacher answers before the student. It matters only to a teacher in training mode,
            since both draw their dropout from the same random numbers; runs of each kind keep their order.
    """

    distillable = True
    teacher_first: ClassVar[bool] = False
    _taught: Callable[[Batch], object] | None = None

    @abstractmethod
    def predictions(self, model: nn.Module, batch: Batch) -> object:
        """What the model says of the batch's labels."""

    @abstractmethod
    def labels(self, batch: Batch) -> Integer[Tensor, " n"]:
        """The gold labels of these predictions."""

    @abstractmethod
    def compare(
        self, ours: object, labels: Integer[Tensor, " n"], theirs: object | None, **options: object
    ) -> Float[Tensor, ""]:
        """Cross-entropy with the labels; with ``theirs`` the distillation loss, whose settings are ``options``."""

    def set_teacher(self, teacher: nn.Module) -> None:
        teacher.train(self.given.run.soft_targets.teacher_mode == "train")
        self._taught = torch.no_grad()(lambda batch: self.predictions(teacher, batch))

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        if self._taught is None:
            return self.compare(self.predictions(model, batch), self.labels(batch), None)
        if self.teacher_first:
            theirs, ours = self._taught(batch), self.predictions(model, batch)
        else:
            ours, theirs = self.predictions(model, batch), self._taught(batch)
        chosen = self.given.run.soft_targets
        options = {"temperature": chosen.temperature, "mixing": chosen.mixing, "scaling": chosen.scaling}
        return self.compare(ours, self.labels(batch), theirs, **options)


class Logits(Distillable):
    """A table of logits, one row a label."""

    def predictions(self, model: nn.Module, batch: Batch) -> Float[Tensor, "n k"]:
        return model(batch.inputs)

    def labels(self, batch: Batch) -> Integer[Tensor, " n"]:
        return batch.labels

    def compare(
        self,
        ours: Float[Tensor, "n k"],
        labels: Integer[Tensor, " n"],
        theirs: Float[Tensor, "n k"] | None,
        **options: object,
    ) -> Float[Tensor, ""]:
        if theirs is None:
            return F.cross_entropy(ours.float(), labels)
        return distillation_loss(ours.float(), theirs.float(), labels, **options)


class Classes(Logits):
    """One label an example."""

    def set_teacher(self, teacher: nn.Module) -> None:
        super().set_teacher(teacher)
        if not teacher.training:
            # the targets of a fixed teacher do not change: one pass instead of one an epoch
            cached = logits_of(teacher, self.given.train.inputs).to(next(teacher.parameters()).device)
            self._taught = lambda batch: cached[batch.index]

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return len(batch.inputs), self.given.task.dimensions["classes"]


class FreshClasses(Logits):
    """One label an example, of examples that are new in every step: a teacher answers each of them."""

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return len(batch.inputs), self.given.task.dimensions["classes"]


class TokenLevel(Logits):
    """One label a position, some of them not known."""

    allows_noncausal = False

    def predictions(self, model: nn.Module, batch: Batch) -> Float[Tensor, "n k"]:
        return rows_of(model(batch.inputs), batch.labels != IGNORED)

    def labels(self, batch: Batch) -> Integer[Tensor, " n"]:
        return rows_of(batch.labels, batch.labels != IGNORED)

    def compare(
        self,
        ours: Float[Tensor, "n k"],
        labels: Integer[Tensor, " n"],
        theirs: Float[Tensor, "n k"] | None,
        **options: object,
    ) -> Float[Tensor, ""]:
        if not transformed():
            return super().compare(ours, labels, theirs, **options)
        if theirs is None:
            return F.cross_entropy(ours.float(), labels, ignore_index=IGNORED)
        return distillation_loss(ours.float(), theirs.float(), labels, ignore_index=IGNORED, **options)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape, self.given.task.dimensions["outputs"]


class NonCausalTokenLevel(TokenLevel):
    """One label a position, where no later input gives an answer away: a model may see the whole sequence."""

    allows_noncausal = True


class Words(NamedTuple):
    """A language model's predictions before the output layer: the table of its logits would be too large."""

    states: Tensor
    output: OutputLayer


class NextWord(Distillable):
    """The next word of a sentence: mean over tokens, computed a few hundred at a time."""

    allows_noncausal = False
    teacher_first = True

    def predictions(self, model: nn.Module, batch: Batch) -> Words:
        # a teacher's states are made again for each batch: those of two million tokens would take a gigabyte
        states = rows_of(model.states(batch.inputs[:, :-1]), batch.inputs[:, 1:] != PAD)
        return Words(states.float(), OutputLayer(model.output_weight, model.bias))

    def answers(self, model: nn.Module, inputs: Shaped[Tensor, "b t"]) -> dict[str, Shaped[Tensor, "b t ..."]]:
        return super().answers(model, inputs) | {"states": model.states(inputs)}

    def labels(self, batch: Batch) -> Integer[Tensor, " n"]:
        targets = batch.inputs[:, 1:]
        return rows_of(targets, targets != PAD)

    def compare(
        self, ours: Words, labels: Integer[Tensor, " n"], theirs: Words | None, **options: object
    ) -> Float[Tensor, ""]:
        if theirs is not None:
            options |= {"teacher_states": theirs.states, "teacher_output": theirs.output}
        if transformed():
            options |= {"ignore_index": PAD}
        narrow = self.given.run.schedule.output_precision == "bfloat16"
        precision = torch.bfloat16 if narrow else torch.float32
        return vocabulary_cross_entropy(ours.states, ours.output, labels, precision=precision, **options)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape, self.given.task.dimensions["vocabulary"]

    def check(self, model: nn.Module, batch: Batch) -> None:
        """Refuse a model whose output layer does not fit the vocabulary.

        Raises:
            ValueError: naming both shapes.
        """
        super().check(model, batch)
        words, width = self.given.task.dimensions["vocabulary"], model.states(batch.inputs).shape[-1]
        found = tuple(model.output_weight.shape), tuple(model.bias.shape)
        if found != ((words, width), (words,)):
            raise ValueError(f"output_weight and bias must be {(words, width)} and {(words,)}, not {found}")


class MultiLabel(Objective):
    """Several yes-or-no answers after every symbol; mean over the real positions of a batch."""

    allows_noncausal = False

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        real = batch.inputs != 0
        outputs = rows_of(model(batch.inputs), real).float()
        targets = rows_of(batch.labels, real).float()
        if not transformed():
            return self._compared(outputs, targets, "mean")
        # all rows are here, and those of padding count nothing
        counted = rows_of(real, real)[:, None] * self._compared(outputs, targets, "none")
        return counted.sum() / (real.sum() * outputs.shape[1])

    def _compared(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        if self.given.task.loss == "bce":
            return F.binary_cross_entropy_with_logits(outputs, targets, reduction=reduction)
        return F.mse_loss(outputs.sigmoid(), targets, reduction=reduction)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape, self.given.task.dimensions["outputs"]


class NextKeys(Objective):
    """Which keys sound in the next step: cross-entropy summed over the keys, mean over the real steps of a batch."""

    allows_noncausal = False

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        return mean_key_cross_entropy(model(batch.inputs.float()).float(), batch.labels, ignore_index=IGNORED)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape[:2], self.given.task.dimensions["outputs"]

    def check(self, model: nn.Module, batch: Batch) -> None:
        # rolls are kept as bytes
        super().check(model, batch._replace(inputs=batch.inputs.float()))


class SquaredError(Objective):
    """Mean squared error over all steps."""

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        return F.mse_loss(model(batch.inputs).float(), batch.labels)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return tuple(batch.labels.shape)


class SquaredErrorOfLast(Objective):
    """Mean squared error over the last steps, as many as have labels."""

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        return F.mse_loss(scored(model(batch.inputs), batch.labels).float(), batch.labels)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape[:2], 1


#: Of the number of a class, by the task's ``weights``.
POWERS = {"root": 0.5, "inverse": 1.0}


class SequenceLevel(Objective):
    """What a model says when it has read all: squared error of numbers, or cross-entropy of classes.

    Classes count by the task's ``weights``: all alike, or inverse to their number among the examples to learn from, or
    to the root of this number; scaled so that an example counts 1 on average.
    """

    @cached_property
    def weights(self) -> Float[Tensor, " k"] | None:
        """Weights of the classes; None if they are all alike."""
        if self.given.task.weights == "none":
            return None
        counts = self.given.train.labels.bincount(minlength=self.given.task.dimensions["outputs"]).double()
        raw = counts.clamp(min=1) ** -POWERS[self.given.task.weights]
        return (raw * counts.sum() / (raw * counts).sum()).float()

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        given = at_end(model(batch.inputs), batch.inputs).float()
        if batch.labels.is_floating_point():
            return F.mse_loss(given, batch.labels)
        weights = None if self.weights is None else self.weights.to(given.device)
        # not the reduction "mean", which divides by the weights that happen to be in the batch
        return F.cross_entropy(given, batch.labels, weight=weights, reduction="none").mean()

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape[:2], self.given.task.dimensions["outputs"]


def at_end(outputs: Float[Tensor, "b t k"], inputs: Shaped[Tensor, "b t *channels"]) -> Float[Tensor, "b k"]:
    """The outputs ``[b, k]`` at the last position of ``[b, t, k]``: of tokens the last one that is not padding."""
    if inputs.is_floating_point():
        return outputs[:, -1]
    return outputs[torch.arange(len(inputs), device=inputs.device), lengths_of(inputs) - 1]


def rows_of(table: Shaped[Tensor, "b t ..."], chosen: Bool[Tensor, "b t"]) -> Shaped[Tensor, "n ..."]:
    """The rows ``[n, …]`` chosen of ``[b, t, …]``; within ``torch.func``, which cannot select, all of them."""
    return table.flatten(0, 1) if transformed() else table[chosen]


def scored(outputs: Float[Tensor, "b t k"], labels: Float[Tensor, "_ s"]) -> Float[Tensor, "b s"]:
    """The outputs ``[b, s]`` of the last positions, as many as have labels."""
    return outputs[:, -labels.shape[1] :, 0]
