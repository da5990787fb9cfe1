"""Few labels, other labels: what models learn of an automaton from little or from indirect supervision."""

from pathlib import Path

from inductive_bias.studies.study import Page, Size, Study
from inductive_bias.studies.supervision.claims import CLAIMS
from inductive_bias.studies.supervision.design import DESIGN, TUNING

STUDY = Study(
    name="supervision",
    question="How many labels are needed to learn an automaton?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            "automata/supervision",
            question="What do models learn about an automaton from few labels, or from a part of each state?",
            tests="with few labels Transformers fail and LSTMs do not; labels of a part of the state are enough",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    min_seeds=3,  # of the shares between; what is judged has four or more
    sizes={
        "smoke": Size("words of 4 actions, one automaton", "tiny", "half a minute"),
        "laptop": Size("words of 16 actions, four automata", "width 64, 1 to 6 layers", "nine hours of one core"),
        "paper": Size("words of 100 actions, four automata", "width 128, 1 to 16 layers"),
    },
)
