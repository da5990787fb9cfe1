"""A REM against a free position matrix in the same place: which one improves a character model more?"""

from pathlib import Path

from inductive_bias.studies.rem_vs_toeplitz.claims import CLAIMS
from inductive_bias.studies.rem_vs_toeplitz.design import DESIGN, TUNING
from inductive_bias.studies.rem_vs_toeplitz.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="rem_vs_toeplitz",
    question="Is a recurrence matrix of five numbers better than a free position matrix?",
    part="Recurrence inside attention",
    design=DESIGN,
    tuning=TUNING,
    pages=(
        Page(
            "attention/memory",
            "Does recurrence inside attention save bits per character, with and without a memory?",
            tests="beside attention, a recurrence matrix of five numbers is better than a free matrix of hundreds, and "
            "lowers the bits of three models that remember",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    sizes={
        "smoke": Size("generated text", "tiny", "half a minute"),
        "laptop": Size(
            "Tiny Shakespeare, by characters",
            "twenty-three mixers of tokens, about 110,000 weights",
            "about 2 h 45 min on 2 cores",
        ),
        "paper": Size("text8", "14 layers", "one GPU; not measured yet"),
    },
    paper=Path(__file__).with_name("paper.csv"),
)
