"""Do students make their teachers' mistakes? Shares of equal answers, and the tidy frames that show them."""

import pandas as pd

from inductive_bias.studies.agreement.design import LADDER
from inductive_bias.studies.agreement.inheritance import SHORT, cell_of, whole
from inductive_bias.studies.vision.figures import mean_std

#: Whose answers a model's are compared with.
OVERLAPS = ("student without teacher", "taught, another seed's teacher", "taught, its own teacher")


def overlap_seeds(overlap: pd.DataFrame, student: str, split: str) -> pd.DataFrame:
    """Agreement with a teacher's answers beyond chance, every seed: ``teacher, whose, seed, value``.

    Chance is what two models of these accuracies share if their errors are independent. ``whose`` is one of
    `OVERLAPS`: the student without a teacher shows what equal data alone gives, another seed of the teacher what equal
    architecture gives.

    Args:
        overlap: the study's table ``error_overlap``.
        student: name of a model.
        split: ``test`` or ``attractors``.
    """
    rows = overlap[overlap["split"] == split]
    frames = []
    for teacher in LADDER:
        of = rows[rows["teacher"] == teacher]
        alone, taught = (of[of["student_cell"] == cell] for cell in (student, cell_of(teacher, student)))
        columns = ("agreement_with_teacher", "agreement_with_other_teacher", "agreement_with_teacher")
        for whose, part, column in zip(OVERLAPS, (alone, taught, taught), columns, strict=True):
            values = part[column] - part["chance"]
            frames.append(pd.DataFrame({"teacher": teacher, "whose": whose, "seed": part["seed"], "value": values}))
    return pd.concat(frames, ignore_index=True)


def overlap_table(overlap: pd.DataFrame, split: str) -> pd.DataFrame:
    """Mean ± standard deviation of the share of equal answers beyond chance, one row a pair."""
    rows = []
    for student in LADDER:
        seeds = overlap_seeds(overlap, student, split)
        for teacher in LADDER:
            row = {"student": whole(SHORT[student]), "teacher": whole(SHORT[teacher])}
            mine = seeds[seeds["teacher"] == teacher]
            found = {whose: mean_std(mine.loc[mine["whose"] == whose, "value"]) for whose in OVERLAPS}
            rows.append(row | {whose: text.replace("-", "−") for whose, text in found.items()})
    return pd.DataFrame(rows)
