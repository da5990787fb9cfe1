"""Plain texts that character models read whole, found or fetched, and checked.

Tiny Shakespeare, text8, and English Wikipedia made like text8: 27 symbols, with digits spelled out.
"""

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import FileKey, file_key, text_of
from inductive_bias.tasks.own_splits import read_own_splits
from inductive_bias.tasks.wikipedia import HINT
from inductive_bias.tasks.wikipedia import NAME as WIKIPEDIA
from inductive_bias.tasks.wikipedia import SHA256 as OF_WIKIPEDIA

#: Name of Wikipedia with all its characters.
AS_WRITTEN = "wikipedia, as written"
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def like_text8(text: str) -> str:
    """Lower-case letters and single spaces, with every digit spelled out: the rules that made text8 (Mahoney 2006)."""
    spelled = re.sub("[0-9]", lambda digit: f" {DIGITS[int(digit[0])]} ", text.lower())
    return re.sub("[^a-z]+", " ", spelled)


def _as_it_is(text: str) -> str:
    return text


def _not_published(folder: Path) -> Path:
    """Refuse: there is nowhere to fetch it from."""
    return files.locate(WIKIPEDIA, files.places(None), HINT)


class PlainText(NamedTuple):
    """Where a text lies under a folder of data, the digest of its characters, what fetches and what cleans it."""

    path: str
    algorithm: str
    digest: str
    fetch: Callable[[Path], Path]
    clean: Callable[[str], str] = _as_it_is


TEXTS: dict[str, PlainText] = {
    "tinyshakespeare": PlainText(
        "tinyshakespeare/input.txt", "sha256", downloads.TINY_SHAKESPEARE_SHA256, downloads.download_tinyshakespeare
    ),
    # the md5 is the one that its author publishes
    "text8": PlainText("text8/text8", "md5", downloads.TEXT8_MD5, downloads.download_text8),
    "wikipedia": PlainText(WIKIPEDIA, "sha256", OF_WIKIPEDIA[WIKIPEDIA][0], _not_published, like_text8),
    AS_WRITTEN: PlainText(WIKIPEDIA, "sha256", OF_WIKIPEDIA[WIKIPEDIA][0], _not_published),
}


class Text(NamedTuple):
    """A whole text, and the SHA-256 of its file by name, e.g. ``{"tinyshakespeare/input.txt.gz": ...}``.

    ``own`` names the file if it is not the published one.
    """

    text: str
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_plain_text(
    name: str, root: Path | str | None = None, download: bool = True, *, allow_other: bool = False
) -> Text:
    """A whole text, from its file.

    Args:
        name: ``tinyshakespeare``, ``text8``, ``wikipedia`` or :data:`AS_WRITTEN`.
        root: Folder with ``tinyshakespeare/input.txt``, ``text8/text8`` or ``wikipedia_en/train.txt``, perhaps with
            ``.gz``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
        download: Whether to fetch it into the user cache if it is nowhere on this machine.
        allow_other: Whether the file may hold another text.

    Raises:
        DataError: If the file is missing, damaged, not text, or not the published text (its digest, unzipped, differs).
    """
    known, where = TEXTS[name], files.places(root)
    names = (known.path, f"{known.path}.gz")
    path = files.find(names, where)
    if path is None and not download:
        raise files.missing(names, where)
    path = path or known.fetch(files.cache_folder())
    return _read(file_key(path), known, allow_other)


class OwnTexts(NamedTuple):
    """A text of one's own for every split, where each lies, and the SHA-256 of each file by name."""

    texts: dict[str, str]
    paths: dict[str, Path]
    sha256: dict[str, str]


def read_own_texts(name: str, root: Path | str | None = None) -> OwnTexts | None:
    """The three splits of one's own, such as ``tinyshakespeare/input.train.txt``; None if there are none.

    Args:
        name: as of :func:`read_plain_text`.
        root: likewise.

    Raises:
        DataError: If some of the three are missing, or one is damaged or not text.
    """
    known = TEXTS[name]
    found = read_own_splits(known.path, files.places(root), allow_other=True)
    if found is None:
        return None
    return OwnTexts(
        {split: known.clean(text_of(each.content, each.path)) for split, each in found.items()},
        {split: each.path for split, each in found.items()},
        {f"{Path(known.path).parent}/{each.path.name}": each.sha256 for each in found.values()},
    )


@lru_cache(maxsize=1)
def _read(key: FileKey, known: PlainText, allow_other: bool) -> Text:
    """The text of a file, kept while it does not change."""
    path = key[0]
    raw = files.raw_bytes(path)
    content = files.unzipped(raw, path)
    # of the unzipped text: the same letters may be zipped in many ways
    found = hashlib.new(known.algorithm, content).hexdigest()
    own = found != known.digest
    if own and not allow_other:
        difference = f"the {known.algorithm} of its content is {found}, expected {known.digest}"
        raise identity.refusal(path, known.path, difference)
    sha256 = {f"{Path(known.path).parent}/{path.name}": hashlib.sha256(raw).hexdigest()}
    return Text(known.clean(text_of(content, path)), sha256, (path.name,) * own)
