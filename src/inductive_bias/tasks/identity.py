"""The identity of a public file: the SHA-256 of what is in it, declared beside the task that reads it.

Of what is in it: a file may lie there zipped or not, and the same text can be zipped in many ways. A file that is not
the public one is refused, or, with the setting ``allow_other=True``, read as the user's own: ``data_source`` then names
it (``own:<file name>``), so that nothing measured on it can pass for the real set.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import files

#: Of each public file, by its place below a folder of data without ``.gz``: the SHA-256 of every valid form of its
#: content; none where it is not known yet.
Declared = Mapping[str, tuple[str, ...]]
#: Begins the data source of what was read from a user's own file.
OWN = "own:"


class Identified(NamedTuple):
    """A file's content, unzipped; the SHA-256 of the file as it lies there; whether it is not the public file."""

    content: bytes
    sha256: str
    own: bool


def read(path: Path, name: str, declared: Declared, *, allow_other: bool) -> Identified:
    """Read a file and compare its content with the digests declared for ``name``.

    Raises:
        DataError: If the file cannot be read, is damaged, or is not the public one and ``allow_other`` is False.
    """
    raw = files.raw_bytes(path)
    content = files.unzipped(raw, path)
    found = hashlib.sha256(content).hexdigest()
    own = found not in declared.get(name, ())
    if own and not allow_other:
        raise refusal(path, name, _difference(found, name, declared))
    return Identified(content, hashlib.sha256(raw).hexdigest(), own)


def refusal(path: Path, name: str, difference: str) -> DataError:
    """The error for a file that is not the public one."""
    return DataError(
        f"{path} is not the public file {name}: {difference}. It may be cut short, changed or another file. Put the "
        f"public one in its place, or set allow_other=True to read it as a file of your own: data_source then names it "
        f"{OWN}{path.name}, and nothing measured on it can be published."
    )


def source_of(real: str, own: Iterable[str]) -> str:
    """The data source of what was read from several files: ``real`` if none of them is a user's ``own``."""
    names = sorted(set(own))
    return f"{OWN}{'+'.join(names)}" if names else real


def _difference(found: str, name: str, declared: Declared) -> str:
    if other := next((each for each, digests in declared.items() if found in digests), None):
        return f"its content is that of {other}"
    if expected := declared.get(name):
        return f"the SHA-256 of its content is {found}, expected {' or '.join(expected)}"
    return f"no SHA-256 of {name} is declared (its content has {found}), so that nothing tells it from another file"
