"""Language models: is a better perplexity a better sense of agreement, and does distillation move either?"""

from pathlib import Path

from inductive_bias.studies.language_models.claims import CLAIMS
from inductive_bias.studies.language_models.design import DESIGN, TUNING
from inductive_bias.studies.language_models.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="language_models",
    question="Is a better perplexity a better sense of agreement, and does distillation move either?",
    part="Recurrence",
    design=DESIGN,
    pages=(
        Page(
            "recurrence/perplexity",
            "Does the better language model know more of agreement?",
            "a language model can have the better perplexity and the worse agreement",
        ),
        Page(
            "recurrence/opinions",
            "What passes from teacher to student when both predict words?",
            "what LSTMs and Transformers lend each other as language models",
        ),
    ),
    tables=TABLES,
    claims=CLAIMS,
    tuning=TUNING,
    sizes={
        "smoke": Size("generated sentences", "tiny", "under a minute on 2 cores"),
        "laptop": Size(
            "WikiText-2, more of Wikipedia, a generated grammar; pairs of Linzen, Gulordava, Marvin, BLiMP",
            "LSTM and Sequential Transformer in two sizes, one pass and up to eight",
            "2 h 55 min on 2 cores, and 9 min on an H200 with 16 processes",
        ),
        "paper": Size("the same", "the paper's, 60 epochs", "one GPU; not measured yet"),
    },
    paper=Path(__file__).with_name("paper.csv"),
    min_seeds=3,  # a language model costs several times a classifier
)
