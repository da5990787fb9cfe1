"""Real data: recurrent, attentive and feed-forward networks on heartbeats, proteins and share prices."""

from inductive_bias.studies.real_world.claims import CLAIMS
from inductive_bias.studies.real_world.design import DESIGN, TUNING
from inductive_bias.studies.real_world.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="real_world",
    question="Do LSTMs outperform Transformers on real-world data?",
    part="Automata and real data",
    design=DESIGN,
    pages=(
        Page(
            "automata/real_world",
            question="Do Transformers and recurrent networks differ on heartbeats, proteins and prices?",
            tests="Transformers and recurrent networks differ on real data as they do on automata; errors differ by "
            "patient",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    min_seeds=3,
    sizes={
        "smoke": Size("made-up beats, proteins and prices", "tiny", "half a minute"),
        "laptop": Size(
            "MIT-BIH, ECG5000, SignalP, ProFET and four shares",
            "20,000 parameters, 1 to 4 layers",
            "ten hours of one core",
        ),
        "paper": Size("the same, every test beat", "the same, trained longer"),
    },
)
