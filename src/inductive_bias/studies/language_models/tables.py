"""Tables that compare language models and their students: final solutions, and paths of training.

They are of the last text that has all of these models. Models are compared with those of their number, which have read
the sentences in one order; over numbers, means are taken. Compared are the states that choose the verb, before the
verbs of 1,000 pairs.
"""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.language_models.design import MODELS, PAIRS, PATHS, cell
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
    """The runs of these students and teachers on one text, of the numbers of which there is every one."""
    designed = runs.design.cells(runs.scale)
    texts = dict.fromkeys(each["text"] for each in designed)
    text = [text for text in texts if all(cell(*pair, text=text) in designed for pair in pairs)][-1]
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
