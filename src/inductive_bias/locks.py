"""Locks that say who holds them, and that nobody waits for after the holder is gone.

Beside a lock stands a note with process, machine and how far its work is. A thread writes the note again every few
seconds: a note that has grown old was left by a process that was killed, on whatever machine.
"""

import contextlib
import errno
import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import filelock

#: Seconds between two signs of life.
BEAT = 2.0
#: Seconds without a sign of life after which a holder is gone; sooner if its process is known to have ended.
STALE, STALE_IF_ENDED = 600.0, 60.0
#: Errors of file systems that know no ``flock``: there the existence of a file is the lock.
NO_FLOCK = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP)


@dataclass
class Holder:
    """A process that holds a lock.

    Attributes:
        pid: of the process.
        host: its machine.
        since: when it took the lock, in UTC.
        step: how far its work is.
        steps: of how many; 0 if it has not said yet.
    """

    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)
    since: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    step: int = 0
    steps: int = 0

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since}"

    @property
    def ended(self) -> bool:
        """Whether it was a process of this machine that is no longer there."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
        return False


class LockedError(Exception):
    """Refusal of a lock that another process holds; ``holder`` says which, None if that is not known."""

    def __init__(self, name: str, holder: Holder | None = None):
        super().__init__(f"{name} is held by {holder or 'another process'}")
        self.holder = holder


@contextlib.contextmanager
def held(folder: Path, name: str) -> Iterator[Holder]:
    """Context in which no other process holds ``name``; nobody waits. What is yielded may be told ``step, steps``.

    The system releases the lock of a process that was killed. A lock whose holder gives no sign of life is taken over.

    Raises:
        LockedError: if another process holds it.
        OSError: if nothing can be written in ``folder``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = _taken(folder, name)
    ours = Holder()
    try:
        _beats.begin(folder / f"{name}.json", ours)
        yield ours
    finally:
        _beats.end(folder / f"{name}.json")
        with contextlib.suppress(OSError):
            lock.release()


def holder_of(folder: Path, name: str) -> Holder | None:
    """Who says that it holds ``name``; None if nobody does."""
    try:
        found = json.loads((folder / f"{name}.json").read_text())
        numbers = (found["pid"], found["step"], found["steps"])
        if not all(isinstance(each, int) for each in numbers):
            return None
        return Holder(found["pid"], str(found["host"]), str(found["since"]), found["step"], found["steps"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # nobody, or a note that is just being written
        return None


def _taken(folder: Path, name: str) -> filelock.BaseFileLock:
    try:
        return _lock(folder, name)
    except filelock.Timeout as error:
        holder = holder_of(folder, name)
        if holder is None or not _gone(folder, name, holder):
            raise LockedError(name, holder) from error
    # what the holder still has is then a file without a name: the next lock of that name is another one
    for suffix in ("json", "soft", "lock"):
        (folder / f"{name}.{suffix}").unlink(missing_ok=True)
    try:
        return _lock(folder, name)
    except filelock.Timeout as error:  # somebody was faster
        raise LockedError(name, holder_of(folder, name)) from error


def _lock(folder: Path, name: str) -> filelock.BaseFileLock:
    """The lock by ``flock``; where the file system has none, by the existence of a file."""
    lock = filelock.FileLock(folder / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise
    except (NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in NO_FLOCK:
            raise
        lock = filelock.SoftFileLock(folder / f"{name}.soft")
        lock.acquire(timeout=0)
    return lock


def _gone(folder: Path, name: str, holder: Holder) -> bool:
    try:
        silent = _now(folder) - (folder / f"{name}.json").stat().st_mtime
    except OSError:
        return False
    return silent > (STALE_IF_ENDED if holder.ended else STALE)


def _now(folder: Path) -> float:
    """The time by the clock of the file system, which may be that of another machine."""
    clock = folder / ".now"
    clock.touch()
    return clock.stat().st_mtime


class _Beats:
    """The notes of this process, written again by one thread."""

    def __init__(self) -> None:
        self._notes: dict[Path, Holder] = {}
        self._mutex, self._thread, self._pid = threading.Lock(), None, None

    def begin(self, note: Path, holder: Holder) -> None:
        note.write_text(json.dumps(asdict(holder)))
        with self._mutex:
            if self._pid != os.getpid():  # a fork has neither the thread nor the locks
                self._notes.clear()
            self._notes[note] = holder
            if self._thread is None or self._pid != os.getpid() or not self._thread.is_alive():
                self._pid = os.getpid()
                self._thread = threading.Thread(target=self._beat, name="signs of life", daemon=True)
                self._thread.start()

    def end(self, note: Path) -> None:
        with self._mutex:
            holder = self._notes.pop(note, None)
        if holder is not None and _same(holder_of(note.parent, note.stem), holder):
            with contextlib.suppress(OSError):
                note.unlink()

    def _beat(self) -> None:
        idle = threading.Event()
        while not idle.wait(BEAT):
            with self._mutex:
                for note, holder in self._notes.items():
                    # somebody may have taken it over while this machine slept
                    if _same(holder_of(note.parent, note.stem), holder):
                        with contextlib.suppress(OSError):
                            note.write_text(json.dumps(asdict(holder)))


def _same(one: Holder | None, other: Holder) -> bool:
    return one is not None and (one.pid, one.host, one.since) == (other.pid, other.host, other.since)


_beats = _Beats()
