"""How many layers does an automaton need? Transformers, RSA and LSTMs of several depths say every state."""

from pathlib import Path

from inductive_bias.studies.automata.claims import CLAIMS
from inductive_bias.studies.automata.design import BENCHMARK, DESIGN, TUNING
from inductive_bias.studies.automata.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="automata",
    question="How many layers does it take to simulate an automaton?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            "automata/depth",
            question="How many layers, and how much time, does it take to learn an automaton?",
            tests="Transformers learn shortcuts to automata, whose algebra sets the depth; an LSTM needs one layer",
        ),
        Page(
            "automata/explanation",
            question="Do attention and gradients show which inputs matter?",
            tests="attention, gradients and occlusion as explanations, where it is known which actions decide",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    measured=(BENCHMARK,),
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    sizes={
        "smoke": Size("words of 4 actions, three automata", "tiny", "half a minute"),
        "laptop": Size("words of 16 actions, eleven automata", "width 64, 1 to 6 layers", "eight hours of one core"),
        "paper": Size("words of 100 actions, eighteen automata", "width 128, 1 to 16 layers"),
    },
)
