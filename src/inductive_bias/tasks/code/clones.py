"""Clones: Java functions of BigCloneBench that do the same, split by function; or by what they do."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from jaxtyping import Int64
from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.code.base import MADE, CodeTask, task_data
from inductive_bias.tasks.code.encoding import paired_split, vocabulary_of
from inductive_bias.tasks.code.made import PROBLEMS, made_function
from inductive_bias.tasks.code.parting import grouped_folds, merged, refuse_shared, written_alike
from inductive_bias.tasks.code.reading import read_records
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.own_splits import SPLITS, find_own_splits

FUNCTIONS, PAIRS = "code_clone/data.jsonl", "code_clone/test_sampled.txt"
FIELDS = {"func": str, "idx": str}
SHA256: dict[str, tuple[str, ...]] = {
    FUNCTIONS: ("372ef1a0fbfc0956c1603af7f7dbb99e818da37f000acca69a0e3ab01614e117",),
    PAIRS: ("7aba89432c62c493e1a1e272c09b99947f24fd93d09141e5609e9ec0c9603b32",),
}
#: Folds of functions. A pair is tested on if both are in one fold: with three folds that is a third of all pairs, with
#: five it were a fifth.
FOLDS = 3
#: Components of the positive pairs that are held out, the largest first: each of what many functions do alike.
COMPONENTS = 4
#: Parts of the functions outside these components, one of which is tested on with each of them; and parts of what is
#: not tested on, one of which chooses the epoch.
OTHERS = 4
#: Made-up functions, and pairs of them.
MADE_FUNCTIONS, MADE_PAIRS = 120, 1200


class Pairs(NamedTuple):
    """Functions, pairs of their places, and whether the two are clones.

    ``split`` numbers the split of every pair if each split has a file of its own.
    """

    functions: list[str]
    pairs: list[tuple[int, int]]
    labels: list[int]
    sha256: dict[str, str]
    own: tuple[str, ...]
    split: Int64[np.ndarray, " p"] | None = None


class Clones(CodeTask):
    """Say whether two functions do the same (BigCloneBench, Svajlenko et al. 2014; the sample of Yang et al. 2022).

    No function, and no copy of one, is on both sides of a split; pairs of functions from two parts are left out. With
    ``split="functions"`` fold k of three is tested on, so that all folds together test every function with those of its
    fold. With ``split="components"`` one of the four largest components of the positive pairs is: functions of a kind
    that was never learnt from, paired with each other (clones), and with a quarter of the functions outside the four
    (no clones). The slices ``item`` and ``other`` number the two functions.

    Attributes:
        data: BigCloneBench's, or made-up functions.
        split: By ``functions`` or by ``components``.
        fold: That is tested on: 0 to 2, or the component, 0 to 3.

    With ``allow_other=True`` the pairs of ``code_clone/test_sampled.train.txt``, ``test_sampled.validation.txt`` and
    ``test_sampled.test.txt`` are the splits, and nothing is cut.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.BIG_CLONE_BENCH, card.MADE_FUNCTIONS)
    sides: ClassVar[int] = 2
    kind: Literal["code_clones"] = "code_clones"
    data: Literal["big_clone_bench", "generated"] = "big_clone_bench"
    split: Literal["functions", "components"] = "functions"
    fold: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _fold_exists(self) -> "Clones":
        folds = FOLDS if self.split == "functions" else COMPONENTS
        if self.fold >= folds:
            raise ValueError(f"fold={self.fold} is none of split={self.split!r}: there are 0 to {folds - 1}")
        return self

    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        return _load(self.canonical, where, download)


def read_pairs(where: files.Places, *, allow_other: bool) -> Pairs:
    """Functions and pairs; the sample has no public file of its own (it is a part of a data set of attacks).

    Raises:
        DataError: If a file is missing, damaged, or not the expected one, or a pair has no functions; or if one's own
            has a function paired with itself, or a pair with both labels.
    """
    found = read_records(FUNCTIONS, FIELDS, SHA256, where, hub=None, download=False, allow_other=allow_other)
    place = {each["idx"]: number for number, each in enumerate(found.content)}
    if len(place) < len(found.content):
        twice = next(idx for idx, count in Counter(each["idx"] for each in found.content).items() if count > 1)
        raise DataError(f"{FUNCTIONS}: every function should have an idx of its own, but {twice!r} is there again.")
    ours = find_own_splits(PAIRS, where, allow_other=allow_other)
    pairs, labels, sizes, first, sha256, own = [], [], [], {}, dict(found.sha256), list(found.own)
    for path in (files.locate(PAIRS, where),) if ours is None else ours.values():
        read = identity.read(path, PAIRS, SHA256, allow_other=allow_other)
        before = len(pairs)
        for number, line in enumerate(lines_of(read.content, path), start=1):
            one, two, label = (*line.split("\t"), "", "", "")[:3]
            if not {one, two} <= set(place) or label not in ("0", "1"):
                raise DataError(f"{path}, line {number}: should be two known functions and 0 or 1, not {line!r:.60}.")
            if read.own or found.own:
                _refuse_contradictions(first, one, two, label, f"{path}, line {number}")
            pairs.append((place[one], place[two]))
            labels.append(int(label))
        if len(pairs) == before:
            raise DataError(
                f"{path} should hold pairs, two functions and 0 or 1 with tabs between, but there is none in it."
            )
        sizes.append(len(pairs) - before)
        sha256[f"code_clone/{path.name}"] = read.sha256
        own += [path.name] * read.own
    split = None if ours is None else np.repeat(np.arange(len(sizes)), sizes)
    return Pairs([each["func"] for each in found.content], pairs, labels, sha256, tuple(own), split)


def _refuse_contradictions(first: dict[frozenset[str], str], one: str, two: str, label: str, where: str) -> None:
    """Refuse a pair of one function, or with another label than before; ``first`` has the label of each pair so far."""
    if one == two:
        raise DataError(f"{where}: a pair should be of two functions, not of {one} with itself.")
    if first.setdefault(frozenset((one, two)), label) != label:
        raise DataError(
            f"{where}: a pair should have one label, but {one} and {two} stand above with the other (in any order)."
        )


def made_pairs(seed: int) -> Pairs:
    """Made-up functions of four problems and of eight others that nobody has twice."""
    rng = np.random.default_rng(seed)
    problems = rng.integers(len(PROBLEMS), size=MADE_FUNCTIONS)
    functions = [made_function(rng, int(each)) for each in problems]
    chosen = rng.integers(MADE_FUNCTIONS, size=(MADE_PAIRS * 6, 2))
    chosen = chosen[chosen[:, 0] != chosen[:, 1]]
    alike = problems[chosen[:, 0]] == problems[chosen[:, 1]]
    pairs = np.concatenate([chosen[alike == each][: MADE_PAIRS // 2] for each in (True, False)])
    labels = (problems[pairs[:, 0]] == problems[pairs[:, 1]]).astype(int).tolist()
    return Pairs(functions, [tuple(pair) for pair in pairs.tolist()], labels, {}, ())


def components(read: Pairs) -> Int64[np.ndarray, " n"]:
    """Rank of every function's component of clones by size, the largest 0; ties by their first function."""
    keys = [{place} for place in range(len(read.functions))]
    labels = merged(range(len(keys)), [written_alike(each) for each in read.functions])
    above = {int(each): int(each) for each in set(labels.tolist())}

    def top(group: int) -> int:
        while above[group] != group:
            group = above[group]
        return group

    for (one, two), label in zip(read.pairs, read.labels, strict=True):
        if label:
            above[top(int(labels[one]))] = top(int(labels[two]))
    tops = np.array([top(int(each)) for each in labels])
    ranked = sorted(set(tops.tolist()), key=lambda each: (-int((tops == each).sum()), int((tops == each).argmax())))
    return np.array([ranked.index(each) for each in tops.tolist()])


def parts_of_functions(read: Pairs, setting: Clones, source: str = MADE) -> Int64[np.ndarray, " n"]:
    """0 to learn from, 1 to choose the epoch by, 2 for the test: of every function."""
    groups = merged(range(len(read.functions)), [written_alike(each) for each in read.functions])
    rank = components(read)
    strata = np.minimum(rank, COMPONENTS).tolist()
    what = f"the functions of {source} (those of one text count as one)"
    if setting.split == "functions":
        tested = grouped_folds(groups, strata, FOLDS, seed=0, what=what) == setting.fold
    else:
        outside = np.flatnonzero(rank >= COMPONENTS)
        part = grouped_folds(
            groups[outside],
            [0] * len(outside),
            OTHERS,
            seed=0,
            what=f"{what} outside the {COMPONENTS} largest components",
        )
        tested = rank == setting.fold
        tested[outside[part == setting.fold]] = True
    rest = np.flatnonzero(~tested)
    # pairs of two functions that choose are the square of their share: a quarter leaves a sixteenth of the pairs
    rest_of = f"{what} that are not tested on"
    chooses = grouped_folds(groups[rest], [strata[each] for each in rest], OTHERS, seed=1, what=rest_of) == 0
    found = np.where(tested, 2, 0)
    found[rest[chooses]] = 1
    return found


def _parts_of_files(read: Pairs, source: str) -> Int64[np.ndarray, " n"]:
    """The split of every function, −1 for those in no pair, where every split has a file of pairs.

    Raises:
        DataError: if a function, or a copy of one, is in pairs of two splits.
    """
    groups = merged(range(len(read.functions)), [written_alike(each) for each in read.functions])
    sides = np.array(read.pairs)
    refuse_shared(groups[sides].ravel(), np.repeat(read.split, 2), f"{source}: no function, and no copy of one,")
    found = np.full(len(read.functions), -1)
    found[sides] = read.split[:, None]
    return found


@kept(maxsize=12)
def _load(setting: Clones, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        read, source = made_pairs(setting.data_seed), MADE
    else:
        read = read_pairs(where, allow_other=setting.allow_other)
        source = identity.source_of("real:big_clone_bench", read.own)
    if read.split is not None and setting.fold:
        raise DataError(f"fold={setting.fold} is none: the splits have files of their own")
    part = parts_of_functions(read, setting, source) if read.split is None else _parts_of_files(read, source)
    tokens = [tokenise(each) for each in read.functions]
    vocabulary = vocabulary_of([tokens[each] for each in np.flatnonzero(part == 0)], setting.vocabulary_size)
    splits = {}
    for number, name in enumerate(SPLITS):
        chosen = [each for each, pair in enumerate(read.pairs) if all(part[side] == number for side in pair)]
        pairs, labels = [read.pairs[each] for each in chosen], [read.labels[each] for each in chosen]
        if len(set(labels)) < 2:
            raise DataError(f"{source}: the part {name} has not both clones and others.")
        splits[name] = paired_split(
            tokens, pairs, labels, vocabulary, setting.length, source, item=_side(pairs, 0), other=_side(pairs, 1)
        )
    return task_data(setting, splits, vocabulary, read.sha256, ("others", "clones"))


def _side(pairs: Sequence[tuple[int, int]], side: int) -> list[int]:
    return [pair[side] for pair in pairs]
