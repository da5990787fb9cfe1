"""The most frequent part of speech of every word of English Wikipedia, by Linzen et al. (2016).

``linzen_agreement_extra/wiki.vocab`` (``data/wiki.vocab`` of TalLinzen/rnn_agreement) has lines of a word, a tag of the
Penn Treebank and how often the text had the one as the other. In their sentences a rare word is its tag, which tells a
model the number of a noun whose name it has no room for.
"""

from collections import Counter
from functools import lru_cache

from inductive_bias.errors import DataError
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.lines import FileKey, file_key, lines_of

NAME = "linzen_agreement_extra/wiki.vocab"
#: Of its text.
SHA256: dict[str, tuple[str, ...]] = {NAME: ("aa599a9e1a726f3b985ceedf47a7ceb635c62f85ec0dd2897c3405f941d0c30f",)}
#: Forms of the present tense that show a number: *runs*, *run*.
PRESENT = ("VBZ", "VBP")
#: The tag of what has a figure in it, if the text did not have it.
NUMBER = "CD"


class Tags:
    """The tag of a word in lower case, over all its spellings; ties by alphabet.

    Attributes:
        names: every tag that a word has, in alphabetical order; marks are their own and have none here.
        sha256: of the file, by its name.
        own: the file's name if it is not the public one.
    """

    def __init__(self, counts: dict[str, Counter[str]], sha256: dict[str, str], own: tuple[str, ...]):
        self._of = {word: min(tags, key=lambda tag, tags=tags: (-tags[tag], tag)) for word, tags in counts.items()}
        self.names = tuple(sorted({*self._of.values(), NUMBER}))
        self.sha256, self.own = sha256, own

    def of(self, word: str) -> str | None:
        """The word's tag; None of a word that Linzen's text does not have, unless it has a figure in it."""
        return self._of.get(word) or (NUMBER if any(letter.isdigit() for letter in word) else None)

    def shows_number(self, word: str) -> bool:
        """Whether the word is first of all a verb in a form of the present tense that shows a number."""
        return self._of.get(word) in PRESENT


def read_tags(where: files.Places, *, allow_other: bool = False) -> Tags:
    """The tags of all words, from ``linzen_agreement_extra/wiki.vocab(.gz)``; nothing is fetched.

    Raises:
        DataError: If the file is missing, damaged, not the public one and may not be another (``allow_other``), or a
            line is not a word, a tag and a number.
    """
    path = files.locate(NAME, where, "It is data/wiki.vocab of TalLinzen/rnn_agreement.")
    return _read(file_key(path), allow_other)


@lru_cache(maxsize=1)
def _read(key: FileKey, allow_other: bool) -> Tags:
    path = key[0]
    found = identity.read(path, NAME, SHA256, allow_other=allow_other)
    counts: dict[str, Counter[str]] = {}
    for number, line in enumerate(lines_of(found.content, path), start=1):
        columns = line.split()
        if number == 1 and len(columns) == 1:
            continue  # how many words the text has
        if len(columns) != 3 or not columns[2].isdecimal():
            raise DataError(f"{path}, line {number}: should be a word, its tag and a number, not {line[:100]!r}.")
        word, tag, count = columns
        if tag[0].isalpha():
            counts.setdefault(word.lower(), Counter())[tag] += int(count)
    if not counts:
        raise DataError(f"{path} should hold words, a line a word, its tag and a number, but there is none in it.")
    return Tags(counts, {f"linzen_agreement_extra/{path.name}": found.sha256}, (path.name,) * found.own)
