"""The standard library that comes with Python: its modules, known by version and by one digest of them all."""

import hashlib
import platform
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files
from inductive_bias.tasks.code.base import INSTEAD
from inductive_bias.tasks.kept import note
from inductive_bias.tasks.tar import unpack_tar

#: Parts of a path that are left out: what is not Python's own, and what is made by the build.
LEFT_OUT = ("site-packages", "dist-packages", "__pycache__")
MADE_BY_BUILD = ("_sysconfigdata", "config-")
#: By version: the digest of its modules, and the public archive with its SHA-256.
DIGESTS: dict[str, str] = {"3.11.7": "f895907ced1671e8f0bccb22405f98c573ee64c34bfaf36b08998be4fdf579e9"}
ARCHIVES: dict[str, tuple[str, str]] = {
    "3.11.7": (
        "https://www.python.org/ftp/python/3.11.7/Python-3.11.7.tgz",
        "068c05f82262e57641bd93458dfa883128858f5f4997aad7a36fd25b13b29209",
    )
}
#: Its folder among the data, where it is fetched to.
FOLDER = "python_library"


class Library(NamedTuple):
    """Modules by their path, in its order; the digest of them all; whether they are not those of the public version."""

    modules: dict[str, bytes]
    digest: str
    own: bool


def modules_of(folder: Path) -> dict[str, bytes]:
    """Every module below a folder, by path.

    Raises:
        DataError: If there is none.
    """
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if not set(parts) & set(LEFT_OUT) and not any(part.startswith(MADE_BY_BUILD) for part in parts):
            note(path.parent)
            note(path)
            found["/".join(parts)] = path.read_bytes()
    if not found:
        raise DataError(f"{folder} should hold the modules of Python's standard library, but there is none in it.")
    return found


def digest_of(modules: dict[str, bytes]) -> str:
    """SHA-256 of the paths and the contents."""
    digest = hashlib.sha256()
    for path, content in sorted(modules.items()):
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def read_library(version: str, where: files.Places, *, download: bool, allow_other: bool) -> Library:
    """The modules of one version: of the running Python, of a folder ``python_library/<version>``, or fetched.

    Syntax trees become text again by the running Python, so that it should be of the same minor version.

    Raises:
        DataError: If that version is nowhere, or its modules are not the public ones.
    """
    if version not in DIGESTS:
        raise DataError(f"no digest of Python {version} is declared; there is one of {', '.join(DIGESTS)}")
    name = f"{FOLDER}/{version}"
    folder = files.find([name], where, folder=True)
    if folder is None and (platform.python_version() == version or allow_other):
        folder = Path(sysconfig.get_path("stdlib"))
    if folder is None and not download:
        raise files.missing([name], where)
    modules = modules_of(folder or fetch_library(version))
    digest = digest_of(modules)
    if (own := digest != DIGESTS[version]) and not allow_other:
        raise DataError(
            f"{folder} is not the public library of Python {version}: the digest of its modules is {digest}, expected "
            f"{DIGESTS[version]}. Set allow_other=True to read it as files of your own, or {INSTEAD}."
        )
    return Library(modules, digest, own)


def fetch_library(version: str) -> Path:
    """The modules of a version from python.org into the user cache, the archive's SHA-256 checked.

    Raises:
        DataError: If it cannot be fetched, is another archive, or cannot be saved.
    """
    url, sha256 = ARCHIVES[version]
    cache = files.cache_folder()
    place = cache / FOLDER / version
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
        name = url.rpartition("/")[2]
        archive = downloads.fetch_file(url, sha256, Path(scratch) / name, f"Python {version}", instead=INSTEAD)
        inside = f"Python-{version}/Lib/"
        unpack_tar(archive, Path(scratch) / "new", keep=lambda each: each.startswith(inside) and each.endswith(".py"))
        place.parent.mkdir(parents=True, exist_ok=True)
        (Path(scratch) / "new" / inside).rename(place)
    return place
