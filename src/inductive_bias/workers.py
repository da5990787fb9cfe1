"""Worker processes that end with their parent, and of which one that is killed takes nothing but its own work along."""

import contextlib
import ctypes
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from joblib.externals.loky import ProcessPoolExecutor

#: Seconds between two looks at the parent.
WATCH = 1.0
#: What Linux calls *send me this signal when my parent ends*.
PR_SET_PDEATHSIG = 1
#: Variables that say how many threads a library takes; a trial has one.
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


Given, Answer = TypeVar("Given"), TypeVar("Answer")


class KilledError(Exception):
    """The process that did a piece of work was ended from outside."""


class Workers:
    """Up to ``count`` processes, each begun when it is first needed; one process, which is this one, if it is 1.

    Every process is a pool of its own: where one is killed, the others know nothing of it.
    """

    def __init__(self, count: int):
        self.count = count
        self._free: list[ProcessPoolExecutor | None] = [None] * count

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        for each in filter(None, self._free):
            each.shutdown(wait=False, kill_workers=True)
        self._free = [None] * self.count

    def answers(
        self, work: Callable[[Given], Answer], pieces: Iterable[Given]
    ) -> Iterator[tuple[Given, Answer | KilledError]]:
        """Each piece and what ``work`` answers to it, in the order in which they are done.

        A piece is taken from ``pieces`` when a process is free for it. Where that process is killed the answer is a
        :class:`KilledError`; what ``work`` raises is raised here, and ends the other processes.
        """
        if self.count == 1:
            yield from ((piece, work(piece)) for piece in pieces)
            return
        left, running = iter(pieces), {}
        try:
            while True:
                while self._free:
                    try:
                        piece = next(left)
                    except StopIteration:
                        break
                    process = self._free.pop() or self._begun()
                    running[process.submit(work, piece)] = piece, process
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    piece, process = running.pop(done)
                    answer, sound = _answer(done)
                    if not sound:
                        process.shutdown(wait=False, kill_workers=True)
                    self._free.append(process if sound else None)
                    yield piece, answer
        finally:
            for _, process in running.values():
                process.shutdown(wait=False, kill_workers=True)
                self._free.append(None)

    @staticmethod
    def _begun() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=1, initializer=end_with, initargs=(os.getpid(),), env=dict.fromkeys(THREADS, "1")
        )


def _answer(done: Future) -> tuple[object, bool]:
    """The answer, and whether the process that gave it is still there."""
    try:
        return done.result(), True
    except BrokenProcessPool as error:
        codes = re.search(r"exit codes of the workers are \{(.*)\}", str(error))
        how = f" ({codes[1]})" if codes else ""
        return KilledError(f"its process was ended from outside{how}: was there too little memory?"), False


def end_with(parent: int) -> None:
    """Let this process end when ``parent`` has ended, and leave Ctrl-C to the parent."""
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="watch of the parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)
