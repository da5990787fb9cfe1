"""Running a trial: train, measure, return what is to be kept. Deterministic for a trial, a device and the versions."""

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn

from inductive_bias.errors import DataError, SettingError
from inductive_bias.layers import kernels
from inductive_bias.losses import weight_penalty
from inductive_bias.plugins import Own, dimensions_for
from inductive_bias.protocols import Protocol, RunSettings, SoftTargets, protocol_class
from inductive_bias.protocols.measures import Row, row
from inductive_bias.resuming import Keeper, resumed_or_anew
from inductive_bias.seeding import seeded
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.batching import Batch
from inductive_bias.training import DivergedError, fit
from inductive_bias.trials import Trial

#: How a trial was trained that was not stacked with others.
ALONE = "alone"


@dataclass
class Outcome:
    """What a run leaves: its rows, its final weights, probe features by checkpoint, and how it went.

    ``together`` says whether it was trained :data:`ALONE` or in a stack (:mod:`~inductive_bias.stacked_seeds`).
    ``kernels`` is the version of each that was asked for (:mod:`inductive_bias.layers.kernels`). ``resumed`` says how
    often the training was interrupted and went on (:mod:`inductive_bias.resuming`). ``stack`` are the ids of all trials
    of the stack.
    """

    rows: list[Row]
    weights: dict[str, Tensor]
    arrays: dict[str, Tensor]
    minutes: float
    device: str
    data_sha256: dict[str, str] = field(default_factory=dict)
    threads: int = 1
    together: str = ALONE
    kernels: dict[str, str] = field(default_factory=dict)
    resumed: int = 0
    stack: tuple[str, ...] = ()


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


def reason_not_here(trial: Trial, place: torch.device) -> str:
    """Why a device cannot run the trial at all; empty if nothing is known to be in the way.

    A trial's precision is part of its id. So one that this processor has no kernel for is refused, and never run in
    another precision under the same name.
    """
    if trial.schedule.precision != "bfloat16" or place.type != "cpu":
        return ""
    lacking = {kind: reason for kind in (nn.LSTM, nn.GRU, nn.RNN) if (reason := _reason_without_bfloat16(kind))}
    # what a model of one's own does while it is built is not asked for twice: it fails in its place, if it does
    if not lacking or isinstance(trial.model, Own):
        return ""
    with torch.device("meta"):
        modules = trial.model.build(**trial.task.dimensions).modules()
    return next((lacking[type(module)] for module in modules if type(module) in lacking), "")


@cache
def _reason_without_bfloat16(kind: type[nn.RNNBase]) -> str:
    """Why this processor does not run a fused network in bfloat16; asked of the kernel once a process."""
    with seeded(0, torch.device("cpu")):
        try:
            with torch.autocast("cpu", torch.bfloat16):
                kind(4, 4)(torch.zeros(2, 2, 4))[0].sum().backward()
        except RuntimeError as error:
            return (
                f"this processor has no kernel for {kind.__name__} in bfloat16 ({str(error).split('.')[0]}), and the "
                "precision is part of what the trial is: run it on a GPU or on a CPU with AVX-512"
            )
    return ""


@contextlib.contextmanager
def reproducible(seed: int, device: torch.device) -> Iterator[None]:
    """The random state and arithmetic of one run, given back unchanged afterwards.

    Dropout and initialisers draw from torch's global generators and take no other, so these are seeded for a while
    (:func:`~inductive_bias.seeding.seeded`). One thread a trial: sums are then the same however many trials run side by
    side.
    """
    threads, planned = torch.get_num_threads(), torch.backends.cuda.cudnn_sdp_enabled()
    # what a trial calls float32 is float32 on a GPU too: TF32 keeps ten bits of a number
    same_sums = torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False, allow_tf32=False)
    with seeded(seed, device), same_sums, kernels.only_if_asked():
        torch.set_num_threads(1)
        # cuDNN plans its attention anew for every shape, and batches of sentences have hundreds: 20 ms a call
        torch.backends.cuda.enable_cudnn_sdp(False)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.backends.cuda.enable_cudnn_sdp(planned)


@contextlib.contextmanager
def _flushing(wanted: bool) -> Iterator[None]:
    """Arithmetic without denormal numbers, if wanted; processors that have no such mode go on as they are."""
    if not wanted:
        yield
        return
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def build(trial: Trial, weights: dict[str, Tensor] | None = None) -> nn.Module:
    """The trial's model on the CPU, freshly initialised or with ``weights``, in evaluation mode."""
    model = trial.model.build(**dimensions_for(trial.model, trial.task))
    if trial.schedule.precision == "float64":
        model.double()
    if weights is not None:
        model.load_state_dict(weights)
    return model.eval()


def protocol_of(trial: Trial, data: TaskData, root: Path | None = None) -> Protocol:
    """The protocol of the trial's task; ``root`` is where further test sets are looked for."""
    chosen = trial.distill
    soft = chosen and SoftTargets(chosen.temperature, chosen.mixing, chosen.scaling, chosen.teacher_mode)
    run = RunSettings(trial.task, trial.model, trial.schedule, trial.seed, trial.checkpoints, soft, trial.label)
    return protocol_class(trial.task)(run, data, root)


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
    checkpoint: Path | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Train, measure and return; nothing is written.

    Args:
        trial: what to run.
        device: ``auto``, ``cpu``, ``cuda`` …
        root: folder of the data; see :mod:`inductive_bias.tasks.files` for where else it is looked for.
        teacher_weights: final weights of ``trial.teacher``; needed if and only if there is one.
        checkpoint: a file in which a long training keeps how far it is, and from which it goes on; the outcome is the
            one of a training that was never interrupted (:mod:`inductive_bias.resuming`).
        tell: called with the steps made, and how many there are, after every step.

    Raises:
        SettingError: unknown device, or one that cannot run the trial (:func:`reason_not_here`), or a model or task
            from outside that does not answer as its protocol wants.
        DataError: data missing or damaged, or a teacher with another vocabulary.
        ValueError: teacher weights missing, or given without a teacher.
    """
    if (trial.teacher is None) != (teacher_weights is None):
        need, got = ("no", "some") if trial.teacher is None else ("a teacher's", "none")
        raise ValueError(f"trial {trial.id} ({trial.label}) needs {need} teacher_weights, but got {got}")
    place = resolve_device(device)
    if reason := reason_not_here(trial, place):
        raise SettingError(f"{trial.label} ({trial.id}): {reason}")
    return resumed_or_anew(lambda: _trained(trial, place, root, teacher_weights, checkpoint, tell), checkpoint)


def _trained(
    trial: Trial,
    place: torch.device,
    root: Path | None,
    teacher_weights: dict[str, Tensor] | None,
    checkpoint: Path | None,
    tell: Callable[[int, int], None] | None,
) -> Outcome:
    start = time.perf_counter()
    with reproducible(trial.seed, place), _flushing(trial.schedule.flush_denormals):
        run = Run(trial, place, root, teacher_weights, tell=tell)
        keeper = None if checkpoint is None else Keeper([run], checkpoint)
        try:
            fit(run.model, run.batches, run.loss, after_epoch=run.after_epoch, keeper=keeper, **run.options)
        except DivergedError as error:
            run.diverged_at = error.epoch
        run.measure()
    before, resumed = (0.0, 0) if keeper is None else (keeper.before, keeper.resumed)
    return run.outcome(before + (time.perf_counter() - start) / 60, resumed=resumed)


class Run:
    """A trial on its way: made with initial weights, trained by its caller, measured at the end.

    Attributes:
        trial, protocol, model, place: what is trained, how, and on which device.
        teacher: what it learns from, if anything.
        order: the generator that the order of the batches is drawn from.
        rows: what has been measured so far.
        arrays: probe features by checkpoint; after :meth:`measure` whatever else the protocol keeps.
        diverged_at: the epoch of divergence, if there was one.
        finished: whether what is measured is as good as it can be, so that training ended before its time.
    """

    def __init__(
        self,
        trial: Trial,
        place: torch.device,
        root: Path | None,
        teacher_weights: dict[str, Tensor] | None = None,
        *,
        tell: Callable[[int, int], None] | None = None,
    ):
        self.trial, self.place = trial, place
        self._tell, self._steps = tell, 0
        self.rows: list[Row] = []
        self.arrays: dict[str, Tensor] = {}
        self.diverged_at: int | None = None
        self.finished = False
        data = trial.task.load(root)
        self.protocol = protocol_of(trial, data, root)
        self.model = build(trial).to(place)
        self.protocol.check(self.model)
        self.teacher = None
        if trial.teacher:
            _refuse_other_words(trial, data, root)
            self.teacher = build(trial.teacher, teacher_weights).to(place)
        if 0 in trial.checkpoints or trial.schedule.epochs == 0:
            self._keep(0)
            self.rows.extend(self.protocol.measures.at_start(self.model))
        if self.teacher is not None:
            self.protocol.objective.set_teacher(self.teacher)
        self.order = torch.Generator().manual_seed(trial.seed)

    @property
    def ended(self) -> bool:
        """Whether it makes no further step: :attr:`finished`, or diverged."""
        return self.finished or self.diverged_at is not None

    @property
    def options(self) -> dict[str, object]:
        """How steps are made, for :func:`~inductive_bias.training.fit`."""
        steps = self.protocol.batching.steps_per_epoch()
        return {"steps_per_epoch": steps, "optimiser": self.trial.optimiser, "schedule": self.trial.schedule}

    def batches(self) -> Iterable[Batch]:
        """Batches of the next epoch; whoever asked for it is told of every step."""
        batches = self.protocol.batching.epoch(self.order, self.place)
        return batches if self._tell is None else self._counted(batches)

    def _counted(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        steps = self.trial.schedule.epochs * self.protocol.batching.steps_per_epoch()
        for batch in batches:
            yield batch
            self._steps += 1
            self._tell(self._steps, max(steps, self._steps))

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        """What is minimised, with weight penalties."""
        penalty = weight_penalty(model, l1=self.trial.model.l1, l2=self.trial.model.l2)
        return self.protocol.objective.loss(model, batch) + penalty

    def after_epoch(self, epoch: int, mean_loss: float) -> bool:
        """Measure the model, and say whether it is :attr:`finished`.

        Raises:
            DivergedError: if what is measured, or a weight, is not finite.
        """
        self.rows.append(row("train", "loss", mean_loss, self.protocol.given.train.source, epoch=epoch))
        found = list(self.protocol.measures.after_epoch(self.model, epoch))
        self.rows.extend(found)
        # the loss of the last step was finite, but the step itself may have gone too far; and a share of right answers
        # is a finite number even where every output is NaN
        sound = all(weight.isfinite().all() for weight in self.model.parameters())
        if not sound or not all(math.isfinite(each["value"]) for each in found):
            raise DivergedError(epoch)
        self.finished = self.protocol.measures.should_stop
        if self.finished or epoch in self.trial.checkpoints or epoch == self.trial.schedule.epochs:
            self._keep(epoch)
        return self.finished

    def _keep(self, epoch: int) -> None:
        features = self.protocol.features(self.model)
        if features is not None:
            self.arrays[f"features/{epoch}"] = features

    def measure(self) -> None:
        """What is measured of the trained model."""
        diverged, source = self.diverged_at is not None, self.protocol.given.train.source
        self.rows.append(row("train", "diverged", float(diverged), source, epoch=self.diverged_at))
        self.model.eval()
        self.rows += self.protocol.measures.final(self.model, diverged=diverged)
        self.arrays |= self.protocol.measures.arrays(self.model)

    def outcome(self, minutes: float, **how: object) -> Outcome:
        """What is to be kept; ``how`` are further fields of it."""
        # copies: weights that are tied share their storage, which a file of them may not
        state = self.model.state_dict().items()
        weights = {name: value.detach().cpu().clone(memory_format=torch.contiguous_format) for name, value in state}
        name = torch.cuda.get_device_name(self.place) if self.place.type == "cuda" else self.place.type
        sha256, used = self.protocol.measures.sha256(), kernels.kernel_versions()
        return Outcome(self.rows, weights, self.arrays, minutes, name, sha256, kernels=used, **how)
