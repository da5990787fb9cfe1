"""Tables of the agreement study that compare trials with one another: representations, paths and shared errors."""

from collections.abc import Iterator

import pandas as pd

from inductive_bias.studies.agreement import examples, lessons
from inductive_bias.studies.agreement.design import ALONE, BLOCK, PARTS, WHOLE
from inductive_bias.studies.agreement.parts import LADDER, STRONG, TRAIN_MODE, WEAK
from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.searching import STANDARD
from inductive_bias.trials import Trial

#: Model and teacher of the runs whose training paths are compared.
PATHS = ((STRONG, NO_TEACHER), (WEAK, NO_TEACHER), (WEAK, STRONG), (WEAK, WEAK))


def ladder(runs: Runs) -> list[Trial]:
    """Every rung, alone and taught by every rung."""
    return runs.trials(model=LADDER, **WHOLE)


def block(cell: Cell, number: int) -> tuple[str, int]:
    """Runs that are compared: those of a training set, or of some numbers of one that the study grows by."""
    return cell["data"], number // BLOCK if cell["data"] in PARTS else 0


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation preambles."""
    return similarity_table(runs, ladder(runs))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, zip(*_on_paths(runs), strict=True))


def _on_paths(runs: Runs) -> list[list[Trial]]:
    return [runs.trials(model=model, teacher=teacher, **WHOLE) for model, teacher in PATHS]


def error_overlap(runs: Runs) -> pd.DataFrame:
    """How often a trial answers as a teacher of the model ``compared`` does, on each test.

    ``agreement_with_teacher`` is that with its own teacher, or for undistilled models the one of its number,
    ``agreement_with_other_teacher`` the mean over the other seeds of that cell in its block, ``chance`` what two models
    of these accuracies share if their errors are independent.
    """
    return pd.DataFrame(row for trial in _answering(runs) for row in _overlaps(runs, trial))


def _answering(runs: Runs) -> list[Trial]:
    taught = WHOLE | {"variant": (STANDARD, TRAIN_MODE)}
    return runs.trials(model=LADDER, **ALONE) + runs.trials(model=LADDER, teacher=LADDER, **taught)


def _overlaps(runs: Runs, trial: Trial) -> Iterator[dict[str, object]]:
    members = runs.design.members(runs.scale)
    cell, number, _ = members[trial.id]
    data = runs.data(trial)
    for compared in LADDER if trial.teacher is None else [cell["teacher"]]:
        teachers = runs.trials(model=compared, **ALONE)
        own = [members[each.id][1] for each in teachers].index(number)
        for split in ("test", "attractors"):
            ours, *answers = (runs.logits(each, split).argmax(1) for each in (trial, *teachers))
            same = [float((ours == each).double().mean()) for each in answers]
            right, theirs = (float((each == data[split].labels).double().mean()) for each in (ours, answers[own]))
            others = [value for place, value in enumerate(same) if place != own]
            other = sum(others) / len(others)
            yield {
                "trial": trial.id,
                "compared": compared,
                "split": split,
                # an undistilled model is not compared with itself
                "agreement_with_teacher": other if teachers[own] == trial else same[own],
                "agreement_with_other_teacher": other,
                "chance": right * theirs + (1 - right) * (1 - theirs),
            }


TABLES = {
    "similarity": Table(similarity, uses=ladder, group=block),
    "paths": Table(paths, uses=lambda runs: [trial for cell in _on_paths(runs) for trial in cell], group=block),
    "error_overlap": Table(error_overlap, uses=_answering, group=block),
    "sentences": Table(examples.sentences, uses=examples.compared),
    # the teacher of a draw is compared with nothing
    "lessons": Table(lessons.lessons, uses=lessons.teachers, group=lambda cell, number: (cell["data"], number)),
}
