"""A REM against a free position matrix in the same place: is it the form that helps a character model?"""

from inductive_bias.studies.rem_vs_toeplitz.claims import CLAIMS
from inductive_bias.studies.rem_vs_toeplitz.design import cells
from inductive_bias.studies.rem_vs_toeplitz.tables import TABLES
from inductive_bias.studies.study import Study

STUDY = Study(
    name="rem_vs_toeplitz",
    question="Beside attention, does a recurrence matrix of five numbers help more than a free position matrix?",
    cells=cells,
    tables=TABLES,
    claims=CLAIMS,
)
