"""Seeds trained together: the models of several trials as one stack, whose step costs less than the sum of theirs.

A small model's step is mostly overhead: hundreds of operations on a few thousand numbers. ``torch.func.vmap`` makes
each of them once for all seeds, and ``torch.compile`` joins those that follow one another. Every seed keeps its initial
weights, its data, the order of its batches, its clipping and its divergence. Its numbers differ from those of a run
alone by the rounding of sums in another order, and, where there is dropout, by the random numbers drawn. So they hang
on who else is in the stack: that is decided by what is wanted, never by what has been run already, and the record of a
run names all trials of its stack.
"""

import copy
import json
import math
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from inductive_bias.protocols.batching import Fresh, Shuffled, Windows
from inductive_bias.resuming import Keeper, resumed_or_anew
from inductive_bias.running import Outcome, Run, reproducible, resolve_device
from inductive_bias.tasks.batching import Batch
from inductive_bias.training import DivergedError, epochs_of
from inductive_bias.trials import Trial, canonical

#: Seeds a stack at most: what is worked on shall stay in the cache.
MOST = 8
#: Numbers that a layer passes on in a step (examples × length × width), up to which overhead is most of the step. It is
#: what ``inductive-bias bench seeds`` measures.
SMALL = 2**16
#: Modules whose kernel is one operation for a whole sequence: little is left to save, and less the longer it is.
FUSED = (nn.RNNBase,)


def reason_alone(trial: Trial) -> str:
    """Why a trial is trained alone even where seeds are trained together; empty if it is not.

    Its settings decide and no clock does: a study is trained in the same way on every machine.
    """
    if trial.teacher is not None:
        return "it has a teacher of its own"
    if trial.schedule.precision != "float32":
        return "its forward pass is not in float32"
    if trial.schedule.flush_denormals:
        return "its arithmetic is without denormal numbers"
    if not issubclass(trial.protocol.batching, Fresh | Shuffled | Windows):
        return "its batches are not all of one size"
    if getattr(trial.task, "weights", "none") != "none":
        return "its loss counts classes by how many there are in its own data"
    if trial.model.kind != "mixing" or trial.task.kind in ("own", "own_probe"):
        return "only the package's own mixers and tasks are known to stack"
    if (size := _size(trial)) > SMALL:
        return f"a layer passes on {size:,} numbers a step, more than {SMALL:,}"
    with torch.device("meta"):
        model = trial.model.build(**trial.task.dimensions)
    fused = {type(module).__name__ for module in model.modules() if isinstance(module, FUSED)}
    return f"its {', '.join(sorted(fused))} has a fused kernel, which leaves little to save" if fused else ""


def _size(trial: Trial) -> int:
    length = trial.task.window if issubclass(trial.protocol.batching, Windows) else trial.task.length
    return trial.schedule.batch_size * length * trial.model.width


def stacks(trials: Iterable[Trial]) -> list[list[Trial]]:
    """Trials that differ in seeds and data alone, at most :data:`MOST` together; who stays alone is by itself."""
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.id if reason_alone(trial) else _but_for_data(trial), []).append(trial)
    return [group[first : first + MOST] for group in found.values() for first in range(0, len(group), MOST)]


def _but_for_data(trial: Trial) -> str:
    """What trials of one stack share: all settings but seeds and data, and the examples of a batch."""
    settings = canonical(trial)
    settings.pop("seed", None)
    for name in trial.protocol.data_only:
        settings["task"].pop(name, None)
    examples = min(trial.schedule.batch_size, getattr(trial.task, "train_size", trial.schedule.batch_size))
    return json.dumps([settings, examples], sort_keys=True)


def run_together(
    trials: Sequence[Trial],
    *,
    device: str = "auto",
    root: Path | None = None,
    compiled: bool = True,
    checkpoint: Path | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Train the trials as one stack, measure each alone, and return what each leaves; nothing is written.

    Args:
        trials: which differ in seeds and data alone (see :func:`stacks`), and have no :func:`reason_alone`.
        device: ``auto``, ``cpu``, ``cuda`` …
        root: folder of the data.
        compiled: whether ``torch.compile`` joins the operations; where it cannot (no C++ compiler), they stay apart.
        checkpoint: a file in which a long training keeps how far it is, see :mod:`inductive_bias.resuming`.
        tell: called with the steps made, and how many there are, after every step.

    Raises:
        SettingError, DataError: as of :func:`~inductive_bias.running.run_trial`.
        ValueError: if the trials cannot be trained together.
    """
    _refuse_strangers(trials)
    place = resolve_device(device)

    def train() -> list[Outcome]:
        return resumed_or_anew(lambda: _trained(trials, place, root, compiled, checkpoint, tell), checkpoint)

    try:
        return train()
    except Exception as error:
        if (damaged := half_compiled(error)) is None:
            raise
        damaged.unlink(missing_ok=True)
        _KEPT.clear()
    return train()


def half_compiled(error: BaseException) -> Path | None:
    """The library that an error says is cut short; None if it says something else.

    PyTorch keeps what it compiles by its content. A process that is killed while the linker writes leaves half a file,
    which every later one would try to load.
    """
    found = re.search(r"(/\S+\.so): file too short", str(error))
    return Path(found[1]) if found else None


def _trained(
    trials: Sequence[Trial],
    place: torch.device,
    root: Path | None,
    compiled: bool,
    checkpoint: Path | None,
    tell: Callable[[int, int], None] | None,
) -> list[Outcome]:
    start, runs = time.perf_counter(), []
    for trial in trials:
        with reproducible(trial.seed, place):
            runs.append(Run(trial, place, root, tell=None if runs else tell))
    # from here on only dropout draws: from one stream for all
    with reproducible(trials[0].seed, place):
        stack = Stack(runs, compiled=compiled)
        keeper = None if checkpoint is None else Keeper(runs, checkpoint, stack)
        options = runs[0].options | {"clip": clip_each, "losses": (len(runs),), "keeper": keeper}
        for epoch, means in epochs_of(stack, stack.batches, Stack.forward, **options):
            stack.after_epoch(epoch, means)
            if all(run.ended for run in runs):
                break
        for run in runs:
            run.measure()
    before, resumed = (0.0, 0) if keeper is None else (keeper.before, keeper.resumed)
    minutes = (before + (time.perf_counter() - start) / 60) / len(runs)
    how = f"{len(runs)} stacked" + ", compiled" * stack.compiled
    said = {"together": how, "stack": tuple(trial.id for trial in trials), "resumed": resumed}
    return [run.outcome(minutes, **said) for run in runs]


def _refuse_strangers(trials: Sequence[Trial]) -> None:
    if not trials:
        raise ValueError("trials must hold at least one")
    if reason := next(filter(None, map(reason_alone, trials)), ""):
        raise ValueError(f"{trials[0].label} cannot be trained together with others: {reason}")
    if len({_but_for_data(trial) for trial in trials}) > 1:
        raise ValueError("trials that are trained together may differ in seeds and data alone")


class _Losses(nn.Module):
    """The losses ``[s]`` of s models from their weights ``[s, …]`` and batches ``[s, b, …]``.

    A forward pass is the loss of one, so that ``functional_call`` puts weights into all that it reads.
    """

    def __init__(self, run: Run, *, compiled: bool):
        super().__init__()
        self.model, self.run, self.compiled = copy.deepcopy(run.model).train(), run, compiled
        # each dropout mask is drawn anew for every model
        self._apart = self._joined = vmap(self._one, randomness="different")
        if compiled:
            torch._dynamo.reset()  # what was compiled for others would count against the limit of versions
            self._joined = torch.compile(self._apart, dynamic=False)

    def forward(self, *batch: Tensor) -> Tensor:
        return self.run.loss(self.model, Batch(*batch))

    def _one(self, state: dict[str, Tensor], *batch: Tensor) -> Tensor:
        return functional_call(self, state, batch)

    def of(self, state: dict[str, Tensor], batches: tuple[Tensor, ...]) -> Tensor:
        """The losses, for weights and buffers by their names in ``model``."""
        if self.compiled:
            try:
                return self._joined(state, *batches)
            except Exception as error:  # compilers fail in many ways; what is wrong with the data is raised again
                if half_compiled(error):
                    raise
                warnings.warn(
                    f"the step is not compiled ({type(error).__name__}: {error}): it takes longer", stacklevel=2
                )
                self.compiled = False
        return self._apart(state, *batches)


#: The last one made in this process: the next stack of the same kind need not be compiled again.
_KEPT: dict[tuple, _Losses] = {}


def _losses_of(runs: Sequence[Run], *, compiled: bool) -> _Losses:
    key = (_but_for_data(runs[0].trial), len(runs), runs[0].place, compiled)
    if key not in _KEPT:
        _KEPT.clear()
        _KEPT[key] = _Losses(runs[0], compiled=compiled)
    return _KEPT[key]


class Stack(nn.Module):
    """The weights of several runs, each ``[s, …]``; a forward pass takes one batch for each and gives their losses.

    Attributes:
        weights: by name, with ``/`` for the dots that PyTorch allows in no name.
    """

    def __init__(self, runs: Sequence[Run], *, compiled: bool = True):
        super().__init__()
        self.runs = list(runs)
        weights, buffers = stack_module_state([run.model for run in runs])
        self.weights = nn.ParameterDict(
            {name.replace(".", "/"): nn.Parameter(x, requires_grad=x.requires_grad) for name, x in weights.items()}
        )
        self._buffers_of_all = {f"model.{name}": x for name, x in buffers.items()}
        # in a tuple, since its own weights are never used and must not be found
        self._losses = (_losses_of(runs, compiled=compiled),)

    @property
    def compiled(self) -> bool:
        """Whether the step is compiled."""
        return self._losses[0].compiled

    def forward(self, batches: tuple[Tensor, ...]) -> Tensor:
        """Losses ``[s]`` of inputs, labels and indices, each ``[s, b, …]``."""
        weights = {f"model.{name.replace('/', '.')}": x for name, x in self.weights.items()}
        return self._losses[0].of(weights | self._buffers_of_all, batches)

    def batches(self) -> Iterator[tuple[Tensor, ...]]:
        """The next epoch: one batch for each seed, in its own order."""
        for several in zip(*(run.batches() for run in self.runs), strict=True):
            yield tuple(torch.stack(parts) for parts in zip(*several, strict=True))

    @torch.no_grad()
    def after_epoch(self, epoch: int, means: Sequence[float]) -> None:
        """Measure every run that has neither diverged nor finished, with its slice of the weights.

        Raises:
            DivergedError: never to the caller; the run is marked instead.
        """
        for number, (run, mean) in enumerate(zip(self.runs, means, strict=True)):
            if run.ended:
                continue
            for name, weight in run.model.named_parameters():
                weight.copy_(self.weights[name.replace(".", "/")][number])
            run.model.eval()
            try:
                if not math.isfinite(mean):
                    raise DivergedError(epoch)
                run.after_epoch(epoch, mean)
            except DivergedError as error:
                run.diverged_at = error.epoch


def clip_each(parameters: Iterable[Tensor], most: float) -> None:
    """``clip_grad_norm_`` of each model of a stack, whose parameters are ``[s, …]``; frozen ones have no gradient."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norms = torch.stack([gradient.reshape(len(gradient), -1).norm(dim=1) for gradient in gradients]).norm(dim=0)
    factor = (most / (norms + 1e-6)).clamp(max=1)
    for gradient in gradients:
        gradient.mul_(factor.view(-1, *(1,) * (gradient.ndim - 1)))
