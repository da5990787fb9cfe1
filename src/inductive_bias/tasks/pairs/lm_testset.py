"""``linzen-lm``: the sentences of Linzen et al. (2016) that Gulordava et al. (2018) score with language models.

7,489 sentences of Wikipedia with 0 to 4 agreement attractors; ``.gold`` holds the verb's place, its right form, the
wrong one and the number of attractors; ``.eval`` the place again.
"""

from inductive_bias.errors import DataError
from inductive_bias.tasks import files
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.pairs import downloads
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs
from inductive_bias.tasks.pairs.spelling import as_in_wikitext

FOLDER = downloads.LM_TESTSET
STEM = "subj_agr_filtered"
NOT_GOLD = "token is not the gold form"


def read_lm_testset(where: files.Places, *, download: bool, allow_other: bool = False) -> WordPairs:
    """The sentences, the verb replaced by its other form in the wrong ones; slice ``attractors``.

    A row whose sentence has another token in the verb's place, as 4 of the 7,489 have, is left out.

    Raises:
        DataError: If a file is missing, damaged, or not the public one and may not be another (``allow_other``), or the
            files do not fit each other; the line is named.
    """
    names = [f"{FOLDER}/{STEM}.{part}" for part in ("text", "gold", "eval")]
    read = downloads.read(names, where, download=download, allow_other=allow_other)
    paths = [path for path, _ in read]
    text, gold, places = (lines_of(found.content, path) for path, found in read)
    if not len(text) == len(gold) == len(places):
        raise DataError(
            f"{paths[0].parent}: {STEM} should have as many lines in .text, .gold and .eval, "
            f"but they have {len(text)}, {len(gold)} and {len(places)}."
        )
    pairs, left_out = [], {}
    for number, (sentence, row, place) in enumerate(zip(text, gold, places, strict=True), start=1):
        pair = _parse(number, sentence, row, place, f"{paths[1]}, line {number}")
        if pair is None:
            left_out[number] = NOT_GOLD
        else:
            pairs.append(pair)
    own = tuple(path.name for path, found in read if found.own)
    return WordPairs(pairs, left_out, {path.name: found.sha256 for path, found in read}, own)


def _parse(number: int, sentence: str, row: str, place: str, line: str) -> WordPair | None:
    columns = row.split("\t")
    if len(columns) != 4 or not (columns[0].isdecimal() and columns[3].isdecimal()):
        raise DataError(f"{line}: should be: position, right form, wrong form, attractors; not {row[:100]!r}.")
    at, good, bad, attractors = int(columns[0]), columns[1], columns[2], int(columns[3])
    if place.strip() != columns[0]:
        raise DataError(f"{line}: the position is {at}, but .eval says {place[:100]!r}.")
    if not good or not bad:
        raise DataError(f"{line}: right and wrong form should be words, not {good!r} and {bad!r}.")
    words = sentence.removesuffix(" <eos>").split(" ")
    if at >= len(words):
        raise DataError(f"{line}: the position should be in 0..{len(words) - 1}, not {at}.")
    if words[at] != good:
        return None
    words = as_in_wikitext(words)
    return WordPair(number, words, [*words[:at], bad, *words[at + 1 :]], {"attractors": attractors})
