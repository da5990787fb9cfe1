"""Tables of the agreement study that compare trials with one another: representations, paths and shared errors."""

from collections.abc import Callable

import pandas as pd

from inductive_bias.studies.agreement.design import LADDER, PAIRS, TRAIN_MODE
from inductive_bias.studies.agreement.examples import sentences
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

#: Cells whose training paths are compared, the teacher first.
PATH_CELLS = ("LSTM", "Transformer", "LSTM → Transformer", "Transformer → Transformer")


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation preambles."""
    return similarity_table(runs, (*LADDER, *PAIRS))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, PATH_CELLS)


def error_overlap(runs: Runs) -> pd.DataFrame:
    """How often a model answers as a teacher does, beside what its accuracy alone would give.

    Returns:
        One row a model, teacher and test: ``student_cell, teacher, seed, split, agreement_with_teacher`` (its own
        teacher, or for undistilled models the one of its number), ``agreement_with_other_teacher`` (mean over the other
        seeds of that cell), ``chance`` (two models of these accuracies with independent errors).
    """
    taught = [(cell, cell.split(" → ")[0]) for cell in (*PAIRS, TRAIN_MODE)]
    alone = [(student, teacher) for student in LADDER for teacher in LADDER]
    return pd.DataFrame(
        _overlap(runs, cell, teacher, number, split)
        for cell, teacher in (*alone, *taught)
        for number in range(len(runs.cells[cell]))
        for split in ("test", "attractors")
    )


def _overlap(runs: Runs, cell: str, teacher: str, number: int, split: str) -> dict[str, object]:
    trial, teachers = runs.cells[cell][number], runs.cells[teacher]
    labels = runs.data(trial)[split].labels

    def answers(of: Trial):
        return runs.logits(of, split).argmax(1)

    ours = answers(trial)
    same = [float((ours == answers(other)).double().mean()) for other in teachers]
    right, theirs = (float((a == labels).double().mean()) for a in (ours, answers(teachers[number])))
    # an undistilled model is not compared with itself, nor a student with its teacher's place among the others
    others = [value for i, value in enumerate(same) if i != number]
    return {
        "student_cell": cell,
        "teacher": teacher,
        "seed": trial.seed,
        "split": split,
        "agreement_with_teacher": same[number] if cell != teacher else sum(others) / len(others),
        "agreement_with_other_teacher": sum(others) / len(others),
        "chance": right * theirs + (1 - right) * (1 - theirs),
    }


TABLES: dict[str, Callable[[Runs], pd.DataFrame]] = {
    "similarity": similarity,
    "paths": paths,
    "error_overlap": error_overlap,
    "sentences": sentences,
}
