"""Does recurrence improve length generalisation? Languages that are trained until models have learnt them."""

from inductive_bias.studies.mastery.claims import CLAIMS
from inductive_bias.studies.mastery.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="mastery",
    question="Does recurrence improve length generalisation?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/languages",
            question="If two models have learnt a language, which one is more accurate on longer strings?",
            tests="attention with recurrence is right on longer strings more often: for languages with periods, not "
            "for parity",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    # cells that cannot master their language any more have two runs
    min_seeds=2,
    sizes={
        "smoke": Size("generated strings", "tiny", "half a minute"),
        "laptop": Size(
            "strings of 16 languages",
            "RSA and attention, each with and without positions, a REM alone and an LSTM, about 17,000 weights",
            "about two hours on 2 cores",
        ),
        "paper": Size("the same, published lengths", "the same"),
    },
)
