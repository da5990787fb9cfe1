"""A generated agreement task: English-like sentences whose attractors and distances are exact by construction."""

from inductive_bias.tasks.grammar.mixture import generate
from inductive_bias.tasks.grammar.sentences import PLURAL, SINGULAR, Sentence
from inductive_bias.tasks.grammar.task import GeneratedAgreement

__all__ = ["PLURAL", "SINGULAR", "GeneratedAgreement", "Sentence", "generate"]
