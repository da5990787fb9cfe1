"""Subject–verb agreement: does more recurrence help, and can a Transformer inherit it?"""

from inductive_bias.studies.agreement.claims import CLAIMS
from inductive_bias.studies.agreement.design import cells
from inductive_bias.studies.agreement.tables import TABLES
from inductive_bias.studies.study import Study

STUDY = Study(
    name="agreement",
    question="Does more recurrence help with subject–verb agreement, and can a Transformer inherit it?",
    cells=cells,
    tables=TABLES,
    claims=CLAIMS,
)
