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
            question="Does recurrence help attention to learn regular languages, and to be right on longer strings?",
            tests="attention with recurrence is right on longer strings more often: for languages with periods, not "
            "for parity",
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
