"""What was read is kept for the rest of the process, for as long as the files behind it stay as they are.

A function marked with :func:`kept` remembers which files were looked for and read while it ran
(:mod:`inductive_bias.tasks.files` notes them). It is run again once one of them has another time of change or size, is
gone, or has come: a look at the folder's entries, not at what is in the files.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any

#: Time of change in ns and size of a file or folder; None where there is none.
State = tuple[int, int] | None

_NOTES: ContextVar[dict[Path, State] | None] = ContextVar("files that were looked at", default=None)


def state_of(path: Path) -> State:
    """What tells a file from a later one at the same path, without reading it."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def note(path: Path) -> None:
    """Remember that what is being made depends on ``path``; to be called before that is read."""
    notes = _NOTES.get()
    if notes is not None and path not in notes:
        notes[path] = state_of(path)


def kept(maxsize: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: results by arguments, at most ``maxsize`` of them, each until a file that it was made of changes.

    Arguments must be hashable. The results most recently asked for stay.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        results: OrderedDict[Hashable, tuple[Any, dict[Path, State]]] = OrderedDict()
        lock = Lock()

        @wraps(function)
        def load(*arguments: Hashable, **named: Hashable) -> Any:
            key = (arguments, tuple(sorted(named.items())))
            with lock:
                found = results.get(key)
            if found is None or any(state_of(path) != state for path, state in found[1].items()):
                found = _noted(function, arguments, named)
            with lock:
                results[key] = found
                results.move_to_end(key)
                while len(results) > maxsize:
                    results.popitem(last=False)
            if (outer := _NOTES.get()) is not None:
                outer.update({path: state for path, state in found[1].items() if path not in outer})
            return found[0]

        return load

    return decorate


def _noted(
    function: Callable[..., Any], arguments: tuple[Hashable, ...], named: dict[str, Hashable]
) -> tuple[Any, dict[Path, State]]:
    """What the function returns, and what it looked at."""
    notes: dict[Path, State] = {}
    token = _NOTES.set(notes)
    try:
        value = function(*arguments, **named)
    finally:
        _NOTES.reset(token)
    # what was nowhere and is there now was fetched by the function itself, and what is gone was a copy on the way
    now = {path: state_of(path) for path in notes}
    return value, {path: now[path] if None in (state, now[path]) else state for path, state in notes.items()}
