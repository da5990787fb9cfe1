"""Running a trial: train, measure, return what is to be kept. Deterministic for a trial, a device and the versions."""

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from inductive_bias.errors import DataError, SettingError
from inductive_bias.layers import kernels
from inductive_bias.losses import weight_penalty
from inductive_bias.protocols import Protocol, protocol_of
from inductive_bias.protocols.measures import Row, row
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import Batch
from inductive_bias.training import DivergedError, fit
from inductive_bias.trials import Trial


@dataclass
class Outcome:
    """What a run leaves: its rows, its final weights, probe features by checkpoint, and how it went.

    ``kernels`` is the version of each that was asked for (:mod:`inductive_bias.layers.kernels`).
    """

    rows: list[Row]
    weights: dict[str, Tensor]
    arrays: dict[str, Tensor]
    minutes: float
    device: str
    data_sha256: dict[str, str] = field(default_factory=dict)
    threads: int = 1
    kernels: dict[str, str] = field(default_factory=dict)


def resolve_device(name: str = "auto") -> torch.device:
    """``auto`` is the GPU if there is one, else the CPU.

    Raises:
        SettingError: if the device is unknown or not in this machine.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        if device.type == "meta":
            raise NotImplementedError("it holds no numbers")
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise SettingError(
            f"device {name!r} is not available here ({str(error).splitlines()[0]}); use auto, cpu"
            f"{', cuda' if torch.cuda.is_available() else ''}"
        ) from error
    return device


@contextlib.contextmanager
def _reproducible(seed: int, device: torch.device) -> Iterator[None]:
    """The random state and arithmetic of one run, given back unchanged afterwards.

    Dropout and initialisers draw from torch's global generators and take no other, so these are forked rather than
    seeded for good. One thread a trial: sums are then the same however many trials run side by side.
    """
    threads = torch.get_num_threads()
    devices = [device] if device.type == "cuda" else []
    same_sums = torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False)
    with torch.random.fork_rng(devices=devices), same_sums, kernels.only_if_asked():
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def build(trial: Trial, weights: dict[str, Tensor] | None = None) -> nn.Module:
    """The trial's model on the CPU, freshly initialised or with ``weights``, in evaluation mode."""
    model = trial.model.build(**trial.task.dimensions)
    if weights is not None:
        model.load_state_dict(weights)
    return model.eval()


def _refuse_other_words(trial: Trial, data: TaskData, root: Path | None) -> None:
    """A teacher whose ids stand for other words would teach nonsense, and nothing else would show it."""
    if data.vocabulary is None or trial.teacher.task == trial.task:
        return
    other = trial.teacher.task.load(root).vocabulary
    if other != data.vocabulary:
        raise DataError(
            f"the teacher of trial {trial.id} ({trial.label}) was trained with another vocabulary "
            f"({other.fingerprint}, {len(other)} words) than its student's ({data.vocabulary.fingerprint}, "
            f"{len(data.vocabulary)} words): give both the same training text and vocabulary_size"
        )


def run_trial(
    trial: Trial,
    *,
    device: str = "auto",
    root: Path | None = None,
    teacher_weights: dict[str, Tensor] | None = None,
) -> Outcome:
    """Train, measure and return; nothing is written.

    Args:
        trial: what to run.
        device: ``auto``, ``cpu``, ``cuda`` …
        root: folder of the data; see :mod:`inductive_bias.tasks.files` for where else it is looked for.
        teacher_weights: final weights of ``trial.teacher``; needed if and only if there is one.

    Raises:
        SettingError: unknown device, or a model or task from outside that does not answer as its protocol wants.
        DataError: data missing or damaged, or a teacher with another vocabulary.
        ValueError: teacher weights missing, or given without a teacher.
    """
    if (trial.teacher is None) != (teacher_weights is None):
        need, got = ("no", "some") if trial.teacher is None else ("a teacher's", "none")
        raise ValueError(f"trial {trial.id} ({trial.label}) needs {need} teacher_weights, but got {got}")
    start, place = time.perf_counter(), resolve_device(device)
    with _reproducible(trial.seed, place):
        data = trial.task.load(root)
        protocol = protocol_of(trial, data, root)
        model = build(trial).to(place)
        protocol.check(model)
        teacher = None
        if trial.teacher:
            _refuse_other_words(trial, data, root)
            teacher = build(trial.teacher, teacher_weights).to(place)
        rows, arrays, diverged_at = _train(trial, model, teacher, protocol)
        rows.append(row("train", "diverged", float(diverged_at is not None), data["train"].source, epoch=diverged_at))
        model.eval()
        rows += protocol.measures.final(model, diverged=diverged_at is not None)
        arrays |= protocol.measures.arrays(model)
    weights = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    name = torch.cuda.get_device_name(place) if place.type == "cuda" else place.type
    minutes, used = (time.perf_counter() - start) / 60, kernels.kernel_versions()
    return Outcome(rows, weights, arrays, minutes, name, protocol.measures.sha256(), kernels=used)


def _train(
    trial: Trial, model: nn.Module, teacher: nn.Module | None, protocol: Protocol
) -> tuple[list[Row], dict[str, Tensor], int | None]:
    """History rows, probe features by checkpoint, and the epoch of divergence if there was one."""
    place = next(model.parameters()).device
    rows: list[Row] = []
    arrays: dict[str, Tensor] = {}

    def keep(epoch: int) -> None:
        features = protocol.features(model)
        if features is not None:
            arrays[f"features/{epoch}"] = features

    def after_epoch(epoch: int, mean_loss: float) -> None:
        rows.append(row("train", "loss", mean_loss, protocol.given.train.source, epoch=epoch))
        found = list(protocol.measures.after_epoch(model, epoch))
        rows.extend(found)
        # the loss of the last step was finite, but the step itself may have gone too far
        if not all(math.isfinite(each["value"]) for each in found):
            raise DivergedError(epoch)
        if epoch in trial.checkpoints or epoch == trial.schedule.epochs:
            keep(epoch)

    def loss(model: nn.Module, batch: Batch) -> Tensor:
        return protocol.objective.loss(model, batch) + weight_penalty(model, l1=trial.model.l1, l2=trial.model.l2)

    if 0 in trial.checkpoints or trial.schedule.epochs == 0:
        keep(0)
        rows.extend(protocol.measures.at_start(model))
    if teacher is not None:
        protocol.objective.set_teacher(teacher)
    order = torch.Generator().manual_seed(trial.seed)
    try:
        fit(
            model,
            lambda: protocol.batching.epoch(order, place),
            loss,
            steps_per_epoch=protocol.batching.steps_per_epoch(),
            optimiser=trial.optimiser,
            schedule=trial.schedule,
            after_epoch=after_epoch,
        )
    except DivergedError as error:
        return rows, arrays, error.epoch
    return rows, arrays, None
