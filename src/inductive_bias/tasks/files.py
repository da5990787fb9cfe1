"""Finding data files on this machine and refusing those that are not what they should be.

The order is ``root=`` argument, environment variable ``INDUCTIVE_BIAS_DATA``, user cache; downloading comes after
(:mod:`inductive_bias.tasks.downloads`).
"""

import gzip
import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from inductive_bias.errors import DataError
from inductive_bias.paths import cache_folder, expanded
from inductive_bias.tasks.kept import note

ENV_DATA = "INDUCTIVE_BIAS_DATA"

Places = tuple[tuple[str, Path], ...]  # (how the place was named, the folder), in the order of search


def places(root: Path | str | None = None) -> Places:
    """The folders to search, first choice first.

    Raises:
        DataError: If ``root`` or ``INDUCTIVE_BIAS_DATA`` names a folder that does not exist.
        SettingError: If it begins with ``~``, and there is no home folder.
    """
    asked = [("root=", root), (f"${ENV_DATA}", os.environ.get(ENV_DATA))]
    found = [(name, expanded(folder, name.removesuffix("="))) for name, folder in asked if folder]
    for name, folder in found:
        if not folder.is_dir():
            raise DataError(f"{name} should name a folder of data, but {folder} is not a folder.")
    return (*found, ("user cache", cache_folder()))


def find(relative: Sequence[str], where: Places, *, folder: bool = False) -> Path | None:
    """The first of ``relative`` that exists in the first place that has any of them, else None.

    Raises:
        DataError: If it is a folder, or, where a ``folder`` is sought, a file; or if it cannot be looked at.
    """
    for path in (place / name for _, place in where for name in relative):
        note(path)
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:  # a name that is too long, or that no file can have
            raise DataError(f"{path} cannot be looked at ({error}).") from error
        kinds = ("a folder", "a file") if folder else ("a file", "a folder")
        if (stat.S_ISDIR if folder else stat.S_ISREG)(mode):
            return path
        raise DataError(f"{path} should be {kinds[0]}, and is {kinds[1] if _either(mode) else 'something else'}.")
    return None


def _either(mode: int) -> bool:
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def locate(name: str, where: Places, hint: str = "") -> Path:
    """The file ``name``, or ``name.gz``, of the first place that has either.

    Raises:
        DataError: If no place has it, with a ``hint`` at what to do; see :func:`find` as well.
    """
    either = [name, f"{name}.gz"]
    path = find(either, where)
    if path is None:
        raise DataError(f"{missing(either, where)} ({hint})") if hint else missing(either, where)
    return path


def missing(relative: Sequence[str], where: Places) -> DataError:
    """The error for a file that no place has; it lists what was looked for and where."""
    searched = "; ".join(f"{name} {folder}" for name, folder in where)
    unset = "" if os.environ.get(ENV_DATA) else f" {ENV_DATA} is not set."
    return DataError(
        f"Data not found: looked for {' or '.join(relative)} in: {searched}.{unset} "
        f"Point root= or {ENV_DATA} to the folder that holds it, or allow the download."
    )


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """Hexadecimal digest of a file's bytes."""
    note(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def verify(path: Path, algorithm: str, expected: str) -> None:
    """Refuse a file whose digest differs.

    Raises:
        DataError: Naming the file, the digest found and the one expected.
    """
    found = checksum(path, algorithm)
    if found != expected:
        raise DataError(
            f"{path} is not the expected file: its {algorithm} is {found}, expected {expected}. "
            f"It may be truncated or changed; remove it to have it fetched again."
        )


def read_bytes(path: Path) -> bytes:
    """All bytes of a file, unzipped if its name ends in ``.gz``.

    Raises:
        DataError: If the file cannot be read, or is a damaged or truncated gzip file.
    """
    return unzipped(raw_bytes(path), path)


def raw_bytes(path: Path) -> bytes:
    """All bytes of a file as it lies there.

    Raises:
        DataError: If it cannot be read.
    """
    note(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}).") from error


def unzipped(raw: bytes, path: Path) -> bytes:
    """The bytes ``raw`` of the file at ``path``, unzipped if its name ends in ``.gz``.

    Raises:
        DataError: If that is a damaged or truncated gzip file.
    """
    try:
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is a damaged or truncated gzip file ({error}).") from error


def unpack_zip(archive: Path, folder: Path, *, keep: Callable[[str], bool] = lambda name: True) -> None:
    """Unpack the members that ``keep`` accepts into ``folder``.

    Raises:
        DataError: If the archive is damaged or any member would land outside ``folder``; nothing is unpacked then.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
                    raise DataError(f"{archive} holds a member that leaves its folder ({name!r}); it was not unpacked.")
            opened.extractall(folder, [name for name in opened.namelist() if keep(name)])
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise DataError(f"{archive} is a damaged or truncated zip file ({error}).") from error
