"""Regular languages: which of them does recurrence in attention help to learn, and on which lengths?"""

from pathlib import Path

from inductive_bias.studies.regular_languages.design import DESIGN
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="regular_languages",
    question="Which regular languages does recurrence help to learn?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/languages",
            question="Are models accurate on strings longer than those in training?",
            tests="which languages are learnt in so few steps, by whom, and how far that reaches",
        ),
    ),
    sizes={
        "smoke": Size("generated strings", "tiny", "half a minute"),
        "laptop": Size(
            "strings of 16 languages", "eight mixers of tokens, about 17,000 weights", "about 45 min on 2 cores"
        ),
        "paper": Size("the same, published lengths", "the same"),
    },
    paper=Path(__file__).with_name("paper.csv"),
)
