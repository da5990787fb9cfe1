"""Files of Linzen, Dupoux & Goldberg (2016): number prediction on sentences of the English Wikipedia.

``numpred.*`` have two columns, label and preamble. ``agr_50_mostcommon_10K.tsv`` has a header and whole sentences, with
the place of the verb and what lies between it and its subject. In both, words outside the 10,000 most common are
replaced by their part-of-speech tag, e.g. ``NNS``, which keeps its capitals.
"""

from collections import Counter
from functools import lru_cache
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.agreement.rows import LABELS, UNKNOWN, Parsed, Row, Rows
from inductive_bias.tasks.lines import FileKey, file_key, lines_of

NUMPRED_FOLDER = "linzen_agreement/rnn_agr_simple"
TSV_NAME = "agr_50_mostcommon_10K.tsv"
TSV_COLUMNS = ("sentence", "verb_pos", "verb_index", "n_intervening", "n_diff_intervening", "distance")
EMPTY = "empty preamble"
#: Of the text. Nobody has published sums of the three files without one, and none of them was at hand here.
SHA256: dict[str, tuple[str, ...]] = {
    f"{NUMPRED_FOLDER}/numpred.train": (),
    f"{NUMPRED_FOLDER}/numpred.val": ("430643ef15cacdcc2ff88afe44a87b9aeaa094c683653a54c2a936428d300245",),
    f"{NUMPRED_FOLDER}/numpred.test": (),
    f"{NUMPRED_FOLDER}/numpred.test.1": ("528125391c255b926d6e8c01664188efe5e18a991c1dab88907f796b1198913f",),
    f"{NUMPRED_FOLDER}/numpred.test.2": ("23ad762fbacea0bb35c26dfcdcd72df52a87535cd3fa9dda2bacee44cb8b60c1",),
    f"{NUMPRED_FOLDER}/numpred.test.3": ("ce9755d6891b8dcb486a3242f7495fdd3881c93320c2d0d2fda4827a8489de55",),
    f"{NUMPRED_FOLDER}/numpred.test.4": ("c43e0511bb14904e41b8bfce8a76c84912aa42e61ef5428d7ab4c28197488411",),
    f"{NUMPRED_FOLDER}/numpred.test.5": ("f7b9922a0e581c4a9d45612eb249e4d314c7b21d4cf7c33c82c6731d9368d838",),
    f"linzen_agreement/{TSV_NAME}": (),
}


def read_numpred(
    part: str, where: files.Places, *, download: bool, attractors: int = UNKNOWN, allow_other: bool = False
) -> Parsed:
    """The rows of ``numpred.<part>``, e.g. ``val`` or ``test.1``; rows with an empty preamble are counted and left out.

    Args:
        part: Which of the files.
        where: Folders to search, each for ``linzen_agreement/rnn_agr_simple/numpred.<part>`` or ``.gz``.
        download: Whether to fetch the public archive if the file is nowhere.
        attractors: What every row of the file has.
        allow_other: Whether the file may be another than the public one.

    Raises:
        DataError: If the file is missing, damaged, not the expected one or not text, or a line is not a known label, a
            tab and a preamble.
    """
    name = f"{NUMPRED_FOLDER}/numpred.{part}"
    names = [name, f"{name}.gz"]
    path = files.find(names, where)
    if path is None:
        if not download:
            raise files.missing(names, where)
        path = downloads.download_numpred(files.cache_folder(), SHA256) / f"numpred.{part}"
    return _parse_numpred(file_key(path), name, attractors, allow_other)


@lru_cache(maxsize=12)
def _parse_numpred(key: FileKey, name: str, attractors: int, allow_other: bool) -> Parsed:
    path = key[0]
    found = identity.read(path, name, SHA256, allow_other=allow_other)
    rows: Rows = []
    skipped: Counter[str] = Counter()
    for number, line in enumerate(lines_of(found.content, path), start=1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise DataError(
                f"{path}, line {number}: expected 2 columns, a label and a preamble with a tab between, "
                f"and found {len(columns)}."
            )
        label = label_of(columns[0], path, number)
        if preamble := " ".join(columns[1].split()):
            rows.append(Row(preamble, label, attractors))
        else:
            skipped[EMPTY] += 1
    return _parsed(rows, skipped, path, found)


def read_tsv(where: files.Places, *, download: bool, allow_other: bool = False) -> Parsed:
    """The rows of ``agr_50_mostcommon_10K.tsv`` with attractors and distance.

    The preamble is the words of ``sentence`` before ``verb_index`` (which counts from 1). ``attractors`` is
    ``n_diff_intervening`` where all intervening nouns differ in number from the subject, else -1.

    Args:
        where: Folders to search, each for ``linzen_agreement/agr_50_mostcommon_10K.tsv`` or ``.gz``.
        download: Whether to fetch the file if it is nowhere.
        allow_other: Whether the file may be another than the public one, of which no SHA-256 is declared yet.

    Raises:
        DataError: If the file is missing, damaged, not the expected one or not text, lacks a column, or a line does
            not fit its header.
    """
    names = [f"linzen_agreement/{TSV_NAME}{suffix}" for suffix in ("", ".gz")]
    path = files.find(names, where)
    if path is None:
        if not download:
            raise files.missing(names, where)
        path = downloads.download_agreement_tsv(files.cache_folder())
    return _parse_tsv(file_key(path), allow_other)


@lru_cache(maxsize=1)
def _parse_tsv(key: FileKey, allow_other: bool) -> Parsed:
    path = key[0]
    found = identity.read(path, f"linzen_agreement/{TSV_NAME}", SHA256, allow_other=allow_other)
    lines = lines_of(found.content, path)
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
        verb, between, different, distance = (
            count_in(columns[at[name]], name, path, number) for name in TSV_COLUMNS[2:]
        )
        if not 1 <= verb <= len(words):
            raise DataError(f"{path}, line {number}: verb_index should be 1..{len(words)} here, and is {verb}.")
        label = label_of(columns[at["verb_pos"]], path, number)
        if verb == 1:
            skipped[EMPTY] += 1
            continue
        attractors = different if between == different else UNKNOWN
        rows.append(Row(" ".join(words[: verb - 1]), label, attractors, distance, between))
    return _parsed(rows, skipped, path, found)


def label_of(text: str, path: Path, number: int) -> int:
    """The label of a line.

    Raises:
        DataError: If it is not VBZ or VBP.
    """
    if text not in LABELS:
        raise DataError(f"{path}, line {number}: the label should be VBZ or VBP, and is {text!r}.")
    return LABELS[text]


def count_in(text: str, name: str, path: Path, number: int) -> int:
    """The whole number in the column ``name`` of a line.

    Raises:
        DataError: If it is none.
    """
    if not text.isascii() or not text.isdigit():
        raise DataError(f"{path}, line {number}: {name} should be a whole number, and is {text!r}.")
    return int(text)


def _parsed(rows: Rows, skipped: Counter[str], path: Path, found: identity.Identified) -> Parsed:
    if not rows:
        raise DataError(f"{path} should hold labelled preambles, but there is none in it.")
    return Parsed(rows, skipped, {f"linzen_agreement/{path.name}": found.sha256}, (path.name,) * found.own)
