"""Where the models of the agreement study end, and which way they went, as tidy frames and maps.

A number is a place in a cell: LSTM *n* taught student *n*. Students of one architecture and number share their initial
weights and the order of their batches, whoever teaches them; undistilled models start elsewhere, so that they are
compared with students as groups and not in pairs.
"""

import pandas as pd

from inductive_bias.analysis import Interval, difference_interval, paired_difference_interval
from inductive_bias.studies import geometry as generic
from inductive_bias.studies.agreement.design import LADDER
from inductive_bias.studies.agreement.tables import PATH_CELLS
from inductive_bias.studies.claims import signed
from inductive_bias.studies.study import Results

#: Final models by architecture: the undistilled ones, then the students of each teacher.
BY_ARCHITECTURE = {model: (model, *(f"{teacher} → {model}" for teacher in LADDER)) for model in LADDER}
SOLUTION_CELLS = tuple(cell for cells in BY_ARCHITECTURE.values() for cell in cells)
#: Similarities of the study's tables, and the words for them.
FORMS = {"centred": "centred", "cosine": "cosine, as in the original code", "cka": "linear CKA"}


def architecture(cell: str) -> str:
    """What the models of a cell are, whoever taught them."""
    return cell.split(" → ")[-1]


def similarity_by_cell(results: Results, form: str) -> pd.DataFrame:
    """Mean similarity between models of two cells that differ in their initial weights, by ``SOLUTION_CELLS``."""
    return generic.similarity_by_cell(results.table("similarity"), form, SOLUTION_CELLS, family=architecture)


def similarity_to(results: Results, family: str, form: str, student: str = LADDER[0]) -> pd.DataFrame:
    """Mean similarity of the models of one architecture to an undistilled ``family``: columns ``cell, seed, value``."""
    table = generic.similarity_to(results.table("similarity"), family, form)
    return table[table["cell"].isin(BY_ARCHITECTURE[student])].reset_index(drop=True)


def towards_teachers(results: Results, form: str = "centred") -> pd.DataFrame:
    """How much nearer to its teacher's family a student is than an undistilled model of its architecture.

    Returns:
        One row a pair: ``teacher, student``; the mean similarities ``alone`` and ``taught``, of undistilled models and
        of students to the undistilled models of the teacher's architecture (a model itself left out); ``change``, the
        second minus the first with its Welch interval; ``own``, similarity to its own teacher minus that to the other
        seeds of the teacher, with its interval over students (paired).
    """
    table, rows = results.table("similarity"), []
    for teacher in LADDER:
        near = generic.similarity_to(table, teacher, form).groupby("cell")["value"].agg(list)
        for student in LADDER:
            taught, alone = near[f"{teacher} → {student}"], near[student]
            rows.append(
                {"teacher": teacher, "student": student, "alone": sum(alone) / len(alone),
                 "taught": sum(taught) / len(taught), "change": difference_interval(taught, alone),
                 "own": _own_teacher(table, teacher, student, form)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def _own_teacher(table: pd.DataFrame, teacher: str, student: str, form: str) -> Interval:
    """Similarity to the teacher of the same number minus the mean over its siblings; NaN if it has none."""
    pair = f"{teacher} → {student}"
    block = generic.similarity_square(table, form, list(dict.fromkeys((teacher, pair)))).loc[pair, teacher].to_numpy()
    own = block.diagonal()
    others = (block.sum(axis=1) - own) / max(len(block) - 1, 1)
    return paired_difference_interval(own.tolist(), others.tolist())


def teacher_table(results: Results, form: str = "centred") -> pd.DataFrame:
    """:func:`towards_teachers` as text, for a page."""
    found = towards_teachers(results, form)
    return pd.DataFrame(
        {
            "student": found["student"],
            "teacher": found["teacher"],
            "alone": found["alone"],
            "taught": found["taught"],
            "change": found["change"].map(signed),
            "own teacher − its siblings": found["own"].map(signed),
        }
    )


def nearness_table(results: Results, family: str, student: str = LADDER[0]) -> pd.DataFrame:
    """Similarity to ``family`` by cell: extremes over seeds (centred), and means by the three measures."""
    found = {form: similarity_to(results, family, form, student).groupby("cell", sort=False) for form in FORMS}
    extremes = found["centred"]["value"].agg(["min", "max"]).add_prefix("centred, ")
    means = {form: groups["value"].mean() for form, groups in found.items()}
    return extremes.assign(**means).rename_axis(index=None)


def solution_map(results: Results, form: str) -> pd.DataFrame:
    """All final models in one plane: columns ``cell, seed, across, up, stress, teacher, architecture``.

    ``teacher`` is empty for undistilled models.
    """
    frame = generic.solution_map(results.table("similarity"), form=form)
    teachers = [cell.split(" → ")[0] if "→" in cell else "" for cell in frame["cell"]]
    return frame.assign(teacher=teachers, architecture=frame["cell"].map(architecture))


def path_maps(results: Results) -> pd.DataFrame:
    """All checkpoints in a plane, one joint embedding a number: ``number, cell, epoch, across, up, stress``."""
    return generic.path_maps(results.table("paths"), PATH_CELLS)


def smoothness_by_seed(results: Results) -> pd.DataFrame:
    """Path length over the distance of its ends: columns ``cell, number, checkpoints, form, kind, value``."""
    return generic.smoothness_by_seed(results.table("paths"), PATH_CELLS)


def smoothness_table(results: Results) -> pd.DataFrame:
    """:func:`smoothness_by_seed` for a page: one row a form, kind and cell, and one column a seed of the teacher."""
    return generic.smoothness_table(smoothness_by_seed(results))


def path_steps(results: Results) -> pd.DataFrame:
    """Steps between consecutive checkpoints: columns ``cell, number, start, end, length`` (epochs, chord distance)."""
    return generic.path_steps(results.table("paths"), PATH_CELLS)


def distance_to_teacher(results: Results, form: str = "cosine") -> pd.DataFrame:
    """Chord distance of every Transformer checkpoint to the finished LSTM of its number."""
    return generic.distance_to_finished(results.table("paths"), PATH_CELLS[0], form=form)
