"""The published tables of one study from elsewhere: a notebook on a rented machine needs no copy of the repository."""

import hashlib
import os
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import urlopen

from inductive_bias import paths
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.strict_json import strict_json
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.manifest import MANIFEST

#: Names the folder of published tables that is asked for what is not here: an address or a folder of this machine.
SOURCE = "INDUCTIVE_BIAS_RESULTS"
#: Seconds after which a silent host is given up.
PATIENCE = 60


class _AbsentError(StoreError):
    """There is no such file there."""


def fetch(study: str, source: str = "") -> list[Path]:
    """Copy what a study has published into ``data/results/``: its tables, checked by the manifest, and then that.

    Args:
        study: its name.
        source: what holds a folder of each study: ``https://…/data/results`` or a path; default: the environment
            variable INDUCTIVE_BIAS_RESULTS.

    Returns:
        The files, those too that were here as they should be.

    Raises:
        SettingError: if no source is named.
        StoreError: if a file is not there, is not what the manifest promises, or cannot be written.
    """
    if not (source := source or os.environ.get(SOURCE, "")):
        raise SettingError(f"nothing says where published tables are: name a source, or set {SOURCE}")
    folder, base = paths.published(study), _address(source, study)
    text = _read(f"{base}/{MANIFEST}")
    written = []
    for name, sha256 in _promised(text, f"{base}/{MANIFEST}").items():
        place = folder / name
        if not (place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == sha256):
            content = _read(f"{base}/{quote(name)}")
            if hashlib.sha256(content).hexdigest() != sha256:
                raise StoreError(f"{base}/{name} is not the file that its manifest describes; try again, or ask there")
            write(place, lambda draft, content=content: draft.write_bytes(content))
        written.append(place)
    # last: where it lies, all tables do
    write(folder / MANIFEST, lambda draft: draft.write_bytes(text))
    return [*written, folder / MANIFEST]


def fetch_absent(study: str) -> None:
    """Fetch a study's tables if a source is set and nothing of it is published here; nothing if it is not there either.

    Raises:
        StoreError: as :func:`fetch`.
    """
    if not os.environ.get(SOURCE) or (paths.published(study) / MANIFEST).is_file():
        return
    try:
        fetch(study)
    except _AbsentError:  # a study of one's own
        return


def _address(source: str, study: str) -> str:
    base = source if "://" in source else paths.expanded(source, SOURCE).resolve().as_uri()
    return f"{base.rstrip('/')}/{quote(study)}"


def _read(address: str) -> bytes:
    try:
        with urlopen(address, timeout=PATIENCE) as answer:
            return answer.read()
    except (OSError, ValueError) as error:  # ValueError: an address of a kind that is none
        missing = isinstance(error, HTTPError) and error.code == HTTPStatus.NOT_FOUND
        missing |= isinstance(error, URLError) and isinstance(error.reason, FileNotFoundError)
        kind = _AbsentError if missing else StoreError
        raise kind(f"{address} cannot be read: {error}") from error


def _promised(text: bytes, address: str) -> dict[str, str]:
    """The checksums of all files that a manifest names."""
    try:
        files = [entry["files"].items() for entry in strict_json(text.decode()).values()]
        found = {name: each["sha256"] for entry in files for name, each in entry}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise StoreError(f"{address} is no manifest of published tables ({error!r})") from error
    if odd := [name for name in found if PurePosixPath(name).name != name]:
        raise StoreError(f"{address} names a file outside its folder: {odd[0]!r}")
    return found
