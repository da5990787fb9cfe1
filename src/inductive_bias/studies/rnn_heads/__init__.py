"""An RNN as a sum of attention heads: exactly, if it is linear; and how much of a tanh RNN or an LSTM that explains."""

from inductive_bias.studies.rnn_heads.claims import CLAIMS
from inductive_bias.studies.rnn_heads.design import DESIGN
from inductive_bias.studies.rnn_heads.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="rnn_heads",
    question="Is an RNN a sum of attention heads?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/rnn_heads",
            question="Can attention with fixed weights replace an RNN, and how large is the error?",
            tests="a linear RNN is exactly a sum of attention heads; how much of other RNNs is linear",
        ),
        Page(
            "attention/rem",
            question="What do the attention weights of a linear recurrence look like?",
            tests="the six kinds of recurrence encoding matrices, to look at and to move",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    sizes={
        "smoke": Size("generated signals", "tiny", "half a minute"),
        "laptop": Size("generated signals", "linear RNN, tanh RNN, LSTM of 16 states", "about ten minutes on 2 cores"),
        "paper": Size("the same, longer", "64 states"),
    },
)
