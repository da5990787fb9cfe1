"""A trial: everything that determines one training run, and its id."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Field, field_validator, model_validator

from inductive_bias.models import (
    BidirectionalSpec,
    BiLSTMSpec,
    BlockRecurrentSpec,
    CNNSpec,
    FlattenedSpec,
    GatedConvolutionSpec,
    InformerSpec,
    LanguageXLSpec,
    LatentBottleneckSpec,
    LogSparseSpec,
    LSTMSpec,
    MixingSpec,
    MLPSpec,
    PatchSpec,
    RecurrentSpec,
    TCNSpec,
    TextCNNSpec,
    TransformerSpec,
    TransformerXLSpec,
    UnrolledSpec,
    WindowMLPSpec,
)
from inductive_bias.own_layers import OwnLayer
from inductive_bias.plugins import Own, OwnModel, OwnTask, refuse_unbuildable
from inductive_bias.protocols import PROTOCOLS, Protocol, protocol_class
from inductive_bias.settings import Setting
from inductive_bias.training import OptimiserSpec, ScheduleSpec

ModelSpec = Annotated[
    MLPSpec
    | CNNSpec
    | FlattenedSpec
    | LSTMSpec
    | TransformerSpec
    | MixingSpec
    | RecurrentSpec
    | TCNSpec
    | GatedConvolutionSpec
    | InformerSpec
    | LogSparseSpec
    | TransformerXLSpec
    | LanguageXLSpec
    | BlockRecurrentSpec
    | LatentBottleneckSpec
    | BiLSTMSpec
    | TextCNNSpec
    | BidirectionalSpec
    | UnrolledSpec
    | WindowMLPSpec
    | PatchSpec
    | OwnModel
    | OwnLayer,
    Field(discriminator="kind"),
]
Task = Annotated[Union[*PROTOCOLS, OwnTask], Field(discriminator="kind")]


class Distillation(Setting):
    """Learning from the soft targets of a teacher (Hinton et al. 2015; `util/distill_params.py` of Abnar et al. 2020).

    Attributes:
        teacher: the trial that trains the teacher.
        temperature: T, divides both models' logits; within what float32 bears.
        mixing: α, the weight of the soft targets; 1 − α goes to the gold labels.
        scaling: the factor on the soft term: T² (``squared``), the original code's 1/T² (``inverse``), or 1 (``none``).
        teacher_mode: ``eval``, or ``train`` as in the original code (its dropout and batch statistics active).
    """

    teacher: "Trial"
    temperature: float = Field(default=1.0, ge=1e-6, le=1e6)
    mixing: float = Field(default=1.0, ge=0, le=1)
    scaling: Literal["squared", "inverse", "none"] = "squared"
    teacher_mode: Literal["eval", "train"] = "eval"


class Trial(Setting):
    """One training run.

    Attributes:
        task: the data.
        model: the architecture.
        optimiser: how steps are made.
        schedule: how many, and their size over time.
        seed: of the initial weights, the order of the batches and dropout.
        distill: the teacher and how to learn from it, if any.
        checkpoints: epochs (0 = before training) at which the penultimate features of the probe examples are kept;
            those of the last epoch always are. Each once; their order means nothing, and rises here.
    """

    task: Task
    model: ModelSpec
    optimiser: OptimiserSpec = OptimiserSpec()
    schedule: ScheduleSpec = ScheduleSpec()
    seed: int = Field(default=0, ge=0)
    distill: Distillation | None = None
    checkpoints: tuple[int, ...] = ()

    @field_validator("checkpoints")
    @classmethod
    def _checkpoints_rise(cls, epochs: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(epochs)) < len(epochs):
            raise ValueError(f"each epoch may be a checkpoint once, but they are {epochs}")
        return tuple(sorted(epochs))

    @model_validator(mode="after")
    def _checkpoints_exist(self) -> "Trial":
        if any(not 0 <= epoch <= self.schedule.epochs for epoch in self.checkpoints):
            raise ValueError(f"checkpoints {self.checkpoints} must lie in 0 … epochs={self.schedule.epochs}")
        return self

    @model_validator(mode="after")
    def _model_and_task_fit(self) -> "Trial":
        dimensions = self.task.dimensions
        if not any(needed <= set(dimensions) for needed in self.model.inputs):
            raise ValueError(
                f"a model of kind {self.model.kind!r} cannot be trained on a task of kind {self.task.kind!r}: it needs "
                f"{' or '.join(', '.join(sorted(needed)) for needed in self.model.inputs)}, and the task has "
                f"{', '.join(dimensions)}"
            )
        cutoffs, outputs = getattr(self.model, "cutoffs", ()), self.task.dimensions.get("outputs")
        if cutoffs and cutoffs[-1] >= outputs:
            raise ValueError(f"cutoffs must lie below the {outputs} outputs of the task, but they are {cutoffs}")
        if not (self.model.causal or self.protocol.objective.allows_noncausal):
            raise ValueError(f"{self.model.name} is not causal: here no answer may depend on what comes later")
        if isinstance(self.model, Own) or isinstance(self.task, Own):
            refuse_unbuildable(self.model, self.task)
        return self

    @model_validator(mode="after")
    def _teacher_fits(self) -> "Trial":
        if self.distill is None:
            return self
        if not self.protocol.distillable:
            raise ValueError(f"a task of kind {self.task.kind!r} cannot be learnt from a teacher: it has no classes")
        theirs, ours = self.distill.teacher.task.dimensions, self.task.dimensions
        if theirs != ours:
            raise ValueError(f"teacher and student must have the same inputs and labels, not {theirs} and {ours}")
        return self

    @property
    def protocol(self) -> type[Protocol]:
        """How this kind of task is trained on and measured."""
        return protocol_class(self.task)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the canonical JSON and the protocol's schema version.

        A file of the user's counts by its content, not by its path: a project that is moved keeps its runs.
        """
        return _named(_schema(self), canonical(self))

    def model_copy(self, **options: Any) -> "Trial":
        """A copy, which may be changed by ``update`` and is then another trial with an id of its own."""
        copied = super().model_copy(**options)
        copied.__dict__.pop("id", None)
        return copied

    @property
    def teacher(self) -> "Trial | None":
        """The trial that must have run before this one."""
        return self.distill.teacher if self.distill else None

    @property
    def label(self) -> str:
        """Name of the trial for people: ``CNN → MLP, seed 3``."""
        teacher = f"{self.teacher.model.name} → " if self.teacher else ""
        return f"{teacher}{self.model.name}, seed {self.seed}"


def id_of(settings: Mapping[str, Any]) -> str | None:
    """The id of a trial from its canonical settings, of which no object is made and no file is run.

    None if a task is from outside: its schema version is known to its file alone.

    Raises:
        KeyError, TypeError, AttributeError: if they are no settings of a trial.
    """
    versions = {known.model_fields["kind"].default: protocol.schema_version for known, protocol in PROTOCOLS.items()}
    chain, each = [], settings
    while each is not None:
        if each["task"]["kind"] == "own":
            return None
        chain.append(versions[each["task"]["kind"]])
        each = each["distill"]["teacher"] if each.get("distill") else None
    return _named(chain[0] if len(set(chain)) == 1 else chain, settings)


def _named(schema: int | list[int], settings: Mapping[str, object]) -> str:
    text = json.dumps([schema, without_places(settings)], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _schema(trial: Trial) -> int | list[int]:
    """The schema version of the trial's protocol; where a teacher's is another, those of the whole chain."""
    chain, each = [], trial
    while each is not None:
        chain.append(each.protocol.schema_version)
        each = each.teacher
    return chain[0] if len(set(chain)) == 1 else chain


def canonical(setting: BaseModel) -> dict[str, object]:
    """The setting as plain data, without the fields that hold their default.

    A new field with a default therefore renames nothing. ``kind`` always stays: it says which class this is.
    """
    found: dict[str, object] = {}
    for name, info in type(setting).model_fields.items():
        value = getattr(setting, name)
        if name == "kind" or info.is_required() or value != info.default:
            found[name] = canonical(value) if isinstance(value, BaseModel) else value
    return found


def without_places(settings: object) -> object:
    """Canonical settings in which a file whose SHA-256 they hold has no path; what it is asked for by name stays."""
    if isinstance(settings, Mapping):
        found = {name: without_places(each) for name, each in settings.items()}
        if found.get("sha256") and "source" in found:
            found["source"] = str(found["source"]).rpartition(":")[2]
        elif found.get("sha256"):
            found = {name: each for name, each in found.items() if name != "file" and not name.endswith("_file")}
        return found
    if isinstance(settings, list | tuple):
        return [without_places(each) for each in settings]
    return settings


def in_order(trials: Iterable[Trial]) -> list[Trial]:
    """Every trial and every teacher once, teachers before their students."""
    found: dict[str, Trial] = {}

    def visit(trial: Trial) -> None:
        if trial.id not in found:
            if trial.teacher:
                visit(trial.teacher)
            found[trial.id] = trial

    for trial in trials:
        visit(trial)
    return list(found.values())
