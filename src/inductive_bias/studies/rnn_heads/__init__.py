"""An RNN as a sum of attention heads: exactly, if it is linear; and how much of a tanh RNN or an LSTM that explains."""

from inductive_bias.studies.rnn_heads.claims import CLAIMS
from inductive_bias.studies.rnn_heads.design import cells
from inductive_bias.studies.rnn_heads.tables import TABLES
from inductive_bias.studies.study import Study

STUDY = Study(
    name="rnn_heads",
    question="Is an RNN a sum of attention heads?",
    cells=cells,
    tables=TABLES,
    claims=CLAIMS,
)
