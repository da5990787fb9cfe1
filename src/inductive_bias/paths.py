"""Where runs, published results and what can be made again live."""

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from inductive_bias.errors import SettingError

_CHOSEN: ContextVar[Path | None] = ContextVar("a project's folder for a while", default=None)


@contextlib.contextmanager
def at(folder: Path) -> Iterator[None]:
    """Context in which this is the project's folder, whatever the environment says."""
    token = _CHOSEN.set(folder)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def checkout() -> Path | None:
    """The checkout that this package is in; None if it was copied elsewhere."""
    found = Path(__file__).resolve().parents[2]
    return found if (found / "pyproject.toml").is_file() else None


def home() -> Path:
    """The project's folder: ``INDUCTIVE_BIAS_HOME``, else the checkout this package is in, else the working folder.

    Raises:
        SettingError: if the variable names no folder.
    """
    if (chosen := _CHOSEN.get()) is not None:
        return chosen
    if named := os.environ.get("INDUCTIVE_BIAS_HOME"):
        if not Path(named).is_dir():
            raise SettingError(f"INDUCTIVE_BIAS_HOME={named} is not a folder; make it, or name another one")
        return Path(named)
    return checkout() or Path.cwd()


def cache_folder() -> Path:
    """The user cache: ``$INDUCTIVE_BIAS_CACHE``, else ``inductive-bias`` in ``$XDG_CACHE_HOME`` or ``~/.cache``.

    A user without a home folder has it in that of the project.

    Raises:
        SettingError: if a variable begins with ``~`` and there is no home folder.
    """
    if chosen := os.environ.get("INDUCTIVE_BIAS_CACHE"):
        return expanded(chosen, "INDUCTIVE_BIAS_CACHE")
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return expanded(chosen, "XDG_CACHE_HOME") / "inductive-bias"
    try:
        return Path.home() / ".cache" / "inductive-bias"
    except RuntimeError:
        return home() / ".cache" / "inductive-bias"


def expanded(path: Path | str, name: str) -> Path:
    """A path with the home folder in place of ``~``; ``name`` is what the user knows it by.

    Raises:
        SettingError: if there is no home folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SettingError(f"{name}={path} cannot be read: this user has no home folder for ~") from error


def runs(study: str) -> Path:
    """Local runs of a study, one folder a trial; ignored by git."""
    return home() / "runs" / study


def published(study: str) -> Path:
    """The published tables of a study and their manifest."""
    return home() / "data" / "results" / study
