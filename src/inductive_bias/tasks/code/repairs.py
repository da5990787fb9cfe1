"""Repairs: Java methods with abstract names before and after the commit that fixed a bug (Tufano et al. 2019)."""

from itertools import chain
from typing import Annotated, ClassVar, Literal

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from inductive_bias.errors import DataError
from inductive_bias.tasks import card, downloads, files, identity
from inductive_bias.tasks.code.base import INSTEAD, MADE, CodeTask, task_data
from inductive_bias.tasks.code.encoding import single_split, vocabulary_of
from inductive_bias.tasks.code.made import PROBLEMS, made_function
from inductive_bias.tasks.code.parting import grouped_folds, merged, refuse_shared, written_alike
from inductive_bias.tasks.code.reading import Read
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.own_splits import SPLITS

FOLDER = "code_refinement_small"
# one commit, so that the address keeps its content
ADDRESS = (
    "https://raw.githubusercontent.com/microsoft/CodeXGLUE/ac74a62802a0dd159b3258c78a2df8ad36cdf2b9/"
    "Code-Code/code-refinement/data/small"
)
#: Sides of a pair, the first of them is 1.
SIDES = ("buggy", "fixed")
PARTS = ("valid", "test")
#: Of one's own, if the first is there: the splits, named as CodeXGLUE names them.
OWN_PARTS = ("train", *PARTS)
SHA256: dict[str, tuple[str, ...]] = {
    f"{FOLDER}/valid.buggy-fixed.buggy": ("e83a0c524cdce5a4492dfe0c9bc7d642aa5ed267ddbae5ffd1e563fe54cae6b8",),
    f"{FOLDER}/valid.buggy-fixed.fixed": ("dc9c23594350988dcdaf456a1e8eea1dc86c81d1c0ff9985ff6d63d15196ffd2",),
    f"{FOLDER}/test.buggy-fixed.buggy": ("d2e675094f471b3bfbb9419eb7cf14dca11f8d41185319d3310cbc3f517df323",),
    f"{FOLDER}/test.buggy-fixed.fixed": ("e7ec462d00d253ddec3d1cef7a06cfc99db1cfe94039a6607ed14afeef6be04a",),
}
#: Of the ten parts into which the pairs are divided, those of the test and those that choose the epoch.
TENTHS, TEST, VALIDATION = 10, (0, 1), (2,)
#: Made-up pairs.
MADE_PAIRS = 80


class Repairs(CodeTask):
    """Say whether a method is the one before the repair: every pair gives one example of each answer.

    The validation and the test file of CodeXGLUE together (its training file is ten times as large and not at hand),
    divided anew by pair: both methods of a pair, and all copies of either, are in one part. Names are abstract
    (``VAR_1``, ``TYPE_2``), so that nothing of a project is left. The slice ``item`` is the pair with its copies.

    Attributes:
        data: CodeXGLUE's small set, or made-up methods.

    With ``allow_other=True`` and a file ``train.buggy-fixed.buggy`` beside the others, the three are the splits.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.CODE_REFINEMENT, card.MADE_FUNCTIONS)
    kind: Literal["code_repairs"] = "code_repairs"
    data: Literal["code_refinement", "generated"] = "code_refinement"
    length: Annotated[int, Field(ge=2)] = 128

    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        return _load(self.canonical, where, download)


def read_methods(
    where: files.Places, *, download: bool, allow_other: bool, parts: tuple[str, ...] = PARTS
) -> tuple[Read, list[int]]:
    """Pairs of a method before and after, of these files, and how many of each.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one, or two files have not as many lines.
    """
    pairs, sha256, own, sizes = [], {}, [], []
    for part in parts:
        both = []
        for side in SIDES:
            file = f"{part}.buggy-fixed.{side}"
            name = f"{FOLDER}/{file}"
            path = downloads.find_or_fetch(name, f"{ADDRESS}/{file}", SHA256, where, download=download, instead=INSTEAD)
            found = identity.read(path, name, SHA256, allow_other=allow_other)
            both.append(lines_of(found.content, path))
            sha256[f"{FOLDER}/{path.name}"] = found.sha256
            own += [path.name] * found.own
            if blank := next((number for number, line in enumerate(both[-1], start=1) if not line.strip()), None):
                raise DataError(f"{path}, line {blank}: should be a method, but is empty.")
        if len(both[0]) != len(both[1]):
            raise DataError(f"{path} has {len(both[1])} lines, but the file of the other side has {len(both[0])}.")
        pairs += list(zip(*both, strict=True))
        sizes.append(len(both[0]))
    if not pairs:
        raise DataError(f"{path} should hold methods, but there is none in it.")
    return Read(pairs, sha256, tuple(own)), sizes


def made_methods(seed: int) -> Read:
    """Made-up functions with and without the step too far."""
    rng = np.random.default_rng(seed)
    pairs = []
    for each in range(MADE_PAIRS):
        problem, start = each % len(PROBLEMS), int(rng.integers(2**31))
        pairs.append(tuple(made_function(np.random.default_rng(start), problem, bug=bug) for bug in (True, False)))
    return Read(pairs, {}, ())


def _cut(items: Int64[np.ndarray, " n"], what: str) -> dict[str, Int64[np.ndarray, " _"]]:
    """The places of every split, of ten parts."""
    tenth = grouped_folds(items, [0] * len(items), TENTHS, seed=0, what=what)
    return {
        "train": np.flatnonzero(~np.isin(tenth, (*TEST, *VALIDATION))),
        "validation": np.flatnonzero(np.isin(tenth, VALIDATION)),
        "test": np.flatnonzero(np.isin(tenth, TEST)),
    }


@kept(maxsize=2)
def _load(setting: Repairs, where: files.Places, download: bool) -> TaskData:
    own_splits = setting.allow_other and any(
        files.find([f"{FOLDER}/{OWN_PARTS[0]}.buggy-fixed.{side}{end}" for end in ("", ".gz")], where) for side in SIDES
    )
    if setting.data == "generated":
        read, source = made_methods(setting.data_seed), MADE
    else:
        options = {"download": download and not own_splits, "allow_other": setting.allow_other}
        read, sizes = read_methods(where, parts=OWN_PARTS if own_splits else PARTS, **options)
        source = identity.source_of("real:code_refinement", read.own)
    methods = list(chain.from_iterable(read.content))
    # a pair's two methods stand one after the other; a method that is one pair's repair may be another's bug
    pair = [place // 2 for place in range(len(methods))]
    items = merged(pair, [written_alike(each) for each in methods])
    if own_splits:
        part = np.repeat(np.arange(len(SPLITS)), np.array(sizes) * len(SIDES))
        refuse_shared(items, part, f"{source}: no pair with a method of another pair")
        places = {name: np.flatnonzero(part == number) for number, name in enumerate(SPLITS)}
    else:
        places = _cut(items, f"the repairs of {source} (those that share a method count as one)")
    tokens = [tokenise(each) for each in methods]
    vocabulary = vocabulary_of([tokens[each] for each in places["train"]], setting.vocabulary_size)
    splits = {
        name: single_split(
            [tokens[each] for each in chosen],
            [1 - each % 2 for each in chosen.tolist()],
            vocabulary,
            setting.length,
            source,
            item=items[chosen],
        )
        for name, chosen in places.items()
    }
    return task_data(setting, splits, vocabulary, read.sha256, ("fixed", "buggy"))
