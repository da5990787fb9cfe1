"""Errors that a user can mend; the command line prints their one paragraph and exits with 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UserError(Exception):
    """Base of every error that names a wrong value, file or setting and what was expected instead.

    Attributes:
        exit_status: of the command line.
    """

    exit_status = 2


class DataError(UserError):
    """A data file is missing, truncated, of an unknown format, or not the one its checksum promises."""


class StoreError(UserError):
    """A run could not be saved or read back."""


class SettingError(UserError):
    """A study, scale, device or setting that does not exist or is out of range."""


class FailedTrialsError(SettingError):
    """Some trials failed, or could not be tried; all others are complete.

    Most often a setting, a file or a program of one's own is what is wrong: whoever asks for that catches this too.

    Attributes:
        failed: the reason for each, by the trial's id.
        ran: trials that the call completed.
    """

    exit_status = 1

    def __init__(self, message: str, failed: dict[str, str] | None = None, ran: int = 0):
        super().__init__(message)
        self.failed, self.ran = failed or {}, ran


class NoRunsError(SettingError):
    """A cell has no run at this scale yet: what asks for it cannot be answered by now."""


#: The extra that brings a package, by the name it is imported by; ``book`` and ``cluster`` bring those of ``studies``.
EXTRAS = {
    **dict.fromkeys(
        ("filelock", "joblib", "pandas", "pyarrow", "safetensors", "sklearn", "scipy", "statsmodels", "tqdm", "tyro"),
        "studies",
    ),
    **dict.fromkeys(("datasets", "mlxtend", "pooch", "skimage", "torchvision"), "data"),
    **dict.fromkeys(("bs4", "matplotlib", "papermill", "playwright", "seaborn"), "book"),
    "ray": "cluster",
    "transformers": "hugging-face",
}


class MissingExtraError(UserError, ModuleNotFoundError):
    """A package of an extra is not installed."""


@contextmanager
def extras_named() -> Iterator[None]:
    """Context of imports in which a missing package is told with the command that installs its extra.

    Raises:
        MissingExtraError: for a package of one of :data:`EXTRAS`.
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtraError(
            f"the package {package} is not installed; it comes with: {install_command(EXTRAS[package])}", name=package
        ) from error


def install_command(extra: str) -> str:
    """How an extra is installed: from the clone, since no package index has this package.

    The clone is named where it is known; else the command is for its folder.
    """
    clone = Path(__file__).resolve().parents[2]
    if (clone / "pyproject.toml").is_file():
        return f"pip install -e '{clone}[{extra}]'"
    return f"pip install '.[{extra}]' in the folder of the clone"
