"""Subject–verb agreement: does more recurrence help, and can a Transformer inherit it?"""

from pathlib import Path

from inductive_bias.studies.agreement.claims import CLAIMS
from inductive_bias.studies.agreement.design import DESIGN, TUNING
from inductive_bias.studies.agreement.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="agreement",
    question="Does more recurrence help with subject–verb agreement, and can a Transformer inherit it?",
    part="Recurrence",
    design=DESIGN,
    pages=(
        Page(
            "recurrence/bias",
            "What exactly is the *recurrent* bias, and which part of it has each architecture?",
            "order, no direct access, recursion: what four architectures may see, measured",
        ),
        Page(
            "recurrence/ladder",
            "What is each part worth on real sentences, and with how much data?",
            "bidirectional Transformer < sequential < sequential Universal < LSTM on agreement, in accuracy, "
            "calibration and spread",
        ),
        Page(
            "recurrence/inheritance",
            "Does a Transformer inherit it from an LSTM's answers?",
            "the better the teacher's bias, the better the student; a weak teacher harms",
        ),
        Page(
            "recurrence/representations",
            "Do teacher and student find the same sentences alike?",
            "representations move towards the teacher's; paths of training",
        ),
        Page(
            "recurrence/grammar",
            "And where every attractor is counted, and sentences are drawn anew for each run?",
            "the ladder and what teachers lend, draw by draw, in a generated grammar",
        ),
        Page(
            "recurrence/fairness",
            "Whom do they serve worse?",
            "the gap between singular and plural subjects, by model, teacher and training set",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    tables=TABLES,
    sizes={
        "smoke": Size("generated sentences", "tiny", "under a minute on 2 cores"),
        "laptop": Size(
            "Wikipedia, Linzen's public sets, WikiText-2, a generated grammar",
            "LSTM and four Transformers of about .9 million weights",
            "16 min on an H100 with 16 processes, and 9 h 30 min of one core",
        ),
        "paper": Size(
            "the whole of Linzen's set, 1.57 million sentences", "the paper's, 60 epochs", "one GPU; not measured yet"
        ),
    },
    paper=Path(__file__).with_name("paper.csv"),
)
