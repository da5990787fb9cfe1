"""Does an MLP need more examples than an LSTM? Parity of whole strings, for models with and without shared steps."""

from inductive_bias.studies.sharing.claims import CLAIMS, PAGE
from inductive_bias.studies.sharing.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="sharing",
    question="Does an MLP need more training examples than an LSTM?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            PAGE,
            question="Does an MLP need more training examples than an LSTM?",
            tests="to learn parity an MLP needs a share of all strings, and an LSTM a fixed number",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    min_seeds=3,
    sizes={
        "smoke": Size("strings of 3 and 4 bits", "tiny", "a few seconds"),
        "laptop": Size("strings of 6 to 12 bits, 8 to 2,048 of them", "about 34,000 parameters", "three to five hours"),
        "paper": Size("strings of 6 to 18 bits, to half of all", "about 133,000 parameters"),
    },
)
