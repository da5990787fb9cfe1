"""Can feed-forward networks replace recurrent ones? Ten networks of equal size on the same tasks."""

from pathlib import Path

from inductive_bias.studies.feed_forward.claims import CLAIMS, RIVALS
from inductive_bias.studies.feed_forward.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study
from inductive_bias.studies.timings import SPEED

STUDY = Study(
    name="feed_forward",
    question="Can feed-forward networks replace recurrent networks?",
    part="Stable recurrent networks",
    design=DESIGN,
    pages=(
        Page(
            "stability/feed_forward",
            question="Does a network without a state predict as well as a recurrent network?",
            tests="feed-forward networks do as well as recurrent ones, and remember longer",
        ),
    ),
    claims=CLAIMS,
    measured=(RIVALS, SPEED),
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    sizes={
        "smoke": Size("generated chords, sentences, digits and numbers", "tiny", "half a minute"),
        "laptop": Size(
            "chorales, folk tunes, characters, digits after waits of 10 to 500, sums",
            "ten models of equal size",
            "thirteen and a half hours of one core, and 12 min on an H200 with 16 processes",
        ),
        "paper": Size("the same, with longer waits", "the same"),
    },
)
