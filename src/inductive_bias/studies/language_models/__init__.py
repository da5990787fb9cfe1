"""Language models: does lower perplexity mean better agreement, and does distillation change either?"""

from pathlib import Path

from inductive_bias.studies.language_models.claims import CLAIMS
from inductive_bias.studies.language_models.design import DESIGN, TUNING
from inductive_bias.studies.language_models.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="language_models",
    question="Does lower perplexity mean better subject–verb agreement, and does distillation change either?",
    part="Recurrence in language",
    design=DESIGN,
    pages=(
        Page(
            "recurrence/perplexity",
            "Does the language model with the lower perplexity get more verbs right?",
            "a language model can have the better perplexity and the worse agreement",
        ),
        Page(
            "recurrence/opinions",
            "What does a student learn from its teacher if both predict the next word?",
            "what LSTMs and Transformers learn from each other as language models",
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
            "9 h 35 min on 2 cores, and 9 min on an H200 with 16 processes",
        ),
        "paper": Size("the same", "the paper's, 60 epochs", "one GPU; not measured yet"),
    },
    paper=Path(__file__).with_name("paper.csv"),
    min_seeds=3,  # a language model costs several times a classifier
)
