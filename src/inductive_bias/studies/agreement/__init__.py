"""Subject–verb agreement: does recurrence improve it, and can a Transformer learn it from an LSTM?"""

from pathlib import Path

from inductive_bias.studies.agreement.claims import CLAIMS
from inductive_bias.studies.agreement.design import DESIGN, TUNING
from inductive_bias.studies.agreement.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="agreement",
    question="Does recurrence improve subject–verb agreement, and can a Transformer learn it from an LSTM?",
    part="Recurrence in language",
    design=DESIGN,
    pages=(
        Page(
            "recurrence/bias",
            "Which parts of the recurrent bias does each architecture have?",
            "order, no direct access, recursion: what four architectures may see, measured",
        ),
        Page(
            "recurrence/ladder",
            "How much does each part of the recurrent bias improve agreement, and with how much data?",
            "bidirectional Transformer < sequential < sequential Universal < LSTM on agreement, in accuracy, "
            "calibration and spread",
        ),
        Page(
            "recurrence/inheritance",
            "Does a Transformer predict agreement better after training on the answers of an LSTM?",
            "the better the teacher's bias, the better the student; a weak teacher harms; "
            "the gap between singular and plural subjects, by model, teacher and training set",
        ),
        Page(
            "recurrence/representations",
            "Are the same sentences similar to each other for teacher and student?",
            "representations move towards the teacher's; paths of training",
        ),
        Page(
            "recurrence/grammar",
            "What do recurrence and teachers change if every run draws new sentences from a grammar?",
            "the ladder and the effect of teachers, draw by draw, in a generated grammar",
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
