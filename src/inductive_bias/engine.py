"""Running what is missing: teachers first, each trial once, in one process, in several, or on a Ray cluster."""

import inductive_bias.with_studies  # noqa: F401

# isort: split
import contextlib
import functools
import os
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import torch

from inductive_bias.cluster import RayWorkers
from inductive_bias.errors import DataError, FailedTrialsError, SettingError, StoreError, UserError
from inductive_bias.failures import FAILED
from inductive_bias.locks import STALE
from inductive_bias.progress import Bar
from inductive_bias.running import reason_not_here, resolve_device, run_trial
from inductive_bias.stacked_seeds import reason_alone, run_together, stacks
from inductive_bias.store import LOCKS, LockedError, Store
from inductive_bias.tasks.files import places
from inductive_bias.trials import Trial, in_order
from inductive_bias.workers import KilledError, Workers

Engine = Literal["local", "ray"]

#: Seconds between two looks at trials that another process is running.
LOOK = 1.0
#: Failed trials, and reasons, that a message names.
MOST_NAMED = 3


@dataclass(frozen=True)
class Answer:
    """What an attempt at a trial came to.

    Attributes:
        state: ``ran``; ``there`` if somebody else had finished it; ``busy`` if somebody else is at it; ``failed``.
        reason: of a failure.
        unread: whether its data could not be read, so that no other trial of the task need be tried.
    """

    state: Literal["ran", "there", "busy", "failed"]
    reason: str = ""
    unread: bool = False


#: The trials of a stack, or one that is trained alone, and the ids of those that have no run yet.
Unit = tuple[tuple[Trial, ...], tuple[str, ...]]


def missing(trials: Iterable[Trial], store: Store) -> list[Trial]:
    """Trials, teachers included, without a complete run; teachers before students."""
    return [trial for trial in in_order(trials) if not store.has(trial)]


def trials_at_a_time(jobs: int | None, place: torch.device) -> int:
    """How many trials run at a time: ``jobs``, else one on a GPU and as many as there are CPU cores elsewhere."""
    return jobs or (1 if place.type == "cuda" else os.cpu_count() or 1)


def run_missing(
    trials: Iterable[Trial],
    store: Store,
    *,
    device: str = "auto",
    root: Path | None = None,
    jobs: int | None = None,
    engine: Engine = "local",
    address: str | None = None,
    together: bool = False,
    progress: bool = True,
    title: str = "",
) -> int:
    """Run every missing trial and keep it; returns how many this call ran.

    A trial that fails stops no other. Its traceback is kept in the store, and it is tried again by the next call.

    Args:
        trials: the wanted trials; their teachers are added.
        store: where runs are kept. On a cluster it must be a folder that every node sees.
        device: for every trial.
        root: folder of the data.
        jobs: trials at a time; by default one a CPU core, or one on a GPU; with Ray one a CPU of the cluster, or one a
            GPU.
        engine: ``local`` processes, or those of a ``ray`` cluster (the ``cluster`` extra).
        address: of the Ray cluster, see :class:`~inductive_bias.cluster.RayWorkers`.
        together: train seeds of one kind as a stack where that is known to pay (:mod:`~inductive_bias.stacked_seeds`).
            Who is in a stack is decided by ``trials`` alone, whether or not they have been run: a stack of which some
            runs are there is trained whole again, and only what is missing is kept of it.
        progress: whether to show a bar with trials done, the one begun last, its steps and the time left.
        title: of the bar.

    Raises:
        SettingError: unknown device, or jobs < 1.
        DataError: the folder of the data does not exist, whether or not a missing trial would read it.
        FailedTrialsError: at the end, if a trial failed or could not be tried.
        StoreError: if nothing can be written; finished trials are kept.
    """
    if jobs is not None and jobs < 1:
        raise SettingError(f"jobs={jobs} must be at least 1")
    if address is not None and engine != "ray":
        raise SettingError(f"address={address} is that of a Ray cluster: it needs engine 'ray'")
    place = resolve_device(device) if engine == "local" else None
    wanted = in_order(trials)
    if wanted:  # those who only look at published tables need no data
        places(root)
    store.sweep()
    absent = missing(wanted, store)
    sweep = _Sweep(store, {trial.id for trial in absent})
    if place is not None:  # the machines of a cluster are asked when they are there
        sweep.leave_out(absent, place)
        jobs = min(trials_at_a_time(jobs, place), max(1, len(sweep.absent)))
    work = functools.partial(_run, runs=store.root, device=device, root=root, together=together, folder=Path.cwd())
    with Bar(len(wanted), len(wanted) - len(absent), store.root / LOCKS, shown=progress, title=title) as bar:
        if sweep.absent:
            with _pool(engine, jobs, device, address) as pool:
                for wave in _waves(wanted):
                    if sweep.absent.isdisjoint(trial.id for trial in wave):
                        continue  # whom a wave would stack takes a while to say
                    sweep.complete(stacks(wave) if together else [[trial] for trial in wave], work, pool, bar)
    sweep.tell(len(wanted))
    return sweep.ran


@dataclass
class _Sweep:
    """A call on its way: which trials are still ``absent``, and why some ``failed``."""

    store: Store
    absent: set[str]
    ran: int = 0
    failed: dict[str, tuple[Trial, str]] = field(default_factory=dict)
    unread: dict[object, str] = field(default_factory=dict)
    unknown_since: dict[str, float] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def leave_out(self, trials: Sequence[Trial], place: torch.device) -> None:
        """Leave out, before anything is run, what cannot be run on this machine."""
        found = [(trial, reason) for trial in trials if (reason := reason_not_here(trial, place))]
        for trial, reason in found:
            self._fail(trial, reason)
        if found:
            trial, reason = found[0]
            count = f"{len(found)} of {len(trials)} missing trials are left out"
            warnings.warn(f"{count} (the first: {trial.label}): {reason}", stacklevel=3)

    def complete(
        self, groups: Iterable[Sequence[Trial]], work: Callable[[Unit], object], pool: "Pool", bar: Bar
    ) -> None:
        """Run what is missing of the groups: first whatever nobody else is running, then what others had begun."""
        left = [tuple(group) for group in groups]
        while left := [group for group in left if any(trial.id in self.absent for trial in group)]:
            for (group, wanted), answers in pool.answers(work, self._handed(left, bar)):
                trials = [trial for trial in group if trial.id in wanted]
                self._take(trials, answers)
                bar.end(trials, done=sum(self.store.has(trial) for trial in trials))
            self._wait([[trial for trial in group if trial.id in self.absent] for group in left])

    def _handed(self, groups: Sequence[tuple[Trial, ...]], bar: Bar) -> Iterator[Unit]:
        """What is missing of every group, when a worker asks for it."""
        for group in groups:
            for trial in group:
                if trial.id in self.absent and (reason := self._hopeless(trial)):
                    self._fail(trial, reason)
            if wanted := [trial for trial in group if trial.id in self.absent]:
                bar.begin(wanted)
                yield group, tuple(trial.id for trial in wanted)

    def _hopeless(self, trial: Trial) -> str:
        """Why a trial need not be tried."""
        if trial.teacher is not None and trial.teacher.id in self.failed:
            return f"its teacher, {trial.teacher.label} ({trial.teacher.id}), has no run"
        return self.unread.get(trial.task, "") if self.unread else ""

    def _take(self, trials: Sequence[Trial], answers: "dict[str, Answer] | KilledError") -> None:
        for trial in trials:
            if isinstance(answers, KilledError):
                # it may have come after all was saved
                answer = Answer("ran") if self.store.has(trial) else Answer("failed", str(answers))
                if answer.state == "failed":
                    self.store.fail(trial, answer.reason, "")
            else:
                answer = answers[trial.id]
                if answer.state in ("ran", "there") and not self.store.has(trial):
                    answer = Answer(
                        "failed", f"its run is not in {self.store.root} here: every node must see that folder"
                    )
            if answer.state == "failed":
                self._fail(trial, answer.reason)
                if answer.unread:
                    self.unread[trial.task] = answer.reason
            elif answer.state != "busy":
                self.absent.discard(trial.id)
                self.ran += answer.state == "ran"

    def _fail(self, trial: Trial, reason: str) -> None:
        self.absent.discard(trial.id)
        self.failed[trial.id] = trial, reason

    def _wait(self, busy: Sequence[Sequence[Trial]]) -> None:
        """Wait until all trials of a group are no longer run by somebody else, and say by whom they are.

        Whoever gives no sign of life is not waited for: the lock is then taken over, or, where nobody has said who
        holds it, the trial counts as failed.
        """
        while any(busy):
            for trials in filter(None, busy):
                try:
                    with contextlib.ExitStack() as locks:
                        for trial in trials:
                            locks.enter_context(self.store.lock(trial))
                    return
                except LockedError as error:
                    self._say_who(trial, error)
            time.sleep(LOOK)
            busy = [[trial for trial in trials if trial.id in self.absent] for trials in busy]

    def _say_who(self, trial: Trial, refusal: LockedError) -> None:
        if refusal.holder is not None:
            self.unknown_since.pop(trial.id, None)
        elif time.monotonic() - self.unknown_since.setdefault(trial.id, time.monotonic()) > STALE:
            lock = self.store.root / LOCKS / f"{trial.id}.lock"
            self._fail(trial, f"somebody holds {lock} without saying who: remove it if nobody does")
        if trial.id not in self.said:
            self.said.add(trial.id)
            warnings.warn(f"waiting for {trial.label} ({trial.id}): {refusal}", stacklevel=5)

    def tell(self, total: int) -> None:
        """Say which trials have no run; nothing if all have.

        Raises:
            FailedTrialsError: with the trials by name and reason.
        """
        if not self.failed:
            return
        by_reason: dict[str, list[Trial]] = {}
        for trial, reason in self.failed.values():
            by_reason.setdefault(reason, []).append(trial)
        lines, every = [], len(self.failed) == total
        for reason, trials in list(by_reason.items())[:MOST_NAMED]:
            names = ", ".join(f"{trial.label} ({trial.id})" for trial in trials[:MOST_NAMED])
            more = f" and {len(trials) - MOST_NAMED} more" * (len(trials) > MOST_NAMED)
            # what is wrong with all of them is what one looks for first
            lines.append(f"{reason} ({names}{more})" if every else f"{names}{more}: {reason}")
        if len(by_reason) > MOST_NAMED:
            lines.append(f"and {len(by_reason) - MOST_NAMED} further reasons")
        kept = self.store.root / FAILED
        where = f" Tracebacks are in {kept}." if kept.is_dir() else ""
        said, again = f"{len(self.failed)} of {total} trials have no run", f"{where} The next call tries them again."
        raise FailedTrialsError(
            f"{'; '.join(lines)}. {said}.{again}"
            if every
            else f"{said}; the others are complete.{again} {'; '.join(lines)}",
            {name: reason for name, (_, reason) in self.failed.items()},
            self.ran,
        )


def _waves(trials: list[Trial]) -> Iterator[list[Trial]]:
    """Trials by the length of their chain of teachers: all of a wave can run at once."""

    def depth(trial: Trial) -> int:
        return 0 if trial.teacher is None else 1 + depth(trial.teacher)

    for level in sorted({depth(trial) for trial in trials}):
        yield [trial for trial in trials if depth(trial) == level]


@runtime_checkable
class Pool(Protocol):
    """What hands pieces of work out; see :meth:`Workers.answers`."""

    def answers(self, work: Callable, pieces: Iterable) -> Iterator[tuple]:
        """Each piece and what ``work`` answers to it."""


def _pool(
    engine: Engine, jobs: int | None, device: str, address: str | None
) -> contextlib.AbstractContextManager[Pool]:
    return RayWorkers(jobs, device=device, address=address) if engine == "ray" else Workers(jobs)


def _run(
    unit: Unit, *, runs: Path, device: str, root: Path | None, together: bool, folder: Path | None
) -> dict[str, Answer]:
    """Run what is wanted of a group, and answer what came of each; the whole of a stack is trained for it."""
    if folder is not None and folder.is_dir():
        # a worker may have been started elsewhere, and own models and tasks are files named from the working folder
        os.chdir(folder)
    (group, wanted), store = unit, Store(runs)
    trials = [trial for trial in group if trial.id in wanted]
    with contextlib.ExitStack() as locks:
        try:
            # in one order: two processes that wait for each other's would stay so
            ours = [locks.enter_context(store.lock(trial)) for trial in sorted(trials, key=lambda trial: trial.id)]
        except LockedError:
            # whoever has one of a stack trains all of it
            return {trial.id: Answer("there" if store.has(trial) else "busy") for trial in trials}
        if not (left := [trial for trial in trials if not store.has(trial)]):
            return {trial.id: Answer("there") for trial in trials}

        def tell(step: int, steps: int) -> None:
            for holder in ours:
                holder.step, holder.steps = step, steps

        try:
            options = {"device": device, "root": root, "checkpoint": store.checkpoint(group[0]), "tell": tell}
            if together and not reason_alone(group[0]):
                outcomes = run_together(group, **options)
            else:
                weights = store.weights(group[0].teacher) if group[0].teacher else None
                outcomes = [run_trial(group[0], teacher_weights=weights, **options)]
            for trial, outcome in zip(group, outcomes, strict=True):
                if trial in left:
                    store.save(trial, outcome)
            store.checkpoint(group[0]).unlink(missing_ok=True)
        except StoreError:
            raise  # no other trial could be kept either
        except (Exception, SystemExit) as error:
            return _failed(trials, left, error, store, resolve_device(device))
    return {trial.id: Answer("ran" if trial in left else "there") for trial in trials}


def _failed(
    trials: Sequence[Trial], left: Sequence[Trial], error: BaseException, store: Store, place: torch.device
) -> dict[str, Answer]:
    """Keep that the trials that are left failed.

    Raises:
        SettingError: if the device can no longer be used by this process.
    """
    text = " ".join(str(error).split())
    reason = text if isinstance(error, UserError) else f"{type(error).__name__}: {text}"
    for trial in left:
        store.fail(trial, reason, traceback.format_exc())
    if place.type == "cuda":
        try:
            torch.zeros(1, device=place).item()
        except RuntimeError as broken:
            raise SettingError(
                f"the GPU answers this process no more after {left[0].label} ({left[0].id}) failed ({reason}); the "
                "same command goes on with the others"
            ) from broken
    answer = Answer("failed", reason, isinstance(error, DataError))
    return {trial.id: answer if trial in left else Answer("there") for trial in trials}
