"""Where runs, published results and what can be made again live."""

import os
from pathlib import Path

from inductive_bias.errors import SettingError


def home() -> Path:
    """The project's folder: ``INDUCTIVE_BIAS_HOME``, else the checkout this package is in, else the working folder.

    Raises:
        SettingError: if the variable names no folder.
    """
    if named := os.environ.get("INDUCTIVE_BIAS_HOME"):
        if not Path(named).is_dir():
            raise SettingError(f"INDUCTIVE_BIAS_HOME={named} is not a folder; make it, or name another one")
        return Path(named)
    checkout = Path(__file__).resolve().parents[2]
    return checkout if (checkout / "pyproject.toml").is_file() else Path.cwd()


def cache_folder() -> Path:
    """The user cache: ``$INDUCTIVE_BIAS_CACHE``, else ``inductive-bias`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("INDUCTIVE_BIAS_CACHE"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").expanduser() / "inductive-bias"


def runs(study: str) -> Path:
    """Local runs of a study, one folder a trial; ignored by git."""
    return home() / "runs" / study


def published(study: str) -> Path:
    """The published tables of a study and their manifest."""
    return home() / "data" / "results" / study
