"""Defects: the public part of Devign, C functions of FFmpeg and qemu that a commit repaired, and others."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from inductive_bias.errors import DataError
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.code.base import MADE, CodeTask, task_data
from inductive_bias.tasks.code.encoding import single_split, vocabulary_of
from inductive_bias.tasks.code.made import PROBLEMS, made_function
from inductive_bias.tasks.code.parting import grouped_folds, merged, refuse_shared, written_alike
from inductive_bias.tasks.code.reading import Hub, Read, read_records
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.own_splits import SPLITS, find_own_splits, name_of

NAME = "code_defect/devign_test.jsonl"
FIELDS = {"project": str, "commit_id": str, "target": int, "func": str}
#: Of the file as it circulates, and of the one that is written from the hub.
SHA256: dict[str, tuple[str, ...]] = {
    NAME: (
        "1cd9a42e802ee6ef699d4f591cc854aba36f2923f3821933a81753414683fecf",
        "5c3a0a3187e56c6b20319fcc1a7fb1944ae4613a434e46468227c18996f7b183",
    )
}
HUB = Hub(
    "google/code_x_glue_cc_defect_detection",
    "test",
    lambda row: {each: int(row[each]) if each == "target" else row[each] for each in FIELDS},
)
#: Folds, and parts of what is not tested on of which one chooses the epoch.
FOLDS, PARTS = 5, 8
#: Made-up functions.
MADE_FUNCTIONS = 160


class Defects(CodeTask):
    """Say whether a function was repaired by a later commit (Zhou et al. 2019, Devign).

    Only the test part of CodeXGLUE is at hand, so that it is divided into five folds of its own, evenly by project and
    answer. All functions of a commit are in one fold: a third of them share their commit with others, and every commit
    has a single answer. The slice ``group`` is the project, ``item`` the commit.

    Attributes:
        data: Devign's, or made-up functions.
        fold: That is tested on; of the others an eighth chooses the epoch.

    With ``allow_other=True`` the files ``code_defect/devign_test.train.jsonl``, ``devign_test.validation.jsonl`` and
    ``devign_test.test.jsonl`` are the splits.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.DEVIGN, card.MADE_FUNCTIONS)
    groups: ClassVar[tuple[str, ...]] = ("FFmpeg", "qemu")
    kind: Literal["code_defects"] = "code_defects"
    data: Literal["devign", "generated"] = "devign"
    fold: Annotated[int, Field(ge=0, lt=FOLDS)] = 0

    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        return _load(self.canonical, where, download)


def made_defects(seed: int) -> Read:
    """Made-up functions, some of which go one step too far."""
    rng = np.random.default_rng(seed)
    records = [
        {
            "project": Defects.groups[each // 2 % 2],
            "commit_id": str(each // 3),
            "target": each % 2,
            "func": made_function(rng, int(rng.integers(len(PROBLEMS))), bug=bool(each % 2)),
        }
        for each in range(MADE_FUNCTIONS)
    ]
    return Read(records, {}, ())


def _read(setting: Defects, where: files.Places, download: bool) -> tuple[Read, Int64[np.ndarray, " n"] | None]:
    """The functions, and the number of the split of each if every split has a file of its own."""
    among = {"project": Defects.groups, "target": (0, 1)}
    options = {"download": download, "allow_other": setting.allow_other, "among": among}
    if find_own_splits(NAME, where, allow_other=setting.allow_other) is None:
        return read_records(NAME, FIELDS, SHA256, where, hub=HUB, **options), None
    if setting.fold:
        raise DataError(f"fold={setting.fold} is none: the splits have files of their own")
    each = [read_records(name_of(NAME, split), FIELDS, {}, where, hub=None, **options) for split in SPLITS]
    sizes = [len(part.content) for part in each]
    together = Read(
        [record for part in each for record in part.content],
        {name: digest for part in each for name, digest in part.sha256.items()},
        tuple(name for part in each for name in part.own),
    )
    return together, np.repeat(np.arange(len(SPLITS)), sizes)


def _cut(
    setting: Defects, records: list[Mapping[str, Any]], items: Int64[np.ndarray, " n"], what: str
) -> dict[str, Int64[np.ndarray, " _"]]:
    """The places of every split: a fold is tested on, and an eighth of the others chooses."""
    strata = [(each["project"], each["target"]) for each in records]
    fold = grouped_folds(items, strata, FOLDS, seed=0, what=what)
    rest = np.flatnonzero(fold != setting.fold)
    part = grouped_folds(
        items[rest], [strata[each] for each in rest], PARTS, seed=1, what=f"{what} outside fold {setting.fold}"
    )
    return {"train": rest[part > 0], "validation": rest[part == 0], "test": np.flatnonzero(fold == setting.fold)}


@kept(maxsize=8)
def _load(setting: Defects, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        read, source, parts = made_defects(setting.data_seed), MADE, None
    else:
        read, parts = _read(setting, where, download)
        source = identity.source_of("real:devign", read.own)
    records = read.content
    items = merged([each["commit_id"] for each in records], [written_alike(each["func"]) for each in records])
    if parts is None:
        chosen = _cut(setting, records, items, f"the commits of {source} (those that share a function count as one)")
    else:
        refuse_shared(items, parts, f"{source}: no commit, and no copy of a function,")
        chosen = {name: np.flatnonzero(parts == number) for number, name in enumerate(SPLITS)}
    tokens = [tokenise(each["func"]) for each in records]
    vocabulary = vocabulary_of([tokens[each] for each in chosen["train"]], setting.vocabulary_size)
    splits = {
        name: single_split(
            [tokens[each] for each in places],
            [records[each]["target"] for each in places],
            vocabulary,
            setting.length,
            source,
            item=items[places],
            group=[setting.groups.index(records[each]["project"]) for each in places],
        )
        for name, places in chosen.items()
    }
    return task_data(setting, splits, vocabulary, read.sha256, ("sound", "defective"))
