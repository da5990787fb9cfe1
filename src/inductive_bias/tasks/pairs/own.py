"""Pairs of one's own: from memory, or from a file in BLiMP's format or with two columns."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.lines import lines_of, not_separated, text_of
from inductive_bias.tasks.pairs.blimp import KEYS, read_blimp
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs, encode_pairs
from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs, Scoring
from inductive_bias.tasks.pairs.spelling import tokenise
from inductive_bias.tasks.vocabulary import Vocabulary

COLUMNS = ("good", "bad")
#: Names of the two columns; the line that holds a pair of them is a header, and other columns may stand beside them.
HEADERS = (COLUMNS, KEYS)
#: What a column with the name of the construction may be called.
PARADIGMS = ("uid", "paradigm", "template")
#: Words of which headers are made that this reader does not know.
_SOUNDS_LIKE_A_HEADER = re.compile(
    r"(?=.*[a-z]{2})(un|in)?(good|bad|right|wrong|correct|grammatical|acceptable|sentences?|text|[ab12]|positive|negative|target"
    r"|distractor|id|uid|label)+"
)
EMPTY_LINE = "empty line"
MEMORY = "memory"

#: A sentence as it is written, or its words, which are then taken as they are.
Sentence = str | Sequence[str]


def minimal_pairs(
    source: Path | str | Iterable[tuple[Sentence, Sentence]],
    vocabulary: Vocabulary | None,
    *,
    by: Scoring = "sentence",
    max_tokens: int = 64,
    name: str | None = None,
) -> MinimalPairs:
    """Pairs of one's own as ids of a model's vocabulary, each with the row it came from.

    Args:
        source: a file, see :func:`read_pairs`; or pairs ``(good, bad)``. Sentences are made lower-case and cut into
            tokens as in WikiText-2; words in a list are taken as they are.
        vocabulary: of the model that is to score them: ``task.load().vocabulary``, which only tasks of words have.
        by: compare the probabilities of whole sentences, or of the one word (the verb) in which they differ.
        max_tokens: positions of the model, ``BOS`` and ``EOS`` included.
        name: of the set; the file's, or ``memory``.

    Raises:
        DataError: If the file is missing, damaged or of another format, none of the pairs can be scored, or there is no
            vocabulary.
    """
    if vocabulary is None:
        raise DataError("vocabulary should be that of a task of words, not None: other tasks have none")
    if isinstance(source, (str, Path)):
        path = Path(source)
        read, made = read_pairs(path, with_texts=True), path.name
    else:
        read, made = _of_memory(source), MEMORY
    return encode_pairs(
        name or made.split(".")[0],
        read,
        vocabulary,
        max_tokens=max_tokens,
        scoring=by,
        source=identity.source_of("", [made]),
    )


def read_pairs(path: Path, *, with_texts: bool = False) -> WordPairs:
    """The pairs of a user's file: of two columns if its name ends in ``.tsv`` or ``.csv``, else in BLiMP's format.

    A file of columns has a good and a bad sentence a line. With a header that names ``good`` and ``bad`` (or
    ``sentence_good`` and ``sentence_bad``) it may have others. In a ``.tsv`` quotation marks are part of the sentence.
    ``.gz`` may follow any ending.

    Raises:
        DataError: If the file cannot be read, is damaged, or is of another format; the line is named.
    """
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending not in (".tsv", ".csv"):
        return read_blimp(path, with_texts=with_texts)
    raw = files.raw_bytes(path)
    content = files.unzipped(raw, path)
    cells = _tab_separated(content, path) if ending == ".tsv" else _comma_separated(content, path)
    texts, left_out, paradigms = _two_columns(cells, path)
    if not texts:
        raise DataError(f"{path} should hold pairs of sentences, one a line, but there is none in it.")
    pairs = _pairs(texts, paradigms, path.name.split(".")[0])
    sha256 = {path.name: hashlib.sha256(raw).hexdigest()}
    return WordPairs(pairs, left_out, sha256, texts=texts if with_texts else {})


def _of_memory(pairs: Iterable[tuple[Sentence, Sentence]]) -> WordPairs:
    read, texts = [], {}
    for row, pair in enumerate(pairs, start=1):
        if not (isinstance(pair, Sequence) and len(pair) == 2 and not isinstance(pair, str)):
            raise DataError(f"pair {row} should be a good and a bad sentence, not {str(pair)[:100]!r}.")
        good, bad = (tuple(tokenise(each) if isinstance(each, str) else each) for each in pair)
        read.append(WordPair(row, good, bad))
        texts[row] = tuple(each if isinstance(each, str) else " ".join(each) for each in pair)
    return WordPairs(read, texts=texts)


def _pairs(texts: dict[int, tuple[str, str]], paradigms: dict[int, str], template: str) -> list[WordPair]:
    return [
        WordPair(row, *(tuple(tokenise(each)) for each in sentences), template=paradigms.get(row) or template)
        for row, sentences in texts.items()
    ]


def _two_columns(
    rows: Iterable[tuple[int, list[str]]], path: Path
) -> tuple[dict[int, tuple[str, str]], dict[int, str], dict[int, str]]:
    """Both sentences by line, the lines that are empty, and the construction by line where a column names it."""
    texts, left_out, paradigms, at, width, named_at = {}, {}, {}, (0, 1), 2, None
    for place, (line, cells) in enumerate(rows):
        if not any(cells):
            left_out[line] = EMPTY_LINE
            continue
        names = [cell.strip().lower() for cell in cells]
        if place == 0 and (named := [header for header in HEADERS if set(header) <= set(names)]):
            at, width = tuple(names.index(name) for name in named[0]), len(cells)
            named_at = next((names.index(name) for name in PARADIGMS if name in names), None)
            continue
        if place == 0 and all(_SOUNDS_LIKE_A_HEADER.fullmatch(re.sub(r"[\s_-]", "", name)) for name in names):
            raise DataError(
                f"{path}, line {line}: {', '.join(map(repr, cells))} looks like a header, and does not say which "
                f"column holds the right sentences: name the columns {' and '.join(COLUMNS)}, or leave the line out."
            )
        if len(cells) != width:
            raise DataError(
                f"{path}, line {line}: should have {width} columns{', good and bad' if width == 2 else ''}, "
                f"but has {len(cells)}."
            )
        texts[line] = (cells[at[0]], cells[at[1]])
        if named_at is not None:
            paradigms[line] = cells[named_at].strip()
    return texts, left_out, paradigms


def _tab_separated(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    return ((number, line.split("\t")) for number, line in enumerate(lines_of(content, path), start=1))


def _comma_separated(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and cells; a cell in quotation marks may go on over several lines, and the first counts."""
    reader = csv.reader(io.StringIO(text_of(content, path), newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise not_separated(error, path, line) from error
