"""Which networks solve tasks that need a state, a stack or a tape? RNN, LSTM, Transformers and RSA compared."""

from pathlib import Path

from inductive_bias.studies.chomsky.claims import CLAIMS
from inductive_bias.studies.chomsky.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="chomsky",
    question="Which networks solve tasks that need a state, stack or tape?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            "automata/memory",
            question="Which networks solve tasks that need a state, stack or tape?",
            tests="Transformers fail at longer strings of tasks that an RNN solves, and both fail if a stack is needed",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    # one run of any encoding proves that a score is reached; that none is, takes more of each, as recurrent models have
    min_seeds=1,
    sizes={
        "smoke": Size("strings of 1 to 4 symbols, tested to 7", "tiny", "a few seconds"),
        "laptop": Size(
            "strings of 1 to 40 symbols, tested to 160",
            "recurrent ones of 128 states, encoders of 2 layers, width 64",
            "six and a half hours of one core",
        ),
        "paper": Size(
            "strings of 1 to 40 symbols, tested to 500", "recurrent ones of 256 states, encoders of 5 layers, width 64"
        ),
    },
)
