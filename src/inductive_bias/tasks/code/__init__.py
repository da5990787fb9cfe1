"""Source code: defects, clones, repairs and injected bugs, as tokens of functions in their order."""

from inductive_bias.tasks.code.base import CodeTask
from inductive_bias.tasks.code.baselines import BAG, BASELINES, MAJORITY, OF_GROUP, bag_vectors, baseline_scores
from inductive_bias.tasks.code.clones import Clones
from inductive_bias.tasks.code.defects import Defects
from inductive_bias.tasks.code.injected import InjectedBugs
from inductive_bias.tasks.code.programs import Programs
from inductive_bias.tasks.code.repairs import Repairs
from inductive_bias.tasks.code.tokens import tokenise

__all__ = [
    "BAG",
    "BASELINES",
    "MAJORITY",
    "OF_GROUP",
    "Clones",
    "CodeTask",
    "Defects",
    "InjectedBugs",
    "Programs",
    "Repairs",
    "bag_vectors",
    "baseline_scores",
    "tokenise",
]
