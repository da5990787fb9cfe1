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
            "When does recurrence save training data for attention, and does the initial decay matter?",
            "attention with recurrence needs fewer samples where the signal is recurrent, also for signals that do not "
            "fit its initial decays, and loses nothing where the signal is not recurrent",
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
