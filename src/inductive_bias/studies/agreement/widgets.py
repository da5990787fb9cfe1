"""Teacher and student under the reader's hands."""

from inductive_bias.plotting import PageWidget, forest_widget
from inductive_bias.studies.agreement.design import STRONG, WEAK
from inductive_bias.studies.agreement.measures import A_ACC, BETTER, teacher_effects
from inductive_bias.studies.results import Results


def change_by_a_teacher(results: Results) -> PageWidget:
    """Choose student, teacher and measure: what the teacher changes, beside three baselines."""
    return forest_widget(
        teacher_effects(results),
        choices={"teacher": "Teacher", "student": "Student", "measure": "Measure"},
        y="baseline",
        better=BETTER,
        start={"teacher": STRONG, "student": WEAK, "measure": A_ACC},
        words="{teacher} → {student}, {measure}:",
        instead="The first figure of this page has the differences from the student without a teacher.",
    )
