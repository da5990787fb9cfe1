"""What running a trial needs to know of its kind of task."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor, nn

from inductive_bias.evaluation import Row, outputs_of
from inductive_bias.tasks import Split, TaskData
from inductive_bias.tasks.batching import Batch, batches_per_epoch, shuffled_batches
from inductive_bias.trials import Trial

#: Validation examples whose penultimate features are kept (the blog compares about 1,000).
PROBE_EXAMPLES = 1000


class Protocol(ABC):
    """One kind of task: its batches, its loss and what is measured.

    Attributes:
        train: the examples to learn from.
        validation: what is measured after every epoch; its first examples are the probe.
    """

    def __init__(self, trial: Trial, data: TaskData, root: Path | None = None):
        self.trial, self.data, self.root = trial, data, root
        self.train: Split = data["train"]
        self.validation: Split = data["validation"]

    def sha256(self) -> dict[str, str]:
        """SHA-256 of every data file that training or measuring reads, by name."""
        return dict(self.data.sha256)

    @lru_cache(maxsize=1)  # noqa: B019 — one protocol a run, and the data should be moved to a GPU once
    def training_tensors(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Inputs and labels of the training split on ``device``."""
        return self.train.inputs.to(device), self.train.labels.to(device)

    @abstractmethod
    def steps_per_epoch(self) -> int:
        """Steps of one epoch (for the learning-rate schedule; a bucketed epoch may differ by a few)."""

    @abstractmethod
    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        """The batches of one epoch."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        """The loss of one batch: gold labels or the teacher's soft targets, without weight penalties."""

    @abstractmethod
    def set_teacher(self, teacher: nn.Module) -> None:
        """From now on the loss is that of distillation from ``teacher``."""

    @abstractmethod
    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        """What is measured after every epoch."""

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        """What is measured of the untrained model, if it is a checkpoint."""
        return iter(())

    @abstractmethod
    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        """What is measured of the trained model; NaN if it diverged."""

    def arrays(self, model: nn.Module) -> dict[str, Tensor]:
        """What is kept of the trained model besides rows and features, by name."""
        return {}

    def probe(self, model: nn.Module) -> Tensor:
        """Penultimate features ``[1000, d]`` of the first validation examples."""
        device = next(model.parameters()).device
        return outputs_of(lambda chunk: model.features(chunk.to(device)), self.validation.inputs[:PROBE_EXAMPLES])


class ShuffledProtocol(Protocol):
    """Examples of one size: whole batches of a new random order in every epoch."""

    def _batch_size(self) -> int:
        return min(self.trial.schedule.batch_size, len(self.train))

    def steps_per_epoch(self) -> int:
        return batches_per_epoch(len(self.train), self._batch_size())

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        return shuffled_batches(inputs, labels, batch_size=self._batch_size(), generator=order)
