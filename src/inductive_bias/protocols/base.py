"""What a protocol is: how one kind of task is batched, what is minimised, and what is measured."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.plugins import Own
from inductive_bias.protocols.causality import ROWS, refuse_foresight
from inductive_bias.protocols.given import Given, RunSettings
from inductive_bias.protocols.measures import Row, outputs_of
from inductive_bias.seeding import seeded
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import Batch

#: Validation examples whose penultimate features are kept (the blog compares about 1,000).
PROBE_EXAMPLES = 1000

#: Attributes that an objective or measures from outside may still have by their old names; for one release.
RENAMED = {"sees_the_future": "allows_noncausal", "enough": "should_stop"}


class Part:
    """A part of a protocol."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for old, new in RENAMED.items():
            if old in vars(cls):
                warnings.warn(f"{cls.__name__}.{old} is now called {new}", DeprecationWarning, stacklevel=2)
                setattr(cls, new, vars(cls)[old])

    def __init__(self, given: Given):
        self.given = given


class Batching(Part, ABC):
    """Which examples are seen together, and in what order."""

    @abstractmethod
    def steps_per_epoch(self) -> int:
        """Steps of one epoch (for the learning-rate schedule; a bucketed epoch may differ by a few)."""

    @abstractmethod
    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        """The batches of one epoch."""


class Objective(Part, ABC):
    """What is minimised, without weight penalties.

    Attributes:
        distillable: whether a teacher may take the place of the labels.
        allows_noncausal: whether a model may know later inputs when it answers; False where they are the answers.
    """

    distillable: ClassVar[bool] = False
    allows_noncausal: ClassVar[bool] = True

    @abstractmethod
    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        """The loss of one batch: gold labels or the teacher's soft targets."""

    def set_teacher(self, teacher: nn.Module) -> None:
        """Let the loss be that of distillation from ``teacher`` from now on.

        Raises:
            ValueError: if the task cannot be learnt from a teacher.
        """
        raise ValueError(f"a task of kind {self.given.run.task.kind!r} cannot be learnt from a teacher")

    @abstractmethod
    def shape(self, batch: Batch) -> tuple[int, ...]:
        """The shape of a model's answer to the batch."""

    def answers(self, model: nn.Module, inputs: Shaped[Tensor, "b t *k"]) -> dict[str, Shaped[Tensor, "b t ..."]]:
        """Everything that training and measuring read of a model, by name, each ``[b, t, …]``.

        Asked only where a model may not know later inputs.
        """
        return {"outputs": model(inputs)}

    def check(self, model: nn.Module, batch: Batch) -> None:
        """Refuse a model that does not answer in the right shape, or that sees what it should predict.

        Raises:
            ValueError: saying which.
        """
        wanted, found = self.shape(batch), tuple(model(batch.inputs).shape)
        if found != wanted:
            raise ValueError(f"inputs {tuple(batch.inputs.shape)} must give outputs {wanted}, not {found}")
        if isinstance(self.given.run.model, Own) and not self.allows_noncausal:
            words = None if batch.inputs.is_floating_point() else self.given.task.dimensions["vocabulary"]
            refuse_foresight(model, self.answers, batch.inputs, vocabulary=words)


def _equal(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors are equal, where NaN, a number that is not known, equals NaN."""
    return bool(((first == second) | (first.isnan() & second.isnan())).all())


class Measures(Part, ABC):
    """What is measured, and what else is kept.

    Attributes:
        reads: what a model must have to be probed.
    """

    reads: ClassVar[str] = "features"

    def sha256(self) -> dict[str, str]:
        """SHA-256 of every data file that training or measuring reads, by name."""
        return dict(self.given.data.sha256)

    @property
    def should_stop(self) -> bool:
        """Whether the evaluations so far show that more training would improve nothing: asked after every epoch."""
        return False

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        """What is measured of the untrained model, if it is a checkpoint."""
        return iter(())

    @abstractmethod
    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        """What is measured after every epoch."""

    @abstractmethod
    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """What is measured of the trained model; NaN if it diverged."""

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        """What is kept of the trained model besides rows and features, by name."""
        return {}

    def probe(self, model: nn.Module) -> Float[Tensor, "n ..."]:
        """Penultimate features ``[1000, d]`` of the first validation examples."""
        device = next(model.parameters()).device
        inputs = self.given.validation.inputs[:PROBE_EXAMPLES]
        return outputs_of(lambda chunk: model.features(chunk.to(device)), inputs)


class Protocol:
    """One kind of task, put together from a way of batching, an objective and measures.

    A subclass names the three; on an object of it they are the parts themselves, made for one run.

    Attributes:
        schema_version: part of the id of every trial of this kind of task. Raise it when the meaning of a default, or
            of what a run measures, changes.
        distillable: whether a teacher may take the place of the labels.
        splits: what the data must have.
        slices: what each of these splits must be told apart by.
        needs: what the task must have besides ``dimensions`` and ``load``.
        data_only: fields of the task that change what the data are, but neither the shape of a batch, nor the number of
            steps, nor the loss: trials that differ in them and in their seeds alone may be trained together.
    """

    schema_version: ClassVar[int] = 1
    distillable: ClassVar[bool] = False
    splits: ClassVar[tuple[str, ...]] = ("train", "validation", "test")
    slices: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    data_only: ClassVar[tuple[str, ...]] = ("data_seed",)
    batching: type[Batching] | Batching
    objective: type[Objective] | Objective
    measures: type[Measures] | Measures

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if objective := getattr(cls, "objective", None):
            cls.distillable = objective.distillable

    def __init__(self, run: RunSettings, data: TaskData, root: Path | None = None):
        self.given = given = Given(run, data, root)
        self.batching, self.objective, self.measures = (
            part(given) for part in (type(self).batching, type(self).objective, type(self).measures)
        )

    @torch.no_grad()
    def check(self, model: nn.Module) -> None:
        """Refuse data or a model from outside that training or measuring would stumble over later.

        Raises:
            SettingError: naming where the model or task came from, and what is wrong.
        """
        origin = self.given.origin
        if missing := [name for name in self.splits if name not in self.given.data]:
            raise SettingError(f"{origin}: the data have no split {', '.join(missing)}; there must be {self.splits}")
        for name in self.splits if self.slices else ():
            if missing := set(self.slices) - set(self.given.data[name].slices):
                raise SettingError(f"{origin}: the split {name} has no slice {', '.join(sorted(missing))}")
        some, device = self.given.validation, next(model.parameters()).device
        batch = Batch(
            *(part[:ROWS].clone().to(device) for part in (some.inputs, some.labels)),
            torch.arange(len(some.inputs[:ROWS])),
        )
        try:
            self.objective.check(model, batch)
            if any(isinstance(part, Own) for part in (self.given.run.model, self.given.run.task)):
                self._refuse_chance(model, device)
        except Exception as error:
            raise SettingError(f"{origin}: {type(error).__name__}: {error}") from error

    def _refuse_chance(self, model: nn.Module, device: torch.device) -> None:
        """Refuse what is from outside if a first step cannot be made twice, or changes the data that it is made of."""
        mode, losses = model.training, []
        for _ in range(2):
            with seeded(self.given.run.seed, device):
                batch = next(iter(self.batching.epoch(torch.Generator().manual_seed(0), device)))
                given = Batch(*(part.clone() for part in batch))
                losses.append(self.objective.loss(model.train(), given))
            if not all(map(_equal, given, batch)):
                raise ValueError("the model writes into its inputs or labels: it must copy them first (x = x.clone())")
        model.train(mode)
        if not torch.equal(*losses) and losses[0].isfinite():
            raise ValueError(
                f"a first step has the loss {losses[0]:.6g}, and {losses[1]:.6g} when it is made again with the same "
                "seed: draw random numbers from torch, or from the global generators of NumPy or Python"
            )

    def features(self, model: nn.Module) -> Float[Tensor, "n ..."] | None:
        """What the probe keeps of the model; None if it has no penultimate layer to show."""
        return self.measures.probe(model) if hasattr(model, self.measures.reads) else None
