"""What a layer or a model of one's own prefers: its contract first, then its profile beside known models."""

from inductive_bias.profile.contract import CHECKS, Check, check_layer
from inductive_bias.profile.subject import LayerSubject, subject_of

__all__ = ["CHECKS", "Check", "LayerSubject", "check_layer", "subject_of"]
