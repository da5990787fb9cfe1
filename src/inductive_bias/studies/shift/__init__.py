"""When do shortcuts fail? Automata on longer words and where ones are rare, by encoding of position."""

from pathlib import Path

from inductive_bias.studies.shift.claims import CLAIMS
from inductive_bias.studies.shift.design import DESIGN, TUNING
from inductive_bias.studies.shift.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="shift",
    question="When do shortcuts learnt by Transformers fail?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            "automata/shift",
            question="When do shortcuts learnt by Transformers fail?",
            tests="Transformers lose accuracy on longer words and if ones are rare; an LSTM does not",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    min_seeds=3,
    paper=Path(__file__).parent / "paper.csv",
    sizes={
        "smoke": Size("words of 1 to 3 actions, two automata", "tiny", "half a minute"),
        "laptop": Size(
            "words of 1 to 20 actions, tested to 80", "width 64, 2 layers", "six and a half hours of one core"
        ),
        "paper": Size("words of 1 to 40 actions, tested to 160", "width 128, 4 layers"),
    },
)
