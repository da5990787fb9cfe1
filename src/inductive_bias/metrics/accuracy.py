"""Share of examples whose highest logit is the label's, and the checks that every metric of logits makes."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def accuracy(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Top-1 accuracy in [0, 1]; a tie goes to the lower class; NaN if any logit is NaN.

    Raises:
        ValueError: if there is no example, the lengths differ or a label is not one of the classes.
    """
    logits, labels = checked(logits, labels)
    # argmax takes NaN for the largest value, so a diverged model would score the share of class 0
    if torch.isnan(logits).any():
        return float("nan")
    return (logits.argmax(dim=-1) == labels).double().mean().item()


def balanced_accuracy(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Unweighted mean of the accuracies within each class that has an example; NaN if any logit is NaN.

    Raises:
        ValueError: as :func:`accuracy`.
    """
    logits, labels = checked(logits, labels)
    within = [accuracy(logits[labels == label], labels[labels == label]) for label in labels.unique()]
    return sum(within) / len(within)


def checked(
    logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "n classes"], Int[Tensor, " n"]]:
    """Logits in float64 and labels in int64, both detached on the CPU, refused if they do not fit together."""
    if logits.ndim != 2 or labels.shape != logits.shape[:1]:
        raise ValueError(
            f"logits must be [n, classes] and labels [n], not {tuple(logits.shape)} and {tuple(labels.shape)}"
        )
    if logits.numel() == 0:
        raise ValueError(f"logits hold no example or no class: shape {tuple(logits.shape)}")
    logits, labels = logits.detach().to("cpu", torch.float64), labels.detach().to("cpu", torch.int64)
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= logits.shape[1]:
        raise ValueError(f"labels must lie in [0, {logits.shape[1] - 1}], not [{low}, {high}]")
    return logits, labels
