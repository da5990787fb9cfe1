"""Where runs and published results live."""

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


def runs(study: str) -> Path:
    """Local runs of a study, one folder a trial; ignored by git."""
    return home() / "runs" / study


def published(study: str) -> Path:
    """The published tables of a study and their manifest."""
    return home() / "data" / "results" / study
