"""WikiText-2 (Merity et al. 2017): lines of Wikipedia articles, cut into lower-case sentences."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import FileKey, file_key, lines_of

SPLITS = ("train", "valid", "test")
ENDS = frozenset(".!?")
QUOTE = '"'

#: Of the text; the rows of Hugging Face's ``wikitext-2-v1`` become the same lines.
SHA256: dict[str, tuple[str, ...]] = {
    "wikitext2/train.txt": ("9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f",),
    "wikitext2/valid.txt": ("f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",),
    "wikitext2/test.txt": ("d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",),
}

Sentences = list[list[str]]


class Part(NamedTuple):
    """The sentences of a part (shared by all callers in this process: not to be changed).

    ``sha256`` is that of the file by its name, e.g. ``{"wikitext2/train.txt.gz": ...}``; ``own`` names the file if it
    is not the public one.
    """

    sentences: Sentences
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_wikitext(
    split: str, root: Path | str | None = None, download: bool = True, *, allow_other: bool = False
) -> Part:
    """The sentences of one part of WikiText-2 as lower-case words, end mark included, headings left out.

    Args:
        split: ``"train"``, ``"valid"`` or ``"test"``, as the files are called.
        root: Folder with ``wikitext2/<split>.txt`` or ``.txt.gz``; searched before ``INDUCTIVE_BIAS_DATA`` and the
            user cache.
        download: Whether to fetch what is nowhere on this machine into the user cache.
        allow_other: Whether the file may be another than that of WikiText-2.

    Raises:
        ValueError: If there is no such split.
        DataError: If the file is missing, damaged, not the expected one, not text, or holds no sentence.
    """
    if split not in SPLITS:
        raise ValueError(f"WikiText-2 has the splits {', '.join(SPLITS)}, not {split!r}")
    path = locate_wikitext(split, files.places(root), download=download)
    return read_sentences(file_key(path), split, allow_other)


def locate_wikitext(split: str, where: files.Places, *, download: bool) -> Path:
    """The file of a split, fetched if it is nowhere and ``download`` allows.

    Raises:
        DataError: If it is missing and cannot be fetched.
    """
    names = [f"wikitext2/{split}.txt", f"wikitext2/{split}.txt.gz"]
    if path := files.find(names, where):
        return path
    if not download:
        raise files.missing(names, where)
    return downloads.download_wikitext(files.cache_folder(), SHA256) / f"{split}.txt"


@lru_cache(maxsize=6)
def read_sentences(key: FileKey, split: str, allow_other: bool) -> Part:
    """The sentences of a file that should be that of a split, kept while the file does not change.

    Raises:
        DataError: If it is damaged, not the expected one, not text, or holds no sentence.
    """
    path = key[0]
    found = identity.read(path, f"wikitext2/{split}.txt", SHA256, allow_other=allow_other)
    lines = lines_of(found.content, path)
    sentences = [sentence for line in lines if not is_heading(line) for sentence in cut_sentences(line)]
    if not sentences:
        raise DataError(f"{path} should hold the lines of WikiText-2, but there is no sentence in it.")
    return Part(sentences, {f"wikitext2/{path.name}": found.sha256}, (path.name,) * found.own)


def is_heading(line: str) -> bool:
    """Whether a line is a title, such as `` = Valkyria Chronicles III = `` or `` = = Gameplay = = ``."""
    words = line.split()
    return len(words) >= 2 and words[0] == "=" == words[-1]


def cut_sentences(line: str) -> Iterator[list[str]]:
    """The sentences of a line: each ends with the token ``.``, ``!`` or ``?``, or with the line.

    A quotation mark that closes a quotation (the sentence has an odd number of them) stays with its sentence. An
    abbreviation whose full stop is a token of its own (``lit .``) is cut as well: the text does not tell them apart.
    """
    words = line.lower().split()
    start = 0
    for place in [place for place, word in enumerate(words) if word in ENDS]:
        if place < start:
            continue
        end = place + 1
        if end < len(words) and words[end] == QUOTE and words[start:end].count(QUOTE) % 2:
            end += 1
        yield words[start:end]
        start = end
    if start < len(words):
        yield words[start:]
