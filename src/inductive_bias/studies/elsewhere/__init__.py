"""Does RSA save sequences where the signal is not of the kind from which its decays start?"""

from inductive_bias.studies.elsewhere.claims import CLAIMS
from inductive_bias.studies.elsewhere.design import DESIGN
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="elsewhere",
    question="Does the benefit of recurrence depend on its initial decay?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/signal",
            "Does recurrence save training data if the signal fades faster or more slowly than the initial decays?",
            "attention with recurrence needs fewer samples of recurrent signals of other kinds too",
        ),
    ),
    claims=CLAIMS,
    sizes={
        "smoke": Size("generated signals", "tiny", "half a minute"),
        "laptop": Size("generated signals", "LSTM, attention, RSA of 9,300 weights", "about 25 min on 2 cores"),
        "paper": Size("the same, longer", "four times as wide, two layers"),
    },
)
