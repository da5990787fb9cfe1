"""When are the last inputs enough? The gap between a network and its truncated twin, against the bound."""

from inductive_bias.studies.study import Page, Size, Study
from inductive_bias.studies.truncation.claims import CLAIMS
from inductive_bias.studies.truncation.design import DESIGN
from inductive_bias.studies.truncation.tables import TABLES

STUDY = Study(
    name="truncation",
    question="When does a recurrent network need only its last inputs?",
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
        "smoke": Size("generated sentences, random networks", "tiny", "half a minute"),
        "laptop": Size(
            "1,000,000 characters of Wikipedia, random networks",
            "tanh RNN, LSTM of 64 states",
            "half an hour of one core",
        ),
        "paper": Size("5,000,000 characters of Wikipedia, random networks", "256 states"),
    },
)
