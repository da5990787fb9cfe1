"""Proper scoring rules: negative log-likelihood and Brier score."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from inductive_bias.metrics.accuracy import checked


def negative_log_likelihood(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Mean of ``−log p(label)`` in nats.

    Raises:
        ValueError: if there is no example, the lengths differ or a label is not one of the classes.
    """
    logits, labels = checked(logits, labels)
    return F.cross_entropy(logits, labels).item()


def brier_score(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Mean over examples of ``Σ_c (p_c − [c = label])²``, in [0, 2] (Brier 1950, the multi-class sum).

    Raises:
        ValueError: if there is no example, the lengths differ or a label is not one of the classes.
    """
    logits, labels = checked(logits, labels)
    target = F.one_hot(labels, logits.shape[1])
    return (torch.softmax(logits, dim=-1) - target).square().sum(dim=-1).mean().item()
