"""What language models and their students find alike: tables of final solutions and of paths of training.

On the generated grammar every number has sentences of its own. So models are compared with those of their number, on
the sentences of that number; over numbers, means are taken. Compared are the states that choose the verb, before the
verbs of 1,000 pairs.
"""

import pandas as pd

from inductive_bias.studies.design import Cell
from inductive_bias.studies.language_models.design import CHOSEN_ONES, GRAMMAR, MODELS, PATHS
from inductive_bias.studies.representations import path_table, similarity_of
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial


def same_sentences(_: Cell, number: int) -> int:
    """Runs that are compared: those of a number."""
    return number


def solutions(runs: Runs) -> list[Trial]:
    """Every model, alone and taught."""
    return runs.trials(text=GRAMMAR, model=MODELS, **CHOSEN_ONES)


def on_paths(runs: Runs) -> list[Trial]:
    """The runs whose checkpoints are kept."""
    cells = [{"model": model, "teacher": teacher} for model, teacher in PATHS]
    return [trial for cell in cells for trial in runs.trials(text=GRAMMAR, **cell, **CHOSEN_ONES)]


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of every two trained models."""
    trials = solutions(runs)
    return similarity_of(trials, [runs.probed(trial) for trial in trials])


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, [on_paths(runs)])


TABLES = {
    "similarity": Table(similarity, uses=solutions, group=same_sentences),
    "paths": Table(paths, uses=on_paths, group=same_sentences),
}
