"""What language models and their students find alike: tables of final solutions and of paths of training.

They are of the generated sentences where a scale has these, and of WikiText-2 elsewhere. Of generated sentences every
number has its own. So models are compared with those of their number, on its sentences; over numbers, means are taken.
Compared are the states that choose the verb, before the verbs of 1,000 pairs.
"""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.analysis.geometry import similarity_to
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.language_models.design import CHOSEN_ONES, GRAMMAR, MODELS, PAIRS, PATHS, WIKITEXT
from inductive_bias.studies.representations import path_table, similarity_of
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired


def same_sentences(_: Cell, number: int) -> int:
    """Runs that are compared: those of a number."""
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
    cells = [runs.trials(text=text, model=model, teacher=teacher, **CHOSEN_ONES) for model, teacher in pairs]
    fewest = min(map(len, cells))
    return [trial for trials in cells for trial in trials[:fewest]]


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of every two trained models."""
    trials = solutions(runs)
    return similarity_of(trials, [runs.probed(trial) for trial in trials])


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, [on_paths(runs)])


def nearer(similarities: pd.DataFrame, student: Level, teacher: Level, *, form: str) -> Contrast:
    """How much more similar to models of its teacher's kind a student is than the student of its own kind.

    Both have the same first weights and order of sentences, so that they are paired by number.
    """
    near = similarity_to(similarities, form, model=teacher, teacher=NO_TEACHER)
    theirs = near[near["model"] == student].set_index(["teacher", "number"])["value"]
    return paired(theirs[teacher], theirs[student], name=f"{student}, towards {teacher}", unit="similarity")


TABLES = {
    "similarity": Table(similarity, uses=solutions, group=same_sentences),
    "paths": Table(paths, uses=on_paths, group=same_sentences),
}
