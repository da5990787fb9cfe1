"""Training losses: pure functions of tensors, each a scalar."""

from inductive_bias.losses.distillation import distillation_loss, soft_cross_entropy
from inductive_bias.losses.regularisation import weight_penalty

__all__ = ["distillation_loss", "soft_cross_entropy", "weight_penalty"]
