"""Trials that could not be run, as the store keeps them; read without torch and pandas."""

import json
from dataclasses import dataclass
from pathlib import Path

#: Folder beside the runs of a study: a file for every trial that failed.
FAILED = ".failed"


@dataclass(frozen=True)
class Failure:
    """A trial that could not be run.

    Attributes:
        id: of the trial.
        label: its name for people.
        reason: the error in a line.
        when: it failed, in UTC.
        path: the file with the traceback.
    """

    id: str
    label: str
    reason: str
    when: str
    path: Path

    def __str__(self) -> str:
        return f"{self.label} ({self.id}): {self.reason} [{self.path}]"


def failures_in(root: Path) -> list[Failure]:
    """Trials of a store under ``root`` whose last attempt failed and that have no run, by the time of failure."""
    found = []
    for path in (root / FAILED).glob("*.json"):
        try:
            record = json.loads(path.read_text())
            failure = Failure(*(str(record[name]) for name in ("id", "label", "reason", "when")), path)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            failure = Failure(path.stem, "a trial", "its record cannot be read", "", path)
        if not (root / path.stem).is_dir():
            found.append(failure)
    return sorted(found, key=lambda each: (each.when, each.id))
