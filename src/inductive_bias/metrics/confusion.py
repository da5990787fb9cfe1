"""Scores from counts of right and wrong answers by class; of many tables of counts at a time.

A table has a row for every class that is right and a column for every answer. Counts may be weighted, so that a
bootstrap is a product of weights and tables. What has no denominator is 0, as in scikit-learn.
"""

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor


def confusion(labels: Int64[Tensor, " n"], answers: Int64[Tensor, " n"], classes: int) -> Float64[Tensor, "k k"]:
    """How often each answer was given to each class.

    Raises:
        ValueError: if there are not as many answers as labels, or one is none of the classes.
    """
    if labels.shape != answers.shape:
        raise ValueError(f"there must be as many answers as labels, not {tuple(answers.shape)} for {len(labels)}")
    both = torch.stack((labels, answers))
    if both.numel() and not 0 <= int(both.min()) <= int(both.max()) < classes:
        raise ValueError(f"labels and answers must lie in 0 … {classes - 1}, not {int(both.min())} … {int(both.max())}")
    return torch.bincount(labels * classes + answers, minlength=classes**2).double().view(classes, classes)


def recalls(counts: Float[Tensor, "... k k"]) -> Float[Tensor, "... k"]:
    """Recall of each class: the share of its examples that was found."""
    return _ratio(counts.diagonal(dim1=-2, dim2=-1), counts.sum(-1))


def macro_f1(counts: Float[Tensor, "... k k"]) -> Float[Tensor, "..."]:
    """Unweighted mean over the classes of F1 = 2 · right / (given + wanted)."""
    right = counts.diagonal(dim1=-2, dim2=-1)
    return _ratio(2 * right, counts.sum(-1) + counts.sum(-2)).mean(-1)


def matthews(counts: Float[Tensor, "... k k"]) -> Float[Tensor, "..."]:
    """Matthews' correlation coefficient (MCC) of labels and answers (Gorodkin 2004 for more than two classes)."""
    wanted, given, total = counts.sum(-1), counts.sum(-2), counts.sum((-2, -1))
    together = counts.diagonal(dim1=-2, dim2=-1).sum(-1) * total - (wanted * given).sum(-1)
    spread = (total**2 - wanted.square().sum(-1)) * (total**2 - given.square().sum(-1))
    return _ratio(together, spread.clamp(min=0).sqrt())


def _ratio(over: Tensor, under: Tensor) -> Tensor:
    return torch.where(under > 0, over / under.where(under > 0, torch.ones_like(under)), 0.0)
