"""Losses: pure functions of tensors: a mean over the examples of a batch, one of every step, or a sum over weights."""

from inductive_bias.losses.distillation import distillation_loss, soft_cross_entropy
from inductive_bias.losses.keys import key_cross_entropy, mean_key_cross_entropy
from inductive_bias.losses.regularisation import weight_penalty
from inductive_bias.losses.vocabulary import OutputLayer, vocabulary_cross_entropy

__all__ = [
    "OutputLayer",
    "distillation_loss",
    "key_cross_entropy",
    "mean_key_cross_entropy",
    "soft_cross_entropy",
    "vocabulary_cross_entropy",
    "weight_penalty",
]
