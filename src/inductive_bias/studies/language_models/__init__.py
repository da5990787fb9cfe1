"""Language models: is a better perplexity a better sense of agreement, and does distillation move either?"""

from inductive_bias.studies.language_models.claims import CLAIMS
from inductive_bias.studies.language_models.design import cells
from inductive_bias.studies.study import Study

STUDY = Study(
    name="language_models",
    question="Is a better perplexity a better sense of agreement, and does distillation move either?",
    cells=cells,
    tables={},
    claims=CLAIMS,
    min_seeds=3,  # a language model costs several times a classifier
)
