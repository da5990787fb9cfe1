"""Does recurrence inside attention help with code? Defects, clones, repairs and injected bugs."""

from inductive_bias.studies.code.claims import CLAIMS
from inductive_bias.studies.code.design import DESIGN, TUNING
from inductive_bias.studies.code.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="code",
    question="Does recurrence help to find defects and clones in code?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/code",
            question="Does recurrence help to find defects and clones in code?",
            tests="RSA helps a bidirectional Transformer to find defects and clones in code",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    min_seeds=3,
    sizes={
        "smoke": Size("made-up functions", "tiny", "a minute"),
        "laptop": Size(
            "Devign, BigCloneBench, POJ-104, repairs and Python’s own library",
            "356,000 parameters, width 64",
            "about six hours of one core",
        ),
        "paper": Size("the same, all batches and 128,000 pairs", "4.2 million parameters, width 256"),
    },
)
