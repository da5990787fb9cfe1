"""Tables of the agreement study that compare trials with one another: representations, paths and shared errors."""

from collections.abc import Iterator

import pandas as pd

from inductive_bias.studies.agreement.design import ALONE, LADDER, STANDARD, STRONG, TRAIN_MODE, WEAK, WHOLE
from inductive_bias.studies.agreement.examples import sentences
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Model and teacher of the runs whose training paths are compared.
PATHS = ((STRONG, NO_TEACHER), (WEAK, NO_TEACHER), (WEAK, STRONG), (WEAK, WEAK))


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation preambles."""
    return similarity_table(runs, runs.trials(model=LADDER, **WHOLE))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    cells = [runs.trials(model=model, teacher=teacher, **WHOLE) for model, teacher in PATHS]
    return path_table(runs, zip(*cells, strict=True))


def error_overlap(runs: Runs) -> pd.DataFrame:
    """How often a trial answers as a teacher of the model ``compared`` does, on each test.

    ``agreement_with_teacher`` is that with its own teacher, or for undistilled models the one of its number,
    ``agreement_with_other_teacher`` the mean over the other seeds of that cell, ``chance`` what two models of these
    accuracies share if their errors are independent.
    """
    taught = WHOLE | {"variant": (STANDARD, TRAIN_MODE)}
    trials = runs.trials(model=LADDER, **ALONE) + runs.trials(model=LADDER, teacher=LADDER, **taught)
    return pd.DataFrame(row for trial in trials for row in _overlaps(runs, trial))


def _overlaps(runs: Runs, trial: Trial) -> Iterator[dict[str, object]]:
    cell, number, _ = runs.design.members(runs.scale)[trial.id]
    data = runs.data(trial)
    for compared in LADDER if trial.teacher is None else [cell["teacher"]]:
        teachers = runs.trials(model=compared, **ALONE)
        for split in ("test", "attractors"):
            ours, *answers = (runs.logits(each, split).argmax(1) for each in (trial, *teachers))
            same = [float((ours == each).double().mean()) for each in answers]
            right, theirs = (float((each == data[split].labels).double().mean()) for each in (ours, answers[number]))
            others = [value for place, value in enumerate(same) if place != number]
            other = sum(others) / len(others)
            yield {
                "trial": trial.id,
                "compared": compared,
                "split": split,
                # an undistilled model is not compared with itself
                "agreement_with_teacher": other if teachers[number] == trial else same[number],
                "agreement_with_other_teacher": other,
                "chance": right * theirs + (1 - right) * (1 - theirs),
            }


TABLES = {make.__name__: Table(make) for make in (similarity, paths, error_overlap, sentences)}
