"""Number prediction on sentences of today's English Wikipedia, put into the form of Linzen's ``numpred`` files.

``wiki_agreement/{train,valid,test}.tsv`` hold whole sentences in their own spelling, made in the manner of Linzen et
al. (2016), with the places of subject and verb and the nouns between them. ``linzen_agreement_extra/wiki.vocab`` says
how often Linzen's text had each word as which part of speech. With it a preamble takes the form of ``numpred``: lower
case, and in place of a word outside the 10,000 most frequent its part-of-speech tag, which keeps its capitals.
"""

from collections import Counter
from functools import lru_cache
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import files, identity, parts_of_speech
from inductive_bias.tasks.agreement.linzen import count_in, label_of
from inductive_bias.tasks.agreement.rows import UNKNOWN, Parsed, Row, Rows
from inductive_bias.tasks.lines import FileKey, file_key, lines_of

PARTS = ("train", "valid", "test")
VOCABULARY = parts_of_speech.NAME
HEADER = ("label", "n_intervening", "n_attractors", "distance", "subj_index", "verb_index", "sentence")
#: Words that ``numpred`` spells out.
KEPT = 10_000
#: Tags of words that Linzen's text does not have: they are rare names, numbers and nouns.
NUMBER, NAME, NOUN = "CD", "NNP", "NN"
QUOTE, OPENING, CLOSING = '"', "``", "''"
#: Of the text.
SHA256: dict[str, tuple[str, ...]] = {
    "wiki_agreement/train.tsv": ("13aeda5edfdf4ed47be0995ace1e00d59a21ee0ef1772af3f1281e9c0552e3ba",),
    "wiki_agreement/valid.tsv": ("432cf6df0988288b037c308e5ad60a5149ff0d4c3746f4bf0a8236815b004c97",),
    "wiki_agreement/test.tsv": ("14dc20232926d87c7d7027f1e2a57af1fc232c5a337a4eade4bf321594fd3052",),
    **parts_of_speech.SHA256,
}


class Spelling(NamedTuple):
    """How ``numpred`` spells a word.

    Attributes:
        kept: lower-case words that are spelt out.
        tags: the most frequent tag of every other word as it is written.
        folded: the same of its lower-case form, over all its spellings.
    """

    kept: frozenset[str]
    tags: dict[str, str]
    folded: dict[str, str]

    def word(self, written: str, *, first: bool) -> str:
        """A word of a sentence; the case of the ``first`` one tells nothing.

        What has neither letter nor digit stays what it is.
        """
        lower = written.lower()
        if lower in self.kept:
            return lower
        tag = (None if first else self.tags.get(written)) or self.folded.get(lower)
        if tag or not any(letter.isalnum() for letter in written):
            return tag or lower
        if any(letter.isdigit() for letter in written):
            return NUMBER
        return NAME if written[0].isupper() and not first else NOUN


class Spelt(dict[str, str]):
    """Words as ``numpred`` spells them, found when first asked for."""

    def __init__(self, spelling: Spelling, *, first: bool):
        super().__init__()
        self._spelling, self._first = spelling, first

    def __missing__(self, written: str) -> str:
        self[written] = found = self._spelling.word(written, first=self._first)
        return found


def read_wiki_agreement(part: str, where: files.Places, *, allow_other: bool = False) -> Parsed:
    """The rows of ``wiki_agreement/<part>.tsv`` in the form of ``numpred``, with all that is known between the words.

    ``attractors`` is known where all intervening nouns differ in number from the subject, as in Linzen's files.

    Args:
        part: ``train``, ``valid`` or ``test``.
        where: Folders to search; nothing is fetched, as these files have no public address.
        allow_other: Whether the files may be others than those declared.

    Raises:
        DataError: If a file is missing, damaged, not the expected one or not text, or a line does not fit its header.
    """
    paths = [files.locate(name, where) for name in (f"wiki_agreement/{part}.tsv", VOCABULARY)]
    return _parse(*(file_key(path) for path in paths), part, allow_other)


@lru_cache(maxsize=len(PARTS))
def _parse(key: FileKey, vocabulary: FileKey, part: str, allow_other: bool) -> Parsed:
    path, name = key[0], f"wiki_agreement/{part}.tsv"
    spelling, sums, own = _spelling(vocabulary, allow_other)
    found = identity.read(path, name, SHA256, allow_other=allow_other)
    header, *lines = lines_of(found.content, path) or [""]
    if tuple(header.split("\t")) != HEADER:
        raise DataError(f"{path}, line 1: the header should be {', '.join(HEADER)}, and is {header!r}.")
    inside, at_start = Spelt(spelling, first=False), Spelt(spelling, first=True)
    rows: Rows = []
    for number, line in enumerate(lines, start=2):
        columns = line.split("\t")
        if len(columns) != len(HEADER):
            raise DataError(f"{path}, line {number}: expected {len(HEADER)} columns, and found {len(columns)}.")
        try:
            between, different, distance, subject, verb = map(int, columns[1:6])
        except ValueError:
            between, different, distance, subject, verb = _counts(columns, path, number)
        words = columns[6].split(" ", max(verb, 0))
        if not (0 <= different <= between < distance == verb - subject and subject >= 0 and verb < len(words)):
            raise DataError(
                f"{path}, line {number}: {', '.join(map(' '.join, zip(HEADER[1:6], columns[1:6], strict=True)))} do "
                f"not fit each other and a sentence of {len(columns[6].split(' '))} words."
            )
        preamble = [at_start[words[0]], *(inside[word] for word in words[1:verb])]
        attractors = different if between == different else UNKNOWN
        rows.append(Row(_quoted(preamble), label_of(columns[0], path, number), attractors, distance, between))
    if not rows:
        raise DataError(f"{path} should hold labelled sentences, but there is none in it.")
    return Parsed(rows, Counter(), {f"wiki_agreement/{path.name}": found.sha256} | sums, (path.name,) * found.own + own)


def _counts(columns: list[str], path: Path, number: int) -> list[int]:
    return [count_in(text, name, path, number) for text, name in zip(columns[1:6], HEADER[1:6], strict=True)]


def _quoted(words: list[str]) -> str:
    """The words, their quotation marks opening and closing in turn."""
    if QUOTE in words:
        marks = [place for place, word in enumerate(words) if word == QUOTE]
        for turn, place in enumerate(marks):
            words[place] = CLOSING if turn % 2 else OPENING
    return " ".join(words)


@lru_cache(maxsize=1)
def _spelling(key: FileKey, allow_other: bool) -> tuple[Spelling, dict[str, str], tuple[str, ...]]:
    """The spelling of a file, the SHA-256 of that file by its name, and its name if it is not the public one."""
    path = key[0]
    found = identity.read(path, VOCABULARY, SHA256, allow_other=allow_other)
    entries = [line.split("\t") for line in lines_of(found.content, path) if "\t" in line]
    if not entries:
        raise DataError(f"{path} should hold words, a line a word, a tab, a tag and a number, but there is none in it.")
    spelling = spelling_of(entries, str(path))
    return spelling, {f"linzen_agreement_extra/{path.name}": found.sha256}, (path.name,) * found.own


def spelling_of(entries: list[list[str]], source: str = "the vocabulary", kept: int = KEPT) -> Spelling:
    """Spelling from pairs ``word``, ``tag count``; words of equal frequency in the order of the entries.

    Raises:
        DataError: If an entry is not such a pair, naming it and the ``source``.
    """
    frequency: dict[str, int] = {}
    parsed: list[tuple[str, str, str, int]] = []
    for entry in entries:
        try:
            word, rest = entry
            tag, number = rest.split(" ")
            count = int(number)
        except ValueError as error:
            raise DataError(f"{source}: {entry!r} is not a word, a tab, a tag, a space and a number.") from error
        lower = word.lower()
        frequency[lower] = frequency.get(lower, 0) + count
        parsed.append((word, lower, tag, count))
    spelt = frozenset(nlargest(kept, frequency, key=frequency.__getitem__))
    written: dict[str, tuple[int, str]] = {}
    over_all: dict[str, dict[str, int]] = {}
    for word, lower, tag, count in parsed:
        if lower in spelt:
            continue
        if word not in written or count > written[word][0]:
            written[word] = count, tag
        tags = over_all.setdefault(lower, {})
        tags[tag] = tags.get(tag, 0) + count
    return Spelling(
        spelt,
        {word: tag for word, (_, tag) in written.items()},
        {word: max(tags, key=tags.__getitem__) for word, tags in over_all.items()},
    )
