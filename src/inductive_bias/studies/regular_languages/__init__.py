"""Regular languages and length: which of them does recurrence in attention help with, and how far?"""

from inductive_bias.studies.regular_languages.claims import CLAIMS
from inductive_bias.studies.regular_languages.design import cells
from inductive_bias.studies.study import Study

STUDY = Study(
    name="regular_languages",
    question="Which regular languages does recurrence in attention help with, and how far?",
    cells=cells,
    tables={},
    claims=CLAIMS,
)
