"""5.8 million words of English Wikipedia (a dump of 2019) in the form of WikiText-2's sentences.

``wikipedia_en/train.txt`` has the prose of 4,246 pages: a line ``= Title =``, one paragraph a line, an empty line
between pages. Their titles are none of WikiText-2's, but a title there may be ``<unk>``, and one page is a page of its
test set (see :mod:`~.overlap`). The text was cleaned from the pages of chinapedia/wikipedia.abstract.en and is
published nowhere in this form, so that nothing is fetched.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.lines import FileKey, file_key, text_of
from inductive_bias.tasks.running_text import as_wikitext
from inductive_bias.tasks.wikitext import Sentences, cut_sentences, is_heading

NAME = "wikipedia_en/train.txt"
HINT = (
    "This text is published nowhere in this form and is not fetched. Any running text, one paragraph a line, can take "
    "its place with allow_other=True."
)
SHA256: dict[str, tuple[str, ...]] = {NAME: ("686c779fd3fb7e9df7edc2b33bea9b81a053c0768d3d7554bfbccd7e43b8889d",)}


class Pages(NamedTuple):
    """The sentences of a text, page by page (shared by all callers in this process: not to be changed).

    ``sha256`` is that of the file by its name, e.g. ``{"wikipedia_en/train.txt.gz": ...}``; ``own`` names the file if
    it is not the expected one.
    """

    pages: list[Sentences]
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_wikipedia(root: Path | str | None = None, *, allow_other: bool = False) -> Pages:
    """The sentences of every page as lower-case words, end mark included, headings left out.

    Args:
        root: Folder with ``wikipedia_en/train.txt`` or ``.txt.gz``; searched before ``INDUCTIVE_BIAS_DATA`` and the
            user cache.
        allow_other: Whether the file may be another: running text of your own, one paragraph a line.

    Raises:
        DataError: If the file is missing, damaged, not the expected one, not text, or holds no sentence.
    """
    return read_paragraphs(file_key(files.locate(NAME, files.places(root), HINT)), allow_other)


@lru_cache(maxsize=2)
def read_paragraphs(key: FileKey, allow_other: bool) -> Pages:
    """The sentences of a file of running text, kept while the file does not change.

    Raises:
        DataError: If it is damaged, not the expected one, not text, or holds no sentence.
    """
    path = key[0]
    found = identity.read(path, NAME, SHA256, allow_other=allow_other)
    pages = [page for page in _pages(as_wikitext(text_of(found.content, path)).split("\n")) if page]
    if not pages:
        raise DataError(f"{path} should hold paragraphs of running text, but there is no sentence in it.")
    return Pages(pages, {f"wikipedia_en/{path.name}": found.sha256}, (path.name,) * found.own)


def _pages(lines: list[str]) -> Iterator[Sentences]:
    """The sentences between one heading and the next."""
    # one string a word, not one an occurrence: seven million of them would take half a gigabyte
    one = {}.setdefault
    page: Sentences = []
    for line in lines:
        if is_heading(line):
            yield page
            page = []
        else:
            page += [[one(word, word) for word in words] for words in cut_sentences(line)]
    yield page
