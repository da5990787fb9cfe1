"""Plain texts that character models read whole: Tiny Shakespeare and text8, found or fetched, and checked."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files
from inductive_bias.tasks.lines import FileKey, file_key


class PlainText(NamedTuple):
    """Where a text lies under a folder of data, the digest of its characters, and what fetches it."""

    path: str
    algorithm: str
    digest: str
    fetch: Callable[[Path], Path]


TEXTS: dict[str, PlainText] = {
    "tinyshakespeare": PlainText(
        "tinyshakespeare/input.txt",
        "sha256",
        downloads.TINY_SHAKESPEARE_SHA256,
        downloads.download_tinyshakespeare,
    ),
    # the md5 is the one that its author publishes
    "text8": PlainText("text8/text8", "md5", downloads.TEXT8_MD5, downloads.download_text8),
}


def read_plain_text(name: str, root: Path | str | None = None, download: bool = True) -> tuple[str, dict[str, str]]:
    """A whole text, and the SHA-256 of its file by name, e.g. ``{"tinyshakespeare/input.txt.gz": ...}``.

    Args:
        name: ``tinyshakespeare`` or ``text8``.
        root: Folder with ``tinyshakespeare/input.txt`` or ``text8/text8``, perhaps with ``.gz``; searched before
            ``INDUCTIVE_BIAS_DATA`` and the user cache.
        download: Whether to fetch it into the user cache if it is nowhere on this machine.

    Raises:
        DataError: If the file is missing, damaged, or not the published text (its digest, unzipped, differs).
    """
    known, where = TEXTS[name], files.places(root)
    names = (known.path, f"{known.path}.gz")
    path = files.find(names, where)
    if path is None and not download:
        raise files.missing(names, where)
    path = path or known.fetch(files.cache_folder())
    text, digest = _read(file_key(path), known)
    return text, {f"{Path(known.path).parent}/{path.name}": digest}


@lru_cache(maxsize=1)
def _read(key: FileKey, known: PlainText) -> tuple[str, str]:
    """The text of a file and the SHA-256 of the file, kept while it does not change."""
    path = key[0]
    content = files.read_bytes(path)
    # of the unzipped text: the same letters may be zipped in many ways
    found = hashlib.new(known.algorithm, content).hexdigest()
    if found != known.digest:
        raise DataError(
            f"{path} is not the expected text: the {known.algorithm} of its content is {found}, expected "
            f"{known.digest}. It may be changed; remove it to have it fetched again."
        )
    return content.decode("utf-8"), files.checksum(path)
