"""Share of examples whose highest logit is the label's, and the checks that every metric of logits makes."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from inductive_bias import checks


def accuracy(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Top-1 accuracy in [0, 1]; a tie goes to the lower class; NaN if a row's softmax is not defined.

    It is not where a logit is NaN or +∞, or where all of them are −∞; −∞ among others is a class ruled out.

    Raises:
        ValueError: if there is no example, the lengths differ, logits are no floating-point numbers, or a label is no
            integer or not one of the classes.
    """
    logits, labels = checked(logits, labels)
    # argmax takes NaN for the largest value, so a diverged model would score the share of class 0
    if not logits.amax(dim=-1).isfinite().all():
        return float("nan")
    return (logits.argmax(dim=-1) == labels).double().mean().item()


def balanced_accuracy(logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]) -> float:
    """Unweighted mean of the accuracies within each class that has an example; NaN as :func:`accuracy`.

    Raises:
        ValueError: as :func:`accuracy`.
    """
    logits, labels = checked(logits, labels)
    within = [accuracy(logits[labels == label], labels[labels == label]) for label in labels.unique()]
    return sum(within) / len(within)


def checked(
    logits: Float[Tensor, "n classes"], labels: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "n classes"], Int[Tensor, " n"]]:
    """Logits in float64 and labels in int64, both detached on the CPU, refused if they do not fit together.

    Raises:
        ValueError: saying what does not fit.
    """
    checks.floats("logits", logits, "n classes")
    if logits.numel() == 0:
        raise ValueError(f"logits hold no example or no class: shape {tuple(logits.shape)}")
    labels = labels.detach().cpu() if isinstance(labels, Tensor) else labels
    checks.labels("labels", labels, tuple(logits.shape[:1]), logits.shape[1])
    return logits.detach().to("cpu", torch.float64), labels.to(torch.int64)
