"""Tiny Shakespeare (Karpathy 2015): 1,115,394 characters of plays in one file."""

import hashlib
from functools import lru_cache
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files
from inductive_bias.tasks.lines import FileKey, file_key

NAMES = ("tinyshakespeare/input.txt", "tinyshakespeare/input.txt.gz")


def read_tinyshakespeare(root: Path | str | None = None, download: bool = True) -> tuple[str, dict[str, str]]:
    """The whole text, and the SHA-256 of its file by name, e.g. ``{"tinyshakespeare/input.txt.gz": ...}``.

    Args:
        root: Folder with ``tinyshakespeare/input.txt`` or ``.txt.gz``; searched before ``INDUCTIVE_BIAS_DATA`` and the
            user cache.
        download: Whether to fetch it into the user cache if it is nowhere on this machine.

    Raises:
        DataError: If the file is missing, damaged, or not the published text (its SHA-256, unzipped, differs).
    """
    where = files.places(root)
    path = files.find(NAMES, where)
    if path is None and not download:
        raise files.missing(NAMES, where)
    path = path or downloads.download_tinyshakespeare(files.cache_folder())
    text, digest = _read(file_key(path))
    return text, {f"tinyshakespeare/{path.name}": digest}


@lru_cache(maxsize=2)
def _read(key: FileKey) -> tuple[str, str]:
    """The text of a file and the SHA-256 of the file, kept while it does not change."""
    path = key[0]
    content = files.read_bytes(path)
    # of the unzipped text: the same letters may be zipped in many ways
    found = hashlib.sha256(content).hexdigest()
    if found != downloads.TINY_SHAKESPEARE_SHA256:
        raise DataError(
            f"{path} is not the text of Tiny Shakespeare: the sha256 of its content is {found}, expected "
            f"{downloads.TINY_SHAKESPEARE_SHA256}. It may be changed; remove it to have it fetched again."
        )
    return content.decode("utf-8"), files.checksum(path)
