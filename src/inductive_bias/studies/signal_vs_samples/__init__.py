"""Signals on which recurrence improves attention: kind × sample size, for an RNN, attention and both in one."""

from inductive_bias.studies.signal_vs_samples.claims import CLAIMS
from inductive_bias.studies.signal_vs_samples.design import DESIGN
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="signal_vs_samples",
    question="For which signals does recurrence improve attention?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/signal",
            "On which signals, and with how many samples, does recurrence help attention?",
            "attention with recurrence needs fewer samples where the signal is recurrent, and loses nothing where it "
            "is not",
        ),
    ),
    claims=CLAIMS,
    sizes={
        "smoke": Size("generated signals", "tiny", "half a minute"),
        "laptop": Size(
            "generated signals", "LSTM, linear RNN, attention, RSA of 9,300 weights", "about 3 h 30 min on 2 cores"
        ),
        "paper": Size("the same, longer", "four times as wide, two layers"),
    },
)
