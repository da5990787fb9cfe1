"""Teacher and student under the reader's hands."""

from collections.abc import Iterator, Sequence

import pandas as pd

from inductive_bias.plotting import PageWidget, forest_widget
from inductive_bias.studies.agreement.design import cell
from inductive_bias.studies.agreement.measures import A_ACC, ACCURACY, ECE, ECE_PAPER, difference
from inductive_bias.studies.agreement.parts import LADDER, MAIN, STRONG, WEAK
from inductive_bias.studies.design import Cell
from inductive_bias.studies.results import Results

#: What a student gains by having a teacher at all.
ALONE = "minus the student alone"
#: What can be chosen, and whether more of it is better.
BETTER = {ACCURACY: 1, A_ACC: 1, ECE_PAPER: -1, ECE: -1}


def loans(results: Results) -> PageWidget:
    """Choose student, teacher and measure: what the teacher changes, beside three baselines."""
    return forest_widget(
        differences(results),
        choices={"teacher": "Teacher", "student": "Student", "measure": "Measure"},
        y="baseline",
        better=BETTER,
        start={"teacher": STRONG, "student": WEAK, "measure": A_ACC},
        words="{teacher} → {student}, {measure}:",
        instead="The first figure of this page has the differences from the student without a teacher.",
    )


def differences(
    results: Results, *, only: str | None = None, data: str = MAIN, measures: Sequence[str] = tuple(BETTER)
) -> pd.DataFrame:
    """Every taught student minus each of its :func:`baselines`, or ``only`` one, with the package's 95 % intervals."""
    rows = []
    for student in LADDER:
        for teacher in LADDER:
            for words, baseline in baselines(student, teacher, data):
                if only not in (None, words):
                    continue
                for measure in measures:
                    found = difference(results, measure, cell(student, teacher, data=data), baseline)
                    rows.append((teacher, student, measure, words, found.estimate, found.low, found.high, str(found)))
    columns = ["teacher", "student", "measure", "baseline", "estimate", "low", "high", "text"]
    return pd.DataFrame(rows, columns=columns)


def baselines(student: str, teacher: str, data: str = MAIN) -> Iterator[tuple[str, Cell]]:
    """What a taught student is compared with; for a teacher of its own kind the first is all there is."""
    yield ALONE, cell(student, data=data)
    if teacher != student:
        yield "minus taught by own kind", cell(student, student, data=data)
        yield "minus its teacher", cell(teacher, data=data)
