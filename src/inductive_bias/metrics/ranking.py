"""How well scores order two classes: the area under the ROC curve, of many weightings at a time."""

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor


def auc(
    scores: Float[Tensor, " n"], labels: Int64[Tensor, " n"], weights: Float[Tensor, "... n"] | None = None
) -> Float64[Tensor, "..."]:
    """The probability that a positive example (label 1) has a higher score than a negative one; a tie counts half.

    Args:
        scores: of the examples.
        labels: 0 or 1.
        weights: of the examples, such as how often each is drawn in a bootstrap, one row a drawing; 1 unless given.

    Returns:
        One number for each row of weights; NaN where a class has no weight, or a score is not a number.

    Raises:
        ValueError: if a label is neither 0 nor 1, or there are not as many labels and weights as scores.
    """
    if labels.shape != scores.shape or (weights is not None and weights.shape[-1:] != scores.shape):
        found = "" if weights is None else f", {tuple(weights.shape)} weights"
        raise ValueError(f"{len(scores)} scores need as many labels and weights, not {tuple(labels.shape)}{found}")
    if not ((labels == 0) | (labels == 1)).all():
        raise ValueError(f"labels must be 0 or 1, not {labels.unique().tolist()[:5]}")
    weights = (torch.ones_like(scores) if weights is None else weights).double()
    if scores.isnan().any():
        return torch.full(weights.shape[:-1], torch.nan).double()
    levels, level = scores.unique(return_inverse=True)
    shape = (*weights.shape[:-1], len(levels))
    positive, negative = (
        torch.zeros(shape).double().index_add_(-1, level, weights * (labels == each)) for each in (1, 0)
    )
    below = negative.cumsum(-1) - negative / 2
    return (positive * below).sum(-1) / (positive.sum(-1) * negative.sum(-1))
