"""Where does recurrence pay? Kind of signal × sample size, for an RNN, a Transformer and both in one."""

from inductive_bias.studies.signal_vs_samples.claims import CLAIMS
from inductive_bias.studies.signal_vs_samples.design import cells
from inductive_bias.studies.study import Study

STUDY = Study(
    name="signal_vs_samples",
    question="Where does recurrence pay?",
    cells=cells,
    tables={},
    claims=CLAIMS,
)
