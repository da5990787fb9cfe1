"""Requests whose words have tags, ATIS (flights) and SNIPS (voice assistants): from files or from the network."""

import re
from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import lines_of

SPLITS = ("train", "validation", "test")
#: Of each set its folder and, for each of the `SPLITS`, its files. ATIS: the 4,978 sentences of the usual training set
#: are ``atis-2.train`` and ``atis-2.dev`` together.
FOLDERS = {"atis": "atis", "snips": "snips"}
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "atis": (("atis-2.train.w-intent.iob",), ("atis-2.dev.w-intent.iob",), ("atis.test.w-intent.iob",)),
    "snips": tuple((f"{part}/seq.in", f"{part}/seq.out") for part in ("train", "valid", "test")),
}
_GITHUB = "https://raw.githubusercontent.com"
# one commit each, so that the addresses keep their content
ADDRESSES = {
    "atis": f"{_GITHUB}/yvchen/JointSLU/fad79658f343e98c1737fcfe563e76069b62f064/data",
    "snips": f"{_GITHUB}/MiuLab/SlotGated-SLU/61f0307c729b1fad479ef1de94aa5ac5dee601b0/data/snips",
}
#: Of the plain files, which are those of the repositories byte for byte.
SHA256: dict[str, tuple[str, ...]] = {
    "atis/atis-2.train.w-intent.iob": ("c4b1fe74c23b226814ca0cb905eb68190226f3954799277a873a7d29347b7d0e",),
    "atis/atis-2.dev.w-intent.iob": ("99385eebb9295a214ed8a1c0cc547eb8e8d0618c2a4f1094720d52d8902f7ffc",),
    "atis/atis.test.w-intent.iob": ("744bc272bce1c6a828df7b5580b47a4aee2ad2019e5d2376c348bea1c15f0d6e",),
    "snips/train/seq.in": ("04ad1e3f2121d83c6478f9a4b17d2dbdc21d06d6127f73cb7af835ed733f9855",),
    "snips/train/seq.out": ("fd5f2121d8055827e5d6b3d3bac30f3d7e94e82a5d437751960cbdd9e1b4f6d3",),
    "snips/valid/seq.in": ("64e0f6d8ad8aab3a3828164d7d53731a0993d3ca1aed437ceaca6d3d568d410e",),
    "snips/valid/seq.out": ("712e6d34feb8d52d208b820a5f8bae6e6ff990f08374507dfde22de389088319",),
    "snips/test/seq.in": ("c1e341173fcea2951a8ca371956a6f81c76de87b9583c62eb87edd6158fa3a7c",),
    "snips/test/seq.out": ("58c07c9097d5e1f78889765c2a535a160f6455b90b3142055c8051847afcca47",),
}
#: Tokens that frame a sentence of ATIS.
FIRST, LAST = "BOS", "EOS"
OUTSIDE = "O"
_TAG = re.compile(r"O|[BI]-\S+")


class Request(NamedTuple):
    """The words of a sentence and the tag of each."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class Requests(NamedTuple):
    """The sentences of every split, the SHA-256 of every file by its name, and the files that are not public ones."""

    splits: dict[str, list[Request]]
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_requests(data: str, where: files.Places, *, download: bool, allow_other: bool) -> Requests:
    """The sentences of ``atis`` or ``snips``.

    Args:
        data: The set.
        where: Where to look for its files, zipped or not.
        download: Whether to fetch into the user cache what is nowhere on this machine.
        allow_other: Whether the files may be others than the public ones.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one, or a line is not words with a tag each.
    """
    splits, sha256, own = {}, {}, []
    for split, names in zip(SPLITS, NAMES[data], strict=True):
        lines: list[tuple[Path, list[str]]] = []
        for name in (f"{FOLDERS[data]}/{each}" for each in names):
            url = f"{ADDRESSES[data]}/{name.removeprefix(f'{FOLDERS[data]}/')}"
            instead = "data='generated' needs no download"
            path = downloads.find_or_fetch(name, url, SHA256, where, download=download, instead=instead)
            found = identity.read(path, name, SHA256, allow_other=allow_other)
            lines.append((path, lines_of(found.content, path)))
            sha256[f"{Path(name).parent.as_posix()}/{path.name}"] = found.sha256
            own += [path.name] * found.own
        splits[split] = _framed(*lines[0]) if data == "atis" else _aligned(*lines)
        if not splits[split]:
            raise DataError(f"{lines[0][0]} should hold sentences, but there is none in it.")
    return Requests(splits, sha256, tuple(own))


def _framed(path: Path, lines: list[str]) -> list[Request]:
    """Lines ``BOS w1 … wn EOS<TAB>O t1 … tn intent``: the last field is the sentence's intent, not a tag."""
    found = []
    for number, line in enumerate(lines, start=1):
        words, _, tags = (part.split() for part in line.partition("\t"))
        place = f"{path}, line {number}"
        if words[:1] != [FIRST] or words[1:][-1:] != [LAST] or tags[:1] != [OUTSIDE]:
            raise DataError(
                f"{place}: should be {FIRST}, words, {LAST}, a tab, {OUTSIDE}, tags and an intent, not {line[:100]!r}."
            )
        if len(words) != len(tags):
            raise DataError(f"{place}: has {len(words)} words with {FIRST} and {LAST}, but {len(tags)} tags.")
        found.append(_checked(words[1:-1], tags[1:-1], place))
    return found


def _aligned(words: tuple[Path, list[str]], tags: tuple[Path, list[str]]) -> list[Request]:
    """Two files, of words and of tags, line by line."""
    (path, texts), (other, answers) = words, tags
    if len(texts) != len(answers):
        raise DataError(f"{path} has {len(texts)} lines, but {other} has {len(answers)}.")
    pairs = zip(texts, answers, strict=True)
    return [
        _checked(text.split(), answer.split(), f"{path} and {other.name}, line {number}")
        for number, (text, answer) in enumerate(pairs, start=1)
    ]


def _checked(words: list[str], tags: list[str], place: str) -> Request:
    if not words:
        raise DataError(f"{place}: should have a word, but has none.")
    if len(words) != len(tags):
        raise DataError(f"{place}: has {len(words)} words, but {len(tags)} tags.")
    if wrong := next((tag for tag in tags if not _TAG.fullmatch(tag)), None):
        raise DataError(f"{place}: a tag should be O, B-kind or I-kind, not {wrong!r}.")
    return Request(tuple(words), tuple(tags))
