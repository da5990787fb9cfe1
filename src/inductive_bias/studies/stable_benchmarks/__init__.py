"""Do stable recurrent networks perform worse? Free, stable and rescaled RNNs and LSTMs on real sequences."""

from pathlib import Path

from inductive_bias.studies.stable_benchmarks.claims import CLAIMS
from inductive_bias.studies.stable_benchmarks.design import DESIGN, TUNING
from inductive_bias.studies.stable_benchmarks.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="stable_benchmarks",
    question="Do stable recurrent networks perform worse?",
    part="Stable recurrent networks",
    design=DESIGN,
    pages=(
        Page(
            "stability/cost",
            question="How much worse is a network that is kept stable in training?",
            tests="on real tasks a stable network does about as well as a free one",
        ),
        Page(
            "stability/forgetting",
            question="How many past inputs change the output of a trained network?",
            tests="on data, free networks forget as if they were stable",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    sizes={
        "smoke": Size("generated chords, sentences, requests and bits", "tiny", "a minute"),
        "laptop": Size(
            "chorales, folk tunes, Wikipedia by letter and word, requests to an airline and assistant, a bit to hold",
            "tanh RNN, LSTM of 64 to 256 states",
            "eighteen hours of one core, half an hour of a GPU",
        ),
        "paper": Size("chorales, folk tunes", "the same, single pieces"),
    },
)
