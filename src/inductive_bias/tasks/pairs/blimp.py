"""Pairs in BLiMP's format (Warstadt et al. 2020): JSON lines, and the templates of Marvin & Linzen (2018)."""

import json
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import files
from inductive_bias.tasks.lines import read_lines
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs
from inductive_bias.tasks.pairs.spelling import tokenise

#: The templates of Marvin & Linzen and words for them, the subject beside its verb first, reflexives last.
TEMPLATES = {
    "simple_agrmt": "simple agreement",
    "sent_comp": "in a sentential complement",
    "vp_coord": "short VP coordination",
    "long_vp_coord": "long VP coordination",
    "prep_anim": "across a prepositional phrase, animate",
    "prep_inanim": "across a prepositional phrase, inanimate",
    "subj_rel": "across a subject relative",
    "obj_rel_across_anim": "across an object relative, animate",
    "obj_rel_across_inanim": "across an object relative, inanimate",
    "obj_rel_no_comp_across_anim": "across a reduced relative, animate",
    "obj_rel_no_comp_across_inanim": "across a reduced relative, inanimate",
    "obj_rel_within_anim": "within an object relative, animate",
    "obj_rel_within_inanim": "within an object relative, inanimate",
    "obj_rel_no_comp_within_anim": "within a reduced relative, animate",
    "obj_rel_no_comp_within_inanim": "within a reduced relative, inanimate",
    "simple_reflexives": "simple reflexive",
    "reflexive_sent_comp": "reflexive in a sentential complement",
    "reflexives_across": "reflexive across a relative",
}
KEYS = ("sentence_good", "sentence_bad")


def read_blimp(path: Path) -> WordPairs:
    """The pairs of a file of objects with ``sentence_good`` and ``sentence_bad``; other keys may be there.

    ``template`` (Marvin & Linzen) or ``UID`` (BLiMP) names the construction; without either it is the file's name.
    Sentences are made lower-case and cut into tokens as in WikiText-2.

    Raises:
        DataError: If the file cannot be read, a line is no JSON object, or a key is missing; the line is named.
    """
    pairs = [_parse(line, f"{path}, line {number}", path) for number, line in enumerate(read_lines(path), start=1)]
    return WordPairs(pairs, {}, {path.name: files.checksum(path)})


def read_marvin_linzen(where: files.Places) -> WordPairs:
    """The pairs of all templates of agreement and of reflexives, from ``marvin_linzen/<template>.jsonl(.gz)``.

    The authors publish pickled files only, which are programs and not data: they have to be turned into JSON lines
    (``template``, ``case``, ``sentence_good``, ``sentence_bad``) by somebody who trusts them, so nothing is fetched.

    Raises:
        DataError: If a file is missing or not of this format.
    """
    pairs: list[WordPair] = []
    sha256: dict[str, str] = {}
    for template in sorted(TEMPLATES):
        names = [f"marvin_linzen/{template}.jsonl{ending}" for ending in ("", ".gz")]
        path = files.find(names, where)
        if path is None:
            raise DataError(
                f"{files.missing(names, where)} (The templates of Marvin & Linzen are published as pickled files, "
                f"which are not fetched; leave 'marvin-linzen' out of pairs= to do without.)"
            )
        read = read_blimp(path)
        pairs += read.pairs
        sha256 |= {f"marvin_linzen/{name}": digest for name, digest in read.sha256.items()}
    return WordPairs(pairs, {}, sha256)


def _parse(line: str, place: str, path: Path) -> WordPair:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: not a JSON object ({error.msg} at column {error.colno}).") from error
    if not isinstance(record, dict):
        raise DataError(f"{place}: should be a JSON object with {' and '.join(KEYS)}, not {line[:100]!r}.")
    for key in KEYS:
        if not isinstance(record.get(key), str):
            raise DataError(f"{place}: should have a text as {key}, but has {record.get(key)!r}.")
    template = record.get("template") or record.get("UID") or path.name.split(".")[0]
    # tuples, because the garbage collector walks through 300,000 lists again and again
    good, bad = (tuple(tokenise(record[key])) for key in KEYS)
    return WordPair(good, bad, template=str(template), case=str(record.get("case", "")))
