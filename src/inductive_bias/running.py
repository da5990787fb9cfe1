"""Running a trial: train, measure, return what is to be kept. Deterministic for a trial, a device and the versions."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.evaluation import Row, diverged_rows, logits_of, row, shift_rows, split_rows
from inductive_bias.losses import distillation_loss, weight_penalty
from inductive_bias.metrics import accuracy
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import Batch, batches_per_epoch, ordered_chunks, shuffled_batches
from inductive_bias.training import DivergedError, fit, predict
from inductive_bias.trials import Trial

#: Validation examples whose penultimate features are kept (the blog compares about 1,000).
PROBE_EXAMPLES = 1000
IMAGE, CLASSES = (1, 28, 28), 10


@dataclass
class Outcome:
    """What a run leaves: its rows, its final weights, probe features by checkpoint, and how it went."""

    rows: list[Row]
    weights: dict[str, Tensor]
    arrays: dict[str, Tensor]
    minutes: float
    device: str
    data_sha256: dict[str, str] = field(default_factory=dict)


def resolve_device(name: str = "auto") -> torch.device:
    """``auto`` is the GPU if there is one, else the CPU.

    Raises:
        SettingError: if the device is unknown or not in this machine.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
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
    with torch.random.fork_rng(devices=devices), same_sums:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def build(trial: Trial, weights: dict[str, Tensor] | None = None) -> nn.Module:
    """The trial's model on the CPU, freshly initialised or with ``weights``, in evaluation mode."""
    model = trial.model.build(image=IMAGE, classes=CLASSES)
    if weights is not None:
        model.load_state_dict(weights)
    return model.eval()


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
        SettingError: unknown device. DataError: data missing or damaged.
        ValueError: teacher weights missing, or given without a teacher.
    """
    if (trial.teacher is None) != (teacher_weights is None):
        need, got = ("no", "some") if trial.teacher is None else ("a teacher's", "none")
        raise ValueError(f"trial {trial.id} ({trial.label}) needs {need} teacher_weights, but got {got}")
    start, place = time.perf_counter(), resolve_device(device)
    with _reproducible(trial.seed, place):
        data = trial.task.load(root)
        model = build(trial).to(place)
        teacher = build(trial.teacher, teacher_weights).to(place) if trial.teacher else None
        rows, arrays, diverged_at = _train(trial, model, teacher, data)
        rows.append(row("train", "diverged", float(diverged_at is not None), data["train"].source, epoch=diverged_at))
        rows += _final_rows(model, data, trial, diverged=diverged_at is not None)
    weights = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    name = torch.cuda.get_device_name(place) if place.type == "cuda" else place.type
    return Outcome(rows, weights, arrays, (time.perf_counter() - start) / 60, name, dict(data.sha256))


def _train(
    trial: Trial, model: nn.Module, teacher: nn.Module | None, data: TaskData
) -> tuple[list[Row], dict[str, Tensor], int | None]:
    """History rows, probe features by checkpoint, and the epoch of divergence if there was one."""
    place = next(model.parameters()).device
    train, validation = data["train"], data["validation"]
    inputs, labels = train.inputs.to(place), train.labels.to(place)
    probe = validation.inputs[:PROBE_EXAMPLES]
    rows: list[Row] = []
    arrays: dict[str, Tensor] = {}

    def keep(epoch: int) -> None:
        arrays[f"features/{epoch}"] = predict(
            lambda c: model.features(c.to(place)).float().cpu(), ordered_chunks(probe)
        )

    def after_epoch(epoch: int, mean_loss: float) -> None:
        rows.append(row("train", "loss", mean_loss, train.source, epoch=epoch))
        score = accuracy(logits_of(model, validation.inputs), validation.labels)
        rows.append(row("validation", "accuracy", score, validation.source, epoch=epoch))
        if epoch in trial.checkpoints or epoch == trial.schedule.epochs:
            keep(epoch)

    if 0 in trial.checkpoints or trial.schedule.epochs == 0:
        keep(0)
        rows.extend(shift_rows(model, data["test"], epoch=0))
    order = torch.Generator().manual_seed(trial.seed)
    batch_size = min(trial.schedule.batch_size, len(labels))
    try:
        fit(
            model,
            lambda: shuffled_batches(inputs, labels, batch_size=batch_size, generator=order),
            _loss(trial, teacher, inputs),
            steps_per_epoch=batches_per_epoch(len(labels), batch_size),
            optimiser=trial.optimiser,
            schedule=trial.schedule,
            after_epoch=after_epoch,
        )
    except DivergedError as error:
        return rows, arrays, error.epoch
    return rows, arrays, None


def _loss(trial: Trial, teacher: nn.Module | None, inputs: Tensor) -> Callable[[nn.Module, Batch], Tensor]:
    """The loss of one batch: gold labels, or the teacher's soft targets; plus the model's weight penalty."""

    def penalty(model: nn.Module) -> Tensor:
        return weight_penalty(model, l1=trial.model.l1, l2=trial.model.l2)

    if teacher is None:
        return lambda model, batch: nn.functional.cross_entropy(model(batch.inputs), batch.labels) + penalty(model)

    settings = trial.distill
    if settings.teacher_mode == "eval":
        # the targets of a fixed teacher do not change: one pass instead of one an epoch
        teacher.eval()
        cached = predict(teacher, ordered_chunks(inputs))
        targets = lambda batch: cached[batch.index]  # noqa: E731
    else:
        teacher.train()
        targets = torch.no_grad()(lambda batch: teacher(batch.inputs))

    def distilled(model: nn.Module, batch: Batch) -> Tensor:
        return penalty(model) + distillation_loss(
            model(batch.inputs).float(),
            targets(batch).float(),
            batch.labels,
            temperature=settings.temperature,
            mixing=settings.mixing,
            scaling=settings.scaling,
        )

    return distilled


def _final_rows(model: nn.Module, data: TaskData, trial: Trial, *, diverged: bool) -> Iterator[Row]:
    model.eval()
    for name in ("validation", "test", *trial.task.corruptions):
        yield from diverged_rows(data[name], name) if diverged else split_rows(model, data[name], name)
    if not diverged:
        yield from shift_rows(model, data["test"])
