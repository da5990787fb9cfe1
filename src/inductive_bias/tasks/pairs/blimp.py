"""Pairs as JSON lines, the format of BLiMP (Warstadt et al. 2020): its own, and Marvin & Linzen's (2018)."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.strict_json import RepeatedKeyError, strict_json
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.pairs import paradigms
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
#: Of the templates as JSON lines, each ``json.dumps`` of ``template, case, sentence_good, sentence_bad``.
_DIGESTS = {
    "long_vp_coord": "e9551bc4209dafb6e81dddeb6b84b5243ab95b317ac5765f5ce47d9d3e878560",
    "obj_rel_across_anim": "d05880007f1c397b5080516e9ed4b02312e8550fec76948adaf477a5b8d9be64",
    "obj_rel_across_inanim": "6e9fc423071105205e493fa7ec18a72288b3cdc1d0c26421ea4cf034fbba5816",
    "obj_rel_no_comp_across_anim": "1d29433079e0febda83a31b3308e7c229bdef55daa24cc462ceae26db58042b4",
    "obj_rel_no_comp_across_inanim": "29dd6a726cc7627fa27fd932906b9d44e2c93117c20c967b2671f536b98b50e0",
    "obj_rel_no_comp_within_anim": "b241e50770407e91ceed46a9897600aa80d929cc4d65ab20951f7f5d2f2da4dd",
    "obj_rel_no_comp_within_inanim": "4e53596a7b39ab2b96c66acc4a05666755d05aa5c1b1a994e735adee4f2f4879",
    "obj_rel_within_anim": "b1ed5a2cee6178219ec0095a548446e241ad22d3d356ae866a09ead6d17a5ba0",
    "obj_rel_within_inanim": "d49f9fa3c78cef70b8c22042e8d7b44533431337847b0b8b703e7dd93f1fe735",
    "prep_anim": "f3ab3da346b23bbf44ca1a4b0404c30f568e7a9f6b40558c7a1f07e81a915070",
    "prep_inanim": "bf0d416312f2cd446d6e68672d036b58089006933a41047fcb4f587e9b95380d",
    "reflexive_sent_comp": "485f570157ca22d274f2ce765c237835619a0ab0406f4e62b518e8f947901de5",
    "reflexives_across": "7e1dde7ed14b9dc4f8b33e213fc16ebed5c0c728e5b1b8376d9d2beaeb7756e2",
    "sent_comp": "9066c3da2f7e955d1600b1bc874d1b692a11ae21326922032325ee6371b3f431",
    "simple_agrmt": "92e9da1712d5cc140f9c354a0ddeafdb0dec3a0306dff5848b51a693f4fe1f35",
    "simple_reflexives": "e9668e12f8b097090257ac09a8cdc0fc5e9d04f221e2400a4bbc5717dc398d8b",
    "subj_rel": "9ad232004e5a881bd586008ceaa0673b050e6c994fbf6536f87058462061db9c",
    "vp_coord": "8a22c034571f9190e73b726870c225608ca04c31db6e635b7b2af63f80ba5e5a",
}
SHA256: dict[str, tuple[str, ...]] = {f"marvin_linzen/{name}.jsonl": (digest,) for name, digest in _DIGESTS.items()}


def read_blimp(path: Path, *, with_texts: bool = False) -> WordPairs:
    """The pairs of a file of objects with ``sentence_good`` and ``sentence_bad``; other keys may be there.

    ``template`` (Marvin & Linzen) or ``UID`` (BLiMP) names the construction; without either it is the file's name.
    Sentences are made lower-case and cut into tokens as in WikiText-2.

    Raises:
        DataError: If the file cannot be read or has no line, a line is no JSON object, or a key is missing; the line is
            named.
    """
    raw = files.raw_bytes(path)
    content = files.unzipped(raw, path)
    pairs = _pairs(content, path)
    texts = {}
    if with_texts:
        records = map(json.loads, lines_of(content, path))
        texts = {row: tuple(record[key] for key in KEYS) for row, record in enumerate(records, start=1)}
    return WordPairs(pairs, {}, {path.name: hashlib.sha256(raw).hexdigest()}, texts=texts)


def read_marvin_linzen(where: files.Places, *, allow_other: bool = False) -> WordPairs:
    """The pairs of all templates of agreement and of reflexives, from ``marvin_linzen/<template>.jsonl(.gz)``.

    The authors publish pickled files only, which are programs and not data: they have to be turned into JSON lines
    (``template``, ``case``, ``sentence_good``, ``sentence_bad``) by somebody who trusts them, so nothing is fetched.

    Raises:
        DataError: If a file is missing, not the expected one and may not be another (``allow_other``), or not of this
            format.
    """
    hint = (
        "The templates of Marvin & Linzen are published as pickled files, which are not fetched; leave 'marvin-linzen' "
        "out of pairs= to do without."
    )
    return _read_all(sorted(SHA256), SHA256, where, hint, allow_other)


def read_paradigms(where: files.Places, *, allow_other: bool = False) -> WordPairs:
    """The pairs of 61 paradigms of BLiMP, from ``blimp/<paradigm>.jsonl(.gz)``.

    Raises:
        DataError: If a file is missing, not the public one and may not be another (``allow_other``), or not of this
            format.
    """
    hint = "Copy data/*.jsonl of alexwarstadt/blimp into blimp/, or leave 'blimp' out of pairs= to do without."
    return _read_all(sorted(paradigms.SHA256), paradigms.SHA256, where, hint, allow_other)


def _read_all(
    names: Sequence[str], declared: identity.Declared, where: files.Places, hint: str, allow_other: bool
) -> WordPairs:
    """The pairs of several files, one after the other; ``hint`` says what to do without them."""
    pairs: list[WordPair] = []
    sha256: dict[str, str] = {}
    own: list[str] = []
    for name in names:
        path = files.locate(name, where, hint)
        found = identity.read(path, name, declared, allow_other=allow_other)
        pairs += _pairs(found.content, path, before=len(pairs))
        sha256[f"{Path(name).parent}/{path.name}"] = found.sha256
        own += [path.name] * found.own
    return WordPairs(pairs, {}, sha256, own)


def _pairs(content: bytes, path: Path, before: int = 0) -> list[WordPair]:
    """The pairs of a file; its rows go on from those ``before`` it."""
    pairs = [
        _parse(before + number, line, f"{path}, line {number}", path)
        for number, line in enumerate(lines_of(content, path), start=1)
    ]
    if not pairs:
        raise DataError(f"{path} should hold pairs of sentences, one a line, but there is none in it.")
    return pairs


def _parse(row: int, line: str, place: str, path: Path) -> WordPair:
    try:
        record = strict_json(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: not a JSON object ({error.msg} at column {error.colno}).") from error
    except RepeatedKeyError as error:
        raise DataError(f"{place}: {error}.") from error
    if not isinstance(record, dict):
        raise DataError(f"{place}: should be a JSON object with {' and '.join(KEYS)}, not {line[:100]!r}.")
    for key in KEYS:
        if not isinstance(record.get(key), str):
            raise DataError(f"{place}: should have a text as {key}, but has {record.get(key)!r}.")
    template = record.get("template") or record.get("UID") or path.name.split(".")[0]
    # tuples, because the garbage collector walks through 300,000 lists again and again
    good, bad = (tuple(tokenise(record[key])) for key in KEYS)
    return WordPair(row, good, bad, template=str(template), case=str(record.get("case", "")))
