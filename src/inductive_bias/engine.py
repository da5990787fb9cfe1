"""Running what is missing: teachers first, each trial once, in one process, in several, or on a Ray cluster."""

import inductive_bias.with_studies  # noqa: F401

# isort: split
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import joblib
from tqdm import tqdm

from inductive_bias.errors import SettingError, install_command
from inductive_bias.running import resolve_device, run_trial
from inductive_bias.stacked_seeds import reason_alone, run_together, stacks
from inductive_bias.store import LockedError, Store
from inductive_bias.tasks.files import places
from inductive_bias.trials import Trial, in_order

Engine = Literal["local", "ray"]


def missing(trials: Iterable[Trial], store: Store) -> list[Trial]:
    """Trials, teachers included, without a complete run; teachers before students."""
    return [trial for trial in in_order(trials) if not store.has(trial)]


def run_missing(
    trials: Iterable[Trial],
    store: Store,
    *,
    device: str = "auto",
    root: Path | None = None,
    jobs: int | None = None,
    engine: Engine = "local",
    together: bool = False,
    progress: bool = True,
) -> int:
    """Run every missing trial and keep it; returns how many this call ran.

    Args:
        trials: the wanted trials; their teachers are added.
        store: where runs are kept. On a cluster it must be a folder that every node sees.
        device: for every trial.
        root: folder of the data.
        jobs: trials at a time; by default one a CPU core, or one on a GPU.
        engine: ``local`` processes (joblib), or joblib's ``ray`` backend (the ``cluster`` extra).
        together: train seeds of one kind as a stack where that is known to pay (:mod:`~inductive_bias.stacked_seeds`).
        progress: whether to show a bar with trials done, the one begun last and the time left.

    Raises:
        SettingError: unknown device, or jobs < 1.
        DataError: the folder of the data does not exist, whether or not a missing trial would read it.

    Whatever a trial raises stops the call; finished trials are kept.
    """
    place = resolve_device(device)
    if jobs is None:
        jobs = 1 if place.type == "cuda" else os.cpu_count() or 1
    if jobs < 1:
        raise SettingError(f"jobs={jobs} must be at least 1")
    wanted = in_order(trials)
    if wanted:  # those who only look at published tables need no data
        places(root)
    store.sweep()
    pending = missing(wanted, store)
    ran = 0
    with tqdm(total=len(wanted), initial=len(wanted) - len(pending), disable=not progress, unit="trial") as bar:
        for wave in _waves(pending):
            for wait in (False, True):
                # first whatever nobody else is running, then wait for the trials that another process has begun
                busy = []
                units = stacks(wave) if together else [[trial] for trial in wave]
                calls = _announced(units, bar, store.root, device, root, wait, together)
                for answers in _parallel(calls, min(jobs, max(1, len(units))), engine):
                    for trial, answer in answers:
                        if answer == "busy":
                            busy.append(trial)
                            continue
                        ran += answer == "ran"
                        bar.update()
                wave = busy
    return ran


def _waves(trials: list[Trial]) -> Iterator[list[Trial]]:
    """Trials by the length of their chain of teachers: all of a wave can run at once."""

    def depth(trial: Trial) -> int:
        return 0 if trial.teacher is None else 1 + depth(trial.teacher)

    for level in sorted({depth(trial) for trial in trials}):
        yield [trial for trial in trials if depth(trial) == level]


def _announced(
    units: list[list[Trial]], bar: tqdm, runs: Path, device: str, root: Path | None, wait: bool, together: bool
) -> Iterator[object]:
    """The calls for the workers; the bar names a trial when it is handed over."""
    for unit in units:
        bar.set_postfix_str(f"now: {unit[0].label}" + f" and {len(unit) - 1} more" * (len(unit) > 1))
        yield joblib.delayed(_run)(unit, runs, device, root, wait, together, Path.cwd())


def _parallel(calls: Iterable[object], jobs: int, engine: Engine) -> Iterator[list[tuple[Trial, str]]]:
    # Ray's backend can only return a whole wave at once, so its bar moves wave by wave
    order = "list" if engine == "ray" else "generator_unordered"
    with joblib.parallel_config(backend=_backend(engine), n_jobs=jobs):
        # nothing is handed over before a worker is free: a queued trial would already be announced
        yield from joblib.Parallel(return_as=order, pre_dispatch="n_jobs")(calls)


def _backend(engine: Engine) -> str:
    if engine == "ray":
        try:
            from ray.util.joblib import register_ray
        except ImportError as error:
            raise SettingError(f"engine 'ray' needs the cluster extra: {install_command('cluster')}") from error
        register_ray()
        return "ray"
    return "loky"


def _run(
    unit: list[Trial], runs: Path, device: str, root: Path | None, wait: bool, together: bool, folder: Path
) -> list[tuple[Trial, str]]:
    """Of each ``ran``; ``there`` if somebody else finished it meanwhile; ``busy`` if somebody else is at it."""
    if folder.is_dir():
        # a worker may have been started elsewhere, and own models and tasks are files named from the working folder
        os.chdir(folder)
    store, answers = Store(runs), {}
    with contextlib.ExitStack() as locks:
        for trial in sorted(unit, key=lambda trial: trial.id):  # two processes that wait for each other's would stay so
            try:
                locks.enter_context(store.lock(trial, wait=wait))
                answers[trial.id] = "there" if store.has(trial) else "ran"
            except LockedError:
                answers[trial.id] = "busy"
        ours = [trial for trial in unit if answers[trial.id] == "ran"]
        if ours and together and not reason_alone(ours[0]):
            outcomes = run_together(ours, device=device, root=root)
        else:
            weights = [store.weights(trial.teacher) if trial.teacher else None for trial in ours]
            outcomes = [
                run_trial(trial, device=device, root=root, teacher_weights=theirs)
                for trial, theirs in zip(ours, weights, strict=True)
            ]
        for trial, outcome in zip(ours, outcomes, strict=True):
            store.save(trial, outcome)
    return [(trial, answers[trial.id]) for trial in unit]
