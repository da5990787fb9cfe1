"""Long trainings kept in a file every few minutes: whoever starts again after a crash loses those minutes, no more.

A training that goes on gives the very numbers of one that was never interrupted. What is kept is all that a step reads:
weights, the optimiser, the schedule, the states of the generators of random numbers, what has been measured, and what
an objective or a selection remembers. The order of the data is not kept: the batches up to that point are drawn again,
which no step of training is made for. A file is used only by the code, the versions, the machine and the data that it
was made with. It is read without running anything in it.
"""

import contextlib
import hashlib
import os
import random
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.layers import kernels
from inductive_bias.models.segments import Past
from inductive_bias.provenance import processor, versions

#: Minutes between two files, unless :data:`ENV_MINUTES` says otherwise.
MINUTES = 5.0
ENV_MINUTES = "INDUCTIVE_BIAS_CHECKPOINT_MINUTES"
#: Classes besides plain values and tensors that a state may have.
KNOWN = (Past,)
#: What every module of PyTorch has: kept as weights, or the same in every model.
_OF_MODULES = frozenset(vars(nn.Module()))
_PACKAGE = __name__.partition(".")[0]


@runtime_checkable
class Trained(Protocol):
    """What is kept of a run on its way: :class:`inductive_bias.running.Run`."""

    trial: Any
    place: torch.device
    protocol: Any
    model: nn.Module
    teacher: nn.Module | None
    order: torch.Generator
    rows: list[dict[str, object]]
    arrays: dict[str, Tensor]
    diverged_at: int | None
    finished: bool


class StaleError(Exception):
    """A kept training that cannot go on: the batches drawn again are not those of then."""


Found = TypeVar("Found")


def resumed_or_anew(train: Callable[[], Found], checkpoint: Path | None) -> Found:
    """What ``train`` returns, which goes on from ``checkpoint``; it begins anew where that cannot go on."""
    try:
        return train()
    except StaleError:
        checkpoint.unlink(missing_ok=True)
        return train()


class _Unkept(Exception):  # noqa: N818 — never leaves the module
    """A value that no file can hold."""


class Keeper:
    """Where a training stands, in a file now and then.

    Args:
        runs: what is trained: one, or those of a stack.
        path: of the file.
        stack: that holds the weights of several runs while they are trained.

    Attributes:
        epoch: of the kept training, which goes on there; 0 if it starts at the beginning.
        step: steps made of that epoch.
        before: minutes that had gone into it when it was kept.
        resumed: how often the training has gone on from a file.
    """

    def __init__(self, runs: Sequence[Trained], path: Path, stack: nn.Module | None = None):
        self.runs, self.path, self.stack, self.every = list(runs), path, stack, 60 * minutes_between()
        self.epoch = self.step = self.resumed = 0
        self._begun = self._last = time.monotonic()
        self.before = 0.0
        self._identity = _identity(self.runs)
        parts = [part for run in self.runs for part in _parts(run).values()]
        self._keeps = self.every < float("inf") and all(map(_known, parts))
        self._found = self._read() if self._keeps else None
        if self._found is not None:
            self.epoch, self.step = self._found["epoch"], self._found["step"]
            self.before, self.resumed = self._found["minutes"], self._found["resumed"] + 1

    def look(
        self,
        epoch: int,
        step: int,
        total: Tensor,
        stepper: torch.optim.Optimizer,
        rate: torch.optim.lr_scheduler.LRScheduler,
    ) -> None:
        """Keep the training if it is time to; ``total`` is the sum of the losses of the epoch's steps until now."""
        if not self._keeps or time.monotonic() - self._last < self.every:
            return
        try:
            state = {
                "identity": self._identity,
                "epoch": epoch,
                "step": step,
                "total": total,
                "minutes": self.before + (time.monotonic() - self._begun) / 60,
                "resumed": self.resumed,
                "optimiser": _plain(stepper.state_dict()),
                "rate": _plain(rate.state_dict()),
                "runs": [_of_run(run) for run in self.runs],
                "stack": {} if self.stack is None else self.stack.state_dict(),
                "random": _random_state(self.runs[0].place),
            }
            _write(state, self.path)
        except _Unkept as error:
            self._keeps = False
            warnings.warn(f"{self._label} is not kept while it is trained: {error}", stacklevel=2)
        except (OSError, RuntimeError) as error:  # PyTorch says a full disk with the second
            warnings.warn(f"{self.path} could not be written, training goes on: {error}", stacklevel=2)
        self._last = time.monotonic()

    def restore(self, stepper: torch.optim.Optimizer, rate: torch.optim.lr_scheduler.LRScheduler) -> Tensor:
        """Put everything back as it was kept, once the batches until then are drawn; returns the sum of losses.

        Raises:
            StaleError: if drawing them has left the generator of the order in another state.
        """
        found, self._found, self.epoch = self._found, None, 0
        for kept, run in zip(found["runs"], self.runs, strict=True):
            _into_run(kept, run)
        if self.stack is not None:
            self.stack.load_state_dict(found["stack"])
        stepper.load_state_dict(found["optimiser"])
        rate.load_state_dict(found["rate"])
        _set_random_state(found["random"], self.runs[0].place)
        return found["total"]

    @property
    def _label(self) -> str:
        return self.runs[0].trial.label + f" and {len(self.runs) - 1} more" * (len(self.runs) > 1)

    def _read(self) -> dict[str, Any] | None:
        if not self.path.is_file():
            return None
        try:
            with torch.serialization.safe_globals(list(KNOWN)):
                found = torch.load(self.path, weights_only=True)
            kept = found["identity"]
        except Exception as error:  # a file that was cut off or changed fails in many ways
            reason = f"cannot be read ({type(error).__name__})"
        else:
            if kept == self._identity:
                return found
            changed = [name for name, value in self._identity.items() if kept.get(name) != value]
            reason = f"was made with another {', '.join(changed)}"
        warnings.warn(f"{self.path} {reason}: {self._label} is trained from the start", stacklevel=4)
        return None


def minutes_between() -> float:
    """Minutes between two files: 5, or what the environment variable says; 0 keeps every step, ``inf`` nothing.

    Raises:
        SettingError: if the variable is no number of at least 0.
    """
    named = os.environ.get(ENV_MINUTES) or str(MINUTES)
    with contextlib.suppress(ValueError):
        if float(named) >= 0:
            return float(named)
    raise SettingError(f"{ENV_MINUTES} must be a number of minutes of at least 0, not {named!r}")


@cache
def _code() -> str:
    """SHA-256 of the package's own files: a commit does not tell of changes that are in none."""
    found, folder = hashlib.sha256(), Path(__file__).parent
    for path in sorted(each for kind in ("py", "cpp") for each in folder.rglob(f"*.{kind}")):
        found.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def _identity(runs: Sequence[Trained]) -> dict[str, object]:
    return {
        "trial": [run.trial.id for run in runs],
        "code": _code(),
        "versions": versions() | kernels.kernel_versions(),
        "processor": processor(),
        "device": str(runs[0].place),
        "data": [run.protocol.measures.sha256() for run in runs],
    }


def _order_of(run: Trained) -> Tensor:
    return run.order.get_state()


def _parts(run: Trained) -> dict[str, object]:
    """What remembers something while a run is trained; batches are drawn again."""
    return {"objective": run.protocol.objective, "measures": run.protocol.measures, "batching": run.protocol.batching}


def _known(part: object) -> bool:
    """Whether it is of the package: a protocol from outside may remember, or draw, what nobody here knows of."""
    return type(part).__module__.partition(".")[0] == _PACKAGE


def _of_run(run: Trained) -> dict[str, object]:
    teacher = run.teacher
    return {
        "rows": _plain(run.rows),
        "diverged_at": run.diverged_at,
        "finished": run.finished,
        "arrays": _plain(run.arrays),
        "order": _order_of(run),
        "model": run.model.state_dict(),
        "attributes": _attributes(run.model),
        # one in training mode changes as well: its running means
        "teacher": teacher.state_dict() if teacher is not None and teacher.training else {},
        "parts": {name: _state(part) for name, part in _parts(run).items() if name != "batching"},
    }


def _into_run(found: dict[str, Any], run: Trained) -> None:
    if not torch.equal(found["order"], _order_of(run)):
        raise StaleError(run.trial.id)
    run.rows, run.arrays = found["rows"], found["arrays"]
    run.diverged_at, run.finished = found["diverged_at"], found["finished"]
    run.model.load_state_dict(found["model"])
    modules = dict(run.model.named_modules())
    for name, values in found["attributes"].items():
        for attribute, value in values.items():
            setattr(modules[name], attribute, value)
    if found["teacher"]:
        run.teacher.load_state_dict(found["teacher"])
    for name, part in _parts(run).items():
        if name != "batching":
            _set_state(part, found["parts"][name])


def _attributes(model: nn.Module) -> dict[str, dict[str, object]]:
    """Plain values and tensors that modules have besides weights and buffers, such as a counter in one of one's own."""
    found: dict[str, dict[str, object]] = {}
    for name, module in model.named_modules():
        if type(module).__module__.startswith("torch."):  # some have lists of their weights
            continue
        for attribute, value in vars(module).items():
            if attribute not in _OF_MODULES and not _has_weights(value):
                with contextlib.suppress(_Unkept):
                    found.setdefault(name, {})[attribute] = _plain(value)
    return found


def _has_weights(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_weights, value.values()))
    return any(map(_has_weights, value)) if isinstance(value, list | tuple) else isinstance(value, nn.Parameter)


def _state(part: object) -> dict[str, object]:
    return {
        name: _state(value) if _is_part(value) else _plain(value)
        for name, value in vars(part).items()
        if name != "given" and not _made_again(part, name, value)
    }


def _made_again(part: object, name: str, value: object) -> bool:
    """Whether a run that goes on makes it anew: from the data, from a teacher, or by drawing batches again."""
    derived = isinstance(getattr(type(part), name, None), cached_property)
    return derived or callable(value) or isinstance(value, nn.Module | Iterator)


def _set_state(part: object, state: Mapping[str, object]) -> None:
    for name, value in state.items():
        if _is_part(getattr(part, name, None)):
            _set_state(getattr(part, name), value)
        else:
            setattr(part, name, value)


def _is_part(value: object) -> bool:
    return type(value).__module__.startswith(f"{_PACKAGE}.protocols") and hasattr(value, "__dict__")


def _plain(value: Any) -> Any:
    """The value, of types alone that a file can be read of without running anything.

    Raises:
        _Unkept: if it is of another type.
    """
    if value is None or type(value) in (bool, int, float, str) or isinstance(value, Tensor):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, KNOWN):
        return type(value)(*map(_plain, value))
    if type(value) in (list, tuple):
        return type(value)(_plain(each) for each in value)
    if isinstance(value, Mapping):
        return {_plain(name): _plain(each) for name, each in value.items()}
    raise _Unkept(f"it has a {type(value).__name__}, which is no plain value")


def _random_state(place: torch.device) -> dict[str, object]:
    algorithm, words, *rest = np.random.get_state()  # noqa: NPY002 — the global one that others draw from
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state(place) if place.type == "cuda" else None,
        "python": _plain(random.getstate()),
        "numpy": [algorithm, torch.from_numpy(words.astype(np.int64)), *_plain(rest)],
    }


def _set_random_state(found: dict[str, Any], place: torch.device) -> None:
    torch.set_rng_state(found["torch"])
    if found["cuda"] is not None:
        torch.cuda.set_rng_state(found["cuda"], place)
    random.setstate(found["python"])
    algorithm, words, *rest = found["numpy"]
    np.random.set_state((algorithm, words.numpy().astype(np.uint32), *rest))  # noqa: NPY002


def _write(state: dict[str, object], path: Path) -> None:
    draft = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(state, draft)
        with draft.open("rb") as stream:
            os.fsync(stream.fileno())
        os.replace(draft, path)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
