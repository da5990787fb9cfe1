"""Does training on truncated inputs give the same weights? The distance between the weights of twins."""

from inductive_bias.studies.stable_training.claims import CLAIMS
from inductive_bias.studies.stable_training.design import DESIGN
from inductive_bias.studies.stable_training.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="stable_training",
    question="Does training on truncated inputs give the same weights?",
    part="Stable recurrent networks",
    design=DESIGN,
    pages=(
        Page(
            "stability/training",
            question="Does a stable network learn the same weights from the end of each window?",
            tests="weights of full and truncated training differ by less the longer the window",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    sizes={
        "smoke": Size("generated sentences", "tiny", "half a minute"),
        "laptop": Size("5,000,000 characters of Wikipedia", "tanh RNN of 32 states", "35 minutes of one core"),
        "paper": Size("36,000,000 characters of Wikipedia", "tanh RNN of 64 states"),
    },
)
