"""Files of one's own for each split, in place of one public file that a task cuts.

Beside ``ett/ETTh1.csv``, which is cut by the calendar, ``ett/ETTh1.train.csv``, ``ett/ETTh1.validation.csv`` and
``ett/ETTh1.test.csv`` may stand in a folder of data. With ``allow_other=True`` they are the splits.
"""

import hashlib
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import files

SPLITS = ("train", "validation", "test")


class OwnFile(NamedTuple):
    """A file of one split: where it lies, what is in it (unzipped), and the SHA-256 of the file as it lies there."""

    path: Path
    content: bytes
    sha256: str


def name_of(name: str, split: str) -> str:
    """``ett/ETTh1.train.csv`` for ``ett/ETTh1.csv``."""
    place = PurePosixPath(name)
    return str(place.with_name(f"{place.stem}.{split}{place.suffix}"))


def find_own_splits(name: str, where: files.Places, *, allow_other: bool) -> dict[str, Path] | None:
    """The files of the three splits, zipped or not, in the first place that has any of them; None if no place has.

    Args:
        name: place of the public file below a folder of data.
        where: Where to look.
        allow_other: Whether files of one's own may be read; without it nothing is looked for.

    Raises:
        DataError: If some of the three are there and others are not.
    """
    for place in where if allow_other else ():
        found = {}
        for split in SPLITS:
            wanted = name_of(name, split)
            found[split] = files.find((wanted, f"{wanted}.gz"), (place,))
        if all(found.values()):
            return found
        if there := next((path for path in found.values() if path), None):
            absent = ", ".join(PurePosixPath(name_of(name, split)).name for split in SPLITS if not found[split])
            raise DataError(f"{there} is the file of one split, and the folder should have {absent} as well.")
    return None


def read_own_splits(name: str, where: files.Places, *, allow_other: bool) -> dict[str, OwnFile] | None:
    """What is in the files of the three splits; None if there are none. Arguments as of :func:`find_own_splits`.

    Raises:
        DataError: If some of the three are missing, or one cannot be read.
    """
    found = find_own_splits(name, where, allow_other=allow_other)
    return None if found is None else {split: _read(path) for split, path in found.items()}


def _read(path: Path) -> OwnFile:
    raw = files.raw_bytes(path)
    return OwnFile(path, files.unzipped(raw, path), hashlib.sha256(raw).hexdigest())
