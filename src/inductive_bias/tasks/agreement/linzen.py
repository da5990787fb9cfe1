"""Files of Linzen, Dupoux & Goldberg (2016): number prediction on sentences of the English Wikipedia.

``numpred.*`` have two columns, label and preamble. ``agr_50_mostcommon_10K.tsv`` has a header and whole sentences, with
the place of the verb and what lies between it and its subject. In both, words outside the 10,000 most common are
replaced by their part-of-speech tag, e.g. ``NNS``, which keeps its capitals.
"""

from collections import Counter
from functools import lru_cache
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files
from inductive_bias.tasks.agreement.rows import LABELS, UNKNOWN, Parsed, Row, Rows
from inductive_bias.tasks.lines import FileKey, file_key, read_lines

NUMPRED_FOLDER = "linzen_agreement/rnn_agr_simple"
TSV_NAME = "agr_50_mostcommon_10K.tsv"
TSV_COLUMNS = ("sentence", "verb_pos", "verb_index", "n_intervening", "n_diff_intervening", "distance")
EMPTY = "empty preamble"


def read_numpred(part: str, where: files.Places, *, download: bool, attractors: int = UNKNOWN) -> Parsed:
    """The rows of ``numpred.<part>``, e.g. ``val`` or ``test.1``; rows with an empty preamble are counted and left out.

    Args:
        part: Which of the files.
        where: Folders to search, each for ``linzen_agreement/rnn_agr_simple/numpred.<part>`` or ``.gz``.
        download: Whether to fetch the public archive if the file is nowhere.
        attractors: What every row of the file has.

    Raises:
        DataError: If the file is missing or damaged, or a line is not a known label, a tab and a preamble.
    """
    names = [f"{NUMPRED_FOLDER}/numpred.{part}{suffix}" for suffix in ("", ".gz")]
    path = files.find(names, where)
    if path is None:
        if not download:
            raise files.missing(names, where)
        path = downloads.download_numpred(files.cache_folder()) / f"numpred.{part}"
    return _parse_numpred(file_key(path), attractors)


@lru_cache(maxsize=12)
def _parse_numpred(key: FileKey, attractors: int) -> Parsed:
    path = key[0]
    rows: Rows = []
    skipped: Counter[str] = Counter()
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise DataError(
                f"{path}, line {number}: expected 2 columns, a label and a preamble with a tab between, "
                f"and found {len(columns)}."
            )
        label = _label(columns[0], path, number)
        if preamble := " ".join(columns[1].split()):
            rows.append(Row(preamble, label, attractors))
        else:
            skipped[EMPTY] += 1
    return _parsed(rows, skipped, path)


def read_tsv(where: files.Places, *, download: bool) -> Parsed:
    """The rows of ``agr_50_mostcommon_10K.tsv`` with attractors and distance.

    The preamble is the words of ``sentence`` before ``verb_index`` (which counts from 1). ``attractors`` is
    ``n_diff_intervening`` where all intervening nouns differ in number from the subject, else -1.

    Args:
        where: Folders to search, each for ``linzen_agreement/agr_50_mostcommon_10K.tsv`` or ``.gz``.
        download: Whether to fetch the file if it is nowhere.

    Raises:
        DataError: If the file is missing or damaged, lacks a column, or a line does not fit its header.
    """
    names = [f"linzen_agreement/{TSV_NAME}{suffix}" for suffix in ("", ".gz")]
    path = files.find(names, where)
    if path is None:
        if not download:
            raise files.missing(names, where)
        path = downloads.download_agreement_tsv(files.cache_folder())
    return _parse_tsv(file_key(path))


@lru_cache(maxsize=1)
def _parse_tsv(key: FileKey) -> Parsed:
    path = key[0]
    lines = read_lines(path)
    header = lines[0].split("\t") if lines else []
    if absent := [name for name in TSV_COLUMNS if name not in header]:
        raise DataError(f"{path}, line 1: the header should name the columns {', '.join(absent)}, and does not.")
    at = {name: header.index(name) for name in TSV_COLUMNS}
    rows: Rows = []
    skipped: Counter[str] = Counter()
    for number, line in enumerate(lines[1:], start=2):
        columns = line.split("\t")
        if len(columns) != len(header):
            raise DataError(f"{path}, line {number}: expected {len(header)} columns, and found {len(columns)}.")
        words = columns[at["sentence"]].split()
        verb, between, different, distance = (_count(columns[at[name]], name, path, number) for name in TSV_COLUMNS[2:])
        if not 1 <= verb <= len(words):
            raise DataError(f"{path}, line {number}: verb_index should be 1..{len(words)} here, and is {verb}.")
        label = _label(columns[at["verb_pos"]], path, number)
        if verb == 1:
            skipped[EMPTY] += 1
            continue
        attractors = different if between == different else UNKNOWN
        rows.append(Row(" ".join(words[: verb - 1]), label, attractors, distance))
    return _parsed(rows, skipped, path)


def _label(text: str, path: Path, number: int) -> int:
    if text not in LABELS:
        raise DataError(f"{path}, line {number}: the label should be VBZ or VBP, and is {text!r}.")
    return LABELS[text]


def _count(text: str, name: str, path: Path, number: int) -> int:
    if not text.isascii() or not text.isdigit():
        raise DataError(f"{path}, line {number}: {name} should be a whole number, and is {text!r}.")
    return int(text)


def _parsed(rows: Rows, skipped: Counter[str], path: Path) -> Parsed:
    if not rows:
        raise DataError(f"{path} should hold labelled preambles, but there is none in it.")
    return Parsed(rows, skipped, {f"linzen_agreement/{path.name}": files.checksum(path)})
