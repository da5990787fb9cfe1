"""Keeping what a trial leaves: one folder a trial, which appears whole or not at all."""

import inductive_bias.with_studies  # noqa: F401

# isort: split
import contextlib
import json
import os
import shutil
import socket
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from inductive_bias.errors import SettingError, StoreError
from inductive_bias.failures import FAILED, Failure, failures_in
from inductive_bias.locks import Holder, LockedError, held, holder_of
from inductive_bias.plugins import refuse_changed
from inductive_bias.protocols.measures import COORDINATES, NUMBERS, Row
from inductive_bias.provenance import commit, processor, versions
from inductive_bias.running import Outcome
from inductive_bias.settings import first_fault
from inductive_bias.strict_json import strict_json
from inductive_bias.tasks.files import checksum
from inductive_bias.trials import Trial, canonical, id_of, without_places

ROWS, WEIGHTS, ARRAYS, RECORD = "rows.parquet", "weights.safetensors", "arrays.safetensors", "trial.json"
#: Begins the name of a folder that is being written; the trial's id follows.
DRAFT = ".draft-"
#: Folder beside the runs: locks, with notes of who holds them.
LOCKS = ".locks"


class Store:
    """The runs of one study under ``root``: ``<root>/<trial id>/`` with record, rows, weights and arrays.

    The record holds the trial's id and settings and the SHA-256 of the other files. A folder that is not what its name
    promises (a file that does not match, the record of another trial) is set aside (renamed into ``<root>/.damaged/``)
    with a warning that names it, and its trial counts as missing.
    """

    def __init__(self, root: Path):
        self.root = root
        self._checked: set[str] = set()

    def folder(self, trial: Trial) -> Path:
        """Where the trial's run is, or will be."""
        return self.root / trial.id

    def has(self, trial: Trial) -> bool:
        """Whether a complete and undamaged run of the trial is here."""
        folder = self.folder(trial)
        if not folder.is_dir():
            if folder.exists():
                self._set_aside(folder, f"{folder} is a file where the folder of a run should be")
            return False
        if trial.id not in self._checked:
            if problem := _damage(folder, trial):
                self._set_aside(folder, problem)
                return False
            self._checked.add(trial.id)
        return True

    def _set_aside(self, folder: Path, problem: str) -> None:
        target = self.root / ".damaged" / f"{folder.name}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}"
        try:
            target.parent.mkdir(exist_ok=True)
            os.replace(folder, target)
        except FileNotFoundError:  # another process set it aside first
            pass
        except OSError as error:
            raise StoreError(f"{problem}, and the run cannot be set aside: {error}") from error
        warnings.warn(f"{problem}; the run was moved to {target} and its trial will be trained again", stacklevel=3)

    def save(self, trial: Trial, outcome: Outcome) -> None:
        """Write the run into a temporary folder, then rename it: a killed process leaves nothing half-written.

        Raises:
            StoreError: if anything cannot be written (disk full, read-only …); nothing remains of the attempt.
        """
        folder = self.folder(trial)
        draft = self.root / f"{DRAFT}{trial.id}-{uuid.uuid4().hex}"
        try:
            draft.mkdir(parents=True)
            table_of(outcome.rows).to_parquet(draft / ROWS, index=False)
            save_file(outcome.weights, draft / WEIGHTS)
            save_file(outcome.arrays, draft / ARRAYS)
            record = {
                "id": trial.id,
                "trial": canonical(trial),
                "minutes": outcome.minutes,
                "commit": commit(),
                "device": outcome.device,
                "processor": processor(),
                "threads": outcome.threads,
                "together": outcome.together,
                **({"stack": list(outcome.stack)} if outcome.stack else {}),
                **({"resumed": outcome.resumed} if outcome.resumed else {}),
                "data_sha256": outcome.data_sha256,
                "versions": versions() | outcome.kernels,
                "files": {name: checksum(draft / name) for name in (ROWS, WEIGHTS, ARRAYS)},
            }
            (draft / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True))
            _to_disk(draft)
            os.rename(draft, folder)
            self._forget(trial)
        except BaseException as error:
            shutil.rmtree(draft, ignore_errors=True)
            if isinstance(error, OSError) and self.has(trial):
                return  # somebody else took the trial over while this machine slept, and was faster
            if not isinstance(error, OSError | SafetensorError):
                raise
            raise StoreError(
                f"the run of trial {trial.id} ({trial.label}) could not be saved in {self.root}: {error}. "
                "Free the disk or make the folder writable and run the same command again; finished trials are kept."
            ) from error

    def _forget(self, trial: Trial) -> None:
        """Remove what only a trial without a run has: its failure, and where its training stood."""
        for path in (self._failure(trial), self.checkpoint(trial)):
            with contextlib.suppress(OSError):
                path.unlink()

    def checkpoint(self, trial: Trial) -> Path:
        """Where a long training keeps how far it is (:mod:`inductive_bias.resuming`)."""
        return self.root / ".checkpoints" / f"{trial.id}.pt"

    def _failure(self, trial: Trial) -> Path:
        return self.root / FAILED / f"{trial.id}.json"

    def fail(self, trial: Trial, reason: str, trace: str) -> Path:
        """Keep that a trial failed, and why; a run that is saved later removes it. Returns the file.

        Raises:
            StoreError: if it cannot be written.
        """
        path = self._failure(trial)
        record = {
            "id": trial.id,
            "label": trial.label,
            "reason": reason,
            "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
            "host": socket.gethostname(),
            "commit": commit(),
            "processor": processor(),
            "versions": versions(),
            "trial": canonical(trial),
            "traceback": trace.splitlines(),
        }
        draft = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(record, indent=1))
            os.replace(draft, path)
        except OSError as error:
            raise StoreError(f"{path} could not be written: {error}") from error
        return path

    def failures(self) -> list[Failure]:
        """Trials whose last attempt failed and that have no run, by the time of failure."""
        return failures_in(self.root)

    def record(self, trial: Trial) -> dict:
        """The trial's record: settings, minutes, commit, versions, machine, SHA-256 of its data and of its files."""
        return json.loads((self._existing(trial) / RECORD).read_text())

    def fingerprint(self, trial: Trial) -> str:
        """SHA-256 of the run's record, which holds the SHA-256 of its other files."""
        return checksum(self._existing(trial) / RECORD)

    def rows(self, trial: Trial) -> pd.DataFrame:
        """The trial's rows."""
        return pd.read_parquet(self._existing(trial) / ROWS)

    def weights(self, trial: Trial) -> dict[str, Tensor]:
        """The final state dict."""
        return load_file(self._existing(trial) / WEIGHTS)

    def arrays(self, trial: Trial) -> dict[str, Tensor]:
        """Probe features, ``features/<epoch>``."""
        return load_file(self._existing(trial) / ARRAYS)

    def _existing(self, trial: Trial) -> Path:
        if not self.has(trial):
            raise StoreError(f"trial {trial.id} ({trial.label}) has not been run in {self.root}")
        return self.folder(trial)

    def sweep(self) -> list[Path]:
        """Remove the drafts that killed processes left; what a running process writes stays. Returns what is gone.

        Raises:
            StoreError: if a draft cannot be removed.
        """
        gone = []
        for draft in self.root.glob(f"{DRAFT}*"):
            try:
                with self._held(draft.name.removeprefix(DRAFT).split("-")[0]):
                    shutil.rmtree(draft)
                    gone.append(draft)
            except (LockedError, FileNotFoundError):
                continue
            except OSError as error:
                raise StoreError(f"the draft {draft} of a killed run cannot be removed: {error}") from error
        return gone

    @contextlib.contextmanager
    def lock(self, trial: Trial) -> Iterator[Holder]:
        """Context in which no other process runs the trial; nobody waits. How far it is may be told to the holder.

        The system releases a killed process's lock; see :mod:`inductive_bias.locks` for those of other machines.

        Raises:
            LockedError: if another process holds it.
            StoreError: if the lock cannot be made.
        """
        with self._held(trial.id) as ours:
            yield ours

    def holder(self, trial: Trial) -> Holder | None:
        """Who says that it is running the trial."""
        return holder_of(self.root / LOCKS, trial.id)

    @contextlib.contextmanager
    def _held(self, name: str) -> Iterator[Holder]:
        with contextlib.ExitStack() as stack:
            try:
                ours = stack.enter_context(held(self.root / LOCKS, name))
            except OSError as error:
                raise StoreError(f"cannot write in {self.root}: {error}") from error
            yield ours


def read_run(folder: Path, *, allow_own_code: bool = False) -> tuple[Trial, dict[str, Tensor], dict[str, str]]:
    """The trial, final weights and SHA-256 of the data of a run, from its folder alone; the store need not be known.

    A model or task from outside is a program that the folder names. It is run only if that is allowed, and only after
    the id of the trial, the weights and the program have been found to be what the folder says.

    Raises:
        StoreError: if record or weights are missing or damaged, or the trial is none of this version of the package.
        SettingError: if the trial has a model or task from outside that may not be run, or whose file is missing or has
            changed.
    """
    for name in (RECORD, WEIGHTS):
        if not (folder / name).is_file():
            raise StoreError(f"{folder} is not the folder of a run: it has no {name} (runs/<study>/<trial id> has)")
    try:
        record = strict_json((folder / RECORD).read_text())
        found, settings, expected = record["id"], record["trial"], record["files"][WEIGHTS]
        data_sha256 = dict(record["data_sha256"])
        programs = _programs(settings)
        computed = id_of(settings) if programs else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{folder / RECORD} is unreadable ({type(error).__name__}: {error})") from error
    _refuse_other_id(folder, found, computed)
    if checksum(folder / WEIGHTS) != expected:
        raise StoreError(f"{folder / WEIGHTS} is damaged (its SHA-256 is not {str(expected)[:12]}…)")
    for source, sha256 in programs:
        refuse_changed(source, sha256)
    if programs and not allow_own_code:
        raise SettingError(
            f"{folder} holds a trial with a program of its own, {', '.join(source for source, _ in programs)}, which "
            "would be run: read it, and if you trust it allow it (--allow-own-code)"
        )
    try:
        trial = Trial.model_validate(settings)
    except ValidationError as error:
        raise StoreError(
            f"{folder / RECORD} is no trial of this version of the package: {first_fault(error)}"
        ) from error
    _refuse_other_id(folder, found, trial.id)
    try:
        return trial, load_file(folder / WEIGHTS), data_sha256
    except (OSError, SafetensorError) as error:
        raise StoreError(f"{folder / WEIGHTS} cannot be read: {error}") from error


def _refuse_other_id(folder: Path, found: object, computed: str | None) -> None:
    if computed not in (None, found):
        raise StoreError(f"{folder / RECORD} says trial {found}, but its settings are those of {computed} here")


def _programs(settings: object) -> list[tuple[str, str]]:
    """Source and SHA-256 of whatever is from outside in a trial's settings, of its teacher's too."""
    parts = settings.values() if isinstance(settings, Mapping) else settings if isinstance(settings, list) else ()
    found = [each for part in parts for each in _programs(part)]
    if isinstance(settings, Mapping) and "source" in settings:
        found.append((str(settings["source"]), str(settings.get("sha256"))))
    return list(dict.fromkeys(found))


def table_of(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as columns ``split, metric, epoch``, the coordinates that any row has, ``value, data_source``.

    The epoch and numeric coordinates are float64, NaN where there is none; coordinates in words are None there.
    """
    used = {name for each in rows for name in each}
    placed = [name for name in COORDINATES if name in used]
    table = pd.DataFrame(list(rows), columns=["split", "metric", "epoch", *placed, "value", "data_source"])
    numbers = ["epoch", *(name for name in placed if name in NUMBERS), "value"]
    return table.astype(dict.fromkeys(numbers, "float64"))


def _damage(folder: Path, trial: Trial) -> str:
    """What is wrong with the folder of a trial's run; empty if nothing is."""
    try:
        record = strict_json((folder / RECORD).read_text())
        found, settings, files = record["id"], record["trial"], record["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return f"{folder / RECORD} is missing or unreadable"
    # a folder that was copied or renamed must not become another seed
    if found != trial.id or without_places(settings) != without_places(json.loads(json.dumps(canonical(trial)))):
        return f"{folder} holds the run of another trial ({found}), not of {trial.id} ({trial.label})"
    if not isinstance(files, dict) or set(files) != {ROWS, WEIGHTS, ARRAYS}:
        return f"{folder / RECORD} does not list the files {ROWS}, {WEIGHTS} and {ARRAYS}"
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            return f"{path} is missing"
        if checksum(path) != expected:
            return f"{path} is damaged (its SHA-256 is not {expected[:12]}…)"
    return ""


def _to_disk(folder: Path) -> None:
    """Flush every file, so that a rename never survives a crash that its contents did not."""
    for path in folder.iterdir():
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
