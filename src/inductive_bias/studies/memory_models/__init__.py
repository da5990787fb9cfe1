"""Does recurrence inside attention help models with memory? Three such models, with and without RSA."""

from pathlib import Path

from inductive_bias.studies.memory_models.claims import CLAIMS, PAGE
from inductive_bias.studies.memory_models.design import DESIGN, TUNING
from inductive_bias.studies.memory_models.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="memory_models",
    question="Does recurrence inside attention help models with memory?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            PAGE,
            question="Does recurrence inside attention help models with memory?",
            tests="RSA lowers the bits per character of three models that remember",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    min_seeds=3,
    sizes={
        "smoke": Size("sentences of a grammar", "tiny", "a minute"),
        "laptop": Size(
            "3.5 million characters of Wikipedia in the 27 of text8",
            "4 layers of width 128, 1,118 steps",
            "about 30 hours of one core",
        ),
        "paper": Size("text8", "14 layers of width 512, 400,000 steps"),
    },
)
