"""Programs: POJ-104, where two programs are clones if they solve the same problem; all test problems are new."""

from collections.abc import Mapping
from itertools import chain, combinations, islice
from typing import Annotated, ClassVar, Literal

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from inductive_bias.errors import DataError
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.code.base import MADE, CodeTask, task_data
from inductive_bias.tasks.code.encoding import paired_split, single_split, vocabulary_of
from inductive_bias.tasks.code.made import PROBLEMS, made_function
from inductive_bias.tasks.code.reading import Hub, read_records
from inductive_bias.tasks.code.token_files import tokens_of
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.kept import kept

FOLDER = "poj104"
#: The file of each split: problems 1–64, 65–80 and 81–104, 500 programs each.
NAMES = {"train": f"{FOLDER}/train.jsonl", "validation": f"{FOLDER}/valid.jsonl", "test": f"{FOLDER}/test.jsonl"}
FIELDS = {"label": int, "code": str}
SHA256: dict[str, tuple[str, ...]] = {
    NAMES["train"]: (
        "4f5a37f6976560ab231ba55172d787db890b12eaf1260096603864e8f3967df1",
        "fa35760146080b511995670814ea5adaa129e379e8c0f2b1378d7152b607e1c3",
    ),
    NAMES["validation"]: (
        "20fdb5d677966bf2fbdf9befe6aa5071c6a12f574e09794985b6cfafd28be888",
        "cae8300f846ffaad0550fbb5af910b75c6735e31f0362ec637546c47b48c97a7",
    ),
    NAMES["test"]: (
        "78d85ba50bc4999df25b7c556673a7ebc7f5d2be35af3834bbce2d7a3d4bdccb",
        "f33a7df50f14ec6567bace1202db84317dfc20b03aea843fc7fb60641e69606b",
    ),
}
HUB = "google/code_x_glue_cc_clone_detection_poj104"
#: Made-up programs of a problem, by split the problems.
MADE_PROGRAMS, MADE_PROBLEMS = 24, {"train": (0, 4), "validation": (4, 6), "test": (6, 8)}


class Programs(CodeTask):
    """Say whether two programs solve the same problem (Mou et al. 2016), and find those that do.

    Half of the pairs are of one problem. In a round every program is in one pair of each kind, so that no program is
    in many pairs. The slices ``item`` and ``other`` are the problems of the two. The split ``retrieval`` has single
    programs, labelled with their problem: as in CodeXGLUE, each of them asks for all others of its problem (MAP@R).

    Attributes:
        data: POJ-104, or made-up programs.
        pairs: To learn from.
        held_out: Pairs of the test; the validation part has a quarter of them.
        retrieved: Programs of each test problem among which clones are sought; None for all 500, as in the benchmark.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.POJ104, card.MADE_FUNCTIONS)
    sides: ClassVar[int] = 2
    kind: Literal["code_programs"] = "code_programs"
    data: Literal["poj104", "generated"] = "poj104"
    pairs: Annotated[int, Field(ge=2)] = 32_000
    held_out: Annotated[int, Field(ge=2)] = 2_000
    retrieved: Annotated[int, Field(ge=2)] | None = None

    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        return _load(self.canonical, where, download)


def pairs_of(
    problems: Int64[np.ndarray, " n"], wanted: int, *, seed: int, what: str = "programs"
) -> list[tuple[int, int]]:
    """Places of two programs each: of one problem in turn with those of two.

    Rounds go on until there are enough; a round pairs every program once with one of its problem, and once with one of
    another (those few that meet their own are left out).

    Raises:
        DataError: if there are not two problems, or none has two programs.
    """
    _, counts = np.unique(problems, return_counts=True)
    if len(counts) < 2 or counts.max() < 2:
        raise DataError(
            f"{what} should be of two problems at least, one of them with two programs, to be paired: there are "
            f"{len(problems)} of {len(counts)}."
        )
    rng, alike, other = np.random.default_rng(seed), [], []
    while min(len(alike), len(other)) < (wanted + 1) // 2:
        order = rng.permutation(len(problems))
        by_problem = [order[problems[order] == problem] for problem in np.unique(problems)]
        together = [pair for own in by_problem for pair in zip(own[::2], own[1::2], strict=False)]
        alike += [together[each] for each in rng.permutation(len(together))]
        order = rng.permutation(len(problems))
        other += [pair for pair in zip(order[::2], order[1::2], strict=False) if problems[pair[0]] != problems[pair[1]]]
    both = (pair for two in zip(alike, other, strict=False) for pair in two)
    return [(int(one), int(two)) for one, two in islice(both, wanted)]


def made_programs(setting: Programs) -> dict[str, list[dict[str, object]]]:
    """Made-up programs; no problem is in two splits."""
    rng = np.random.default_rng(setting.data_seed)
    assert max(last for _, last in MADE_PROBLEMS.values()) == len(PROBLEMS)
    return {
        name: [
            {"label": problem, "code": made_function(rng, problem)}
            for problem in range(*ends)
            for _ in range(MADE_PROGRAMS)
        ]
        for name, ends in MADE_PROBLEMS.items()
    }


def _row(row: dict[str, object]) -> dict[str, object]:
    return {"label": int(row["label"]), "code": row["code"]}


@kept(maxsize=2)
def _load(setting: Programs, where: files.Places, download: bool) -> TaskData:
    sha256, own = {}, []
    if setting.data == "generated":
        parts = made_programs(setting)
    else:
        parts = {}
        for name, file in NAMES.items():
            read = read_records(
                file,
                FIELDS,
                SHA256,
                where,
                hub=Hub(HUB, name, _row),
                download=download,
                allow_other=setting.allow_other,
            )
            parts[name], sha256, own = read.content, sha256 | read.sha256, [*own, *read.own]
    source = MADE if setting.data == "generated" else identity.source_of("real:poj104", own)
    sources = {name: [each["code"] for each in part] for name, part in parts.items()}
    if setting.data == "generated":
        tokens = {name: [tokenise(each) for each in part] for name, part in sources.items()}
    else:
        every = iter(tokens_of(list(chain.from_iterable(sources.values())), sha256))
        tokens = {name: list(islice(every, len(part))) for name, part in sources.items()}
    problems = {name: np.array([each["label"] for each in part]) for name, part in parts.items()}
    if own:
        _refuse_shared(problems, source)
    vocabulary = vocabulary_of(tokens["train"], setting.vocabulary_size)
    wanted = {"train": setting.pairs, "validation": max(2, setting.held_out // 4), "test": setting.held_out}
    splits = {}
    for seed, name in enumerate(parts):
        pairs = pairs_of(problems[name], wanted[name], seed=seed, what=f"{source}: the programs of {name}")
        one, two = (problems[name][[pair[side] for pair in pairs]] for side in (0, 1))
        splits[name] = paired_split(
            tokens[name],
            pairs,
            (one == two).astype(int).tolist(),
            vocabulary,
            setting.length,
            source,
            item=one.tolist(),
            other=two.tolist(),
        )
    sought = _sought(problems["test"], setting.retrieved)
    splits["retrieval"] = single_split(
        [tokens["test"][each] for each in sought], problems["test"][sought].tolist(), vocabulary, setting.length, source
    )
    return task_data(setting, splits, vocabulary, sha256, ("others", "clones"))


def _refuse_shared(problems: Mapping[str, Int64[np.ndarray, " _"]], source: str) -> None:
    """Refuse problems that are in two parts, and problems of the test with a single program, which has none to find."""
    for one, two in combinations(problems, 2):
        if len(shared := np.intersect1d(problems[one], problems[two])):
            raise DataError(f"{source}: no problem should be in two parts, but {shared[0]} is in {one} and {two}.")
    labels, counts = np.unique(problems["test"], return_counts=True)
    if counts.min() < 2:
        raise DataError(
            f"{source}: each problem of the test should have two programs at least, but {labels[counts.argmin()]} has "
            "one."
        )


def _sought(problems: Int64[np.ndarray, " n"], each: int | None) -> list[int]:
    """Places of the programs among which clones are sought, so many of every problem drawn at random."""
    order = np.random.default_rng(9).permutation(len(problems))
    return sorted(int(place) for problem in np.unique(problems) for place in order[problems[order] == problem][:each])
