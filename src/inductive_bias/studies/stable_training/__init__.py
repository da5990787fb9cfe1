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
            "stability/truncation",
            question="How many of the last inputs does a recurrent network need?",
            tests="a stable network can be cut to a window, in use and in training",
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
