"""How near trained models come to a family that learnt alone; similarities of what they find alike.

Students of one architecture and number share their initial weights and the order of their batches, whoever teaches
them: a student and its *twin*, which its own kind taught, are compared in pairs. Models that learnt alone start
elsewhere, so that they are compared with students as groups.

Runs are compared with those of their block of :data:`~inductive_bias.studies.agreement.design.BLOCK` numbers, so that
the runs of a block share whom they are compared with: alone of their own kind, two models give one similarity twice.
What is drawn anew is the block. A value is the mean over the runs of a block.
"""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.analysis.geometry import similarity_to
from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import ALONE, BLOCK
from inductive_bias.studies.agreement.parts import LADDER
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.verdicts import Contrast, paired, unpaired

#: What a diverged run counts as: it resembles nobody.
UNLIKE = 0.0


def near(similarities: pd.DataFrame, family: str, model: str, teacher: str, form: str = "centred") -> pd.Series:
    """Mean similarity of the runs of a cell to a ``family`` that learnt alone (each itself left out), by block."""
    rows = similarity_to(similarities, form, model=family, **ALONE)
    rows = rows[(rows["model"] == model) & (rows["teacher"] == teacher)]
    return by_block(rows.set_index("number")["value"])


def by_block(values: pd.Series) -> pd.Series:
    """The mean over the runs of each block, from the value of each number; a diverged run counts as :data:`UNLIKE`."""
    return values.fillna(UNLIKE).groupby(values.index // BLOCK).mean()


def moved(similarities: pd.DataFrame, family: str, model: str, form: str = "centred") -> Contrast:
    """How much nearer to its teacher's family a student is than its twin."""
    blocks = (near(similarities, family, model, teacher, form) for teacher in (family, model))
    name, unit = f"{short(model)} by {short(family)} − its twin", f"similarity ({form}) to {short(family)}s"
    return paired(*blocks, name=name, unit=unit, failed_value=UNLIKE)


def own_teacher(similarities: pd.DataFrame, family: str, model: str, form: str = "centred") -> Contrast:
    """How much more like its own teacher a student is than like the other seeds of that teacher's cell."""
    rows = similarities[similarities["form"] == form]
    for name, level in {"model_a": model, "teacher_a": family, "model_b": family, "teacher_b": NO_TEACHER}.items():
        rows = rows[rows[name] == level]
    same = rows["number_a"] == rows["number_b"]
    blocks = (by_block(part.groupby("number_a")["value"].mean()) for part in (rows[same], rows[~same]))
    return paired(*blocks, name="own teacher − its siblings", unit=f"similarity ({form})", failed_value=UNLIKE)


def towards_teachers(similarities: pd.DataFrame, form: str = "centred") -> pd.DataFrame:
    """All pairs: how similar to its teacher's family a model of the student's kind is ``alone``, and ``taught`` by it.

    With contrasts: ``against alone`` (groups), ``against its twin`` (pairs; None of a twin), ``own − siblings``.
    """
    rows = []
    for teacher in LADDER:
        for student in LADDER:
            taught, alone = (near(similarities, teacher, student, each, form) for each in (teacher, NO_TEACHER))
            change = unpaired(taught, alone, name="taught − alone", unit="similarity", failed_value=UNLIKE)
            rows.append(
                {
                    "student": student,
                    "teacher": teacher,
                    "alone": alone.mean(),
                    "taught": taught.mean(),
                    "against alone": change,
                    "against its twin": None if student == teacher else moved(similarities, teacher, student, form),
                    "own − siblings": own_teacher(similarities, teacher, student, form),
                }
            )
    return pd.DataFrame(rows)


def grouped(
    similarities: pd.DataFrame, by: str, *, models: Sequence[str] = LADDER, form: str = "centred"
) -> pd.DataFrame:
    """Mean similarity of two models of two groups, a square: ``by`` architecture (``model``) or by ``teacher``.

    Models of one architecture and one seed, which have the same first weights, and each with itself are left out.
    """
    rows = similarities[similarities["form"] == form]
    for end in ("model_a", "model_b"):
        rows = rows[rows[end].isin(models)]
    twins = (rows["model_a"].astype(str) == rows["model_b"].astype(str)) & (rows["seed_a"] == rows["seed_b"])
    levels = [name for name in rows[f"{by}_a"].cat.categories if (rows[f"{by}_a"] == name).any()]
    square = rows[~twins].pivot_table(index=f"{by}_a", columns=f"{by}_b", values="value", observed=True)
    return square.reindex(index=levels, columns=levels).rename_axis(index=None, columns=None)
