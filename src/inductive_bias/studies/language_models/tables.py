"""Tables that compare language models and their students: final solutions, and paths of training.

They are of the generated sentences where a scale has these, and of WikiText-2 elsewhere. Of generated sentences every
number has its own. So models are compared with those of their number, on its sentences; over numbers, means are taken.
Compared are the states that choose the verb, before the verbs of 1,000 pairs.
"""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.language_models.design import GRAMMAR, MODELS, PAIRS, PATHS, WIKITEXT
from inductive_bias.studies.representations import path_table, similarity_of
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial


def by_number(_: Cell, number: int) -> int:
    """Runs are compared with those of their number."""
    return number


def solutions(runs: Runs) -> list[Trial]:
    """Every model, alone and taught."""
    return _of_numbers_with_all(runs, [*((model, NO_TEACHER) for model in MODELS), *PAIRS])


def on_paths(runs: Runs) -> list[Trial]:
    """The runs whose checkpoints are kept."""
    return _of_numbers_with_all(runs, PATHS)


def _of_numbers_with_all(runs: Runs, pairs: Sequence[tuple[str, str]]) -> list[Trial]:
    """The runs of these students and teachers, of the numbers of which there is every one."""
    text = GRAMMAR if GRAMMAR in runs.design.levels(runs.scale)["text"] else WIKITEXT
    cells = [runs.trials(text=text, model=model, teacher=teacher) for model, teacher in pairs]
    fewest = min(map(len, cells))
    return [trial for trials in cells for trial in trials[:fewest]]


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of every two trained models."""
    trials = solutions(runs)
    return similarity_of(trials, [runs.probed(trial) for trial in trials])


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, [on_paths(runs)])


TABLES = {
    "similarity": Table(similarity, uses=solutions, group=by_number),
    "paths": Table(paths, uses=on_paths, group=by_number),
}
