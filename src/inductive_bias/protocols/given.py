"""What a protocol is told of a run: settings, data, and where further test sets are; nothing of how runs are kept."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inductive_bias.plugins import Own
from inductive_bias.settings import Setting
from inductive_bias.tasks import Split, TaskData
from inductive_bias.tasks.identity import OWN
from inductive_bias.training import ScheduleSpec


@dataclass(frozen=True)
class SoftTargets:
    """How a model learns from the soft targets of a teacher.

    Attributes:
        temperature: T, divides both models' logits.
        mixing: α, the weight of the soft targets; 1 − α goes to the gold labels.
        scaling: the factor on the soft term: T², 1/T², or 1.
        teacher_mode: ``train`` keeps the teacher's dropout and batch statistics active.
    """

    temperature: float
    mixing: float
    scaling: Literal["squared", "inverse", "none"]
    teacher_mode: Literal["eval", "train"]


@dataclass(frozen=True)
class RunSettings:
    """The settings of one training run that a protocol needs.

    Attributes:
        task: of the data.
        model: of the architecture.
        schedule: how many steps, and their size over time.
        seed: of the initial weights, the order of the batches and dropout.
        checkpoints: epochs at which more is kept than at others.
        soft_targets: how to learn from a teacher; None without one.
        label: the run's name, for people.
    """

    task: Setting
    model: Setting
    schedule: ScheduleSpec
    seed: int
    checkpoints: tuple[int, ...]
    soft_targets: SoftTargets | None
    label: str


@dataclass(frozen=True, eq=False)
class Given:
    """What every part of a protocol knows.

    Attributes:
        run: the settings of the run.
        data: its task's data.
        root: where further test sets are looked for.
    """

    run: RunSettings
    data: TaskData
    root: Path | None = None

    @property
    def task(self) -> object:
        """The run's task; of one from outside, what its file made."""
        return getattr(self.run.task, "made", self.run.task)

    @property
    def origin(self) -> str:
        """Where what may be wrong came from: the user's model or task, or the user's files; else the run's name."""
        run = self.run
        if own := [part.source for part in (run.model, run.task) if isinstance(part, Own)]:
            return ", ".join(own)
        source = self.train.source if "train" in self.data else ""
        return f"{source.removeprefix(OWN)} ({run.label})" if source.startswith(OWN) else run.label

    @property
    def train(self) -> Split:
        """The examples to learn from."""
        return self.data["train"]

    @property
    def validation(self) -> Split:
        """What is measured after every epoch; its first examples are the probe."""
        return self.data["validation"]
