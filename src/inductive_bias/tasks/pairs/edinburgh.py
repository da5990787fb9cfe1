"""``wiki-dev`` and ``wiki-test``: sentences of Linzen et al. (2016) with both forms of the verb.

From the course *Natural Language Understanding* at the University of Edinburgh; 1,000 and 4,000 sentences of Wikipedia
whose rare words are replaced by their part of speech (``NNP``, ``NNS``, …).
"""

from inductive_bias.errors import DataError
from inductive_bias.tasks import files
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.pairs import downloads
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs
from inductive_bias.tasks.pairs.spelling import as_in_wikitext

FOLDER = downloads.EDINBURGH
HEADER = ["sentence", "subj_idx", "verb_idx", "verb_pos", "verb", "inflected_verb"]
LABELS = ("VBZ", "VBP")
POS_TAG = "POS tag where the verb should be"
NOT_THE_VERB = "token is not the verb"


def read_edinburgh(name: str, where: files.Places, *, download: bool, allow_other: bool = False) -> WordPairs:
    """The sentences of ``<name>.txt(.gz)``, the verb replaced by its other form in the wrong ones.

    The slice ``distance`` counts the words from the subject to the verb (1: next to each other). A row with a part of
    speech in the verb's place, as 142 of the 5,000 have, is left out.

    Raises:
        DataError: If the file is missing, damaged, not the public one and may not be another (``allow_other``), or not
            of this format; the line is named.
    """
    path, found = downloads.read([f"{FOLDER}/{name}.txt"], where, download=download, allow_other=allow_other)[0]
    header, *lines = lines_of(found.content, path) or [""]
    if header.split("\t") != HEADER:
        raise DataError(f"{path} should begin with the columns {', '.join(HEADER)}, but line 1 is {header[:100]!r}.")
    pairs, left_out = [], {}
    for number, line in enumerate(lines, start=2):
        pair = _parse(number, line, f"{path}, line {number}")
        if isinstance(pair, WordPair):
            pairs.append(pair)
        else:
            left_out[number] = pair
    return WordPairs(pairs, left_out, {path.name: found.sha256}, (path.name,) * found.own)


def _parse(number: int, line: str, place: str) -> WordPair | str:
    """The pair of a row, or why it is left out."""
    columns = line.split("\t")  # quotation marks are words here, so this is no job for a CSV reader
    if len(columns) != len(HEADER):
        raise DataError(f"{place}, should have {len(HEADER)} columns, but has {len(columns)}.")
    sentence, subject, verb_place, label, verb, wrong = columns
    words = sentence.split(" ")
    if label not in LABELS:
        raise DataError(f"{place}: verb_pos should be {' or '.join(LABELS)}, not {label!r}.")
    if not (subject.isdecimal() and verb_place.isdecimal() and int(subject) < int(verb_place) < len(words)):
        raise DataError(
            f"{place}: subj_idx should come before verb_idx and both lie in 0..{len(words) - 1}, "
            f"but they are {subject!r} and {verb_place!r}."
        )
    if not verb or not wrong:
        raise DataError(f"{place}: verb and inflected_verb should be words, but they are {verb!r} and {wrong!r}.")
    at = int(verb_place)
    if words[at] != verb:
        return POS_TAG if words[at].isupper() else NOT_THE_VERB
    words = as_in_wikitext(words)
    return WordPair(number, words, [*words[:at], wrong, *words[at + 1 :]], {"distance": at - int(subject)})
