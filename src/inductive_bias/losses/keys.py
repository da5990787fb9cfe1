"""Cross-entropy of several yes-or-no answers at every step of a sequence, such as the keys of a piano."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Integer
from torch import Tensor

from inductive_bias import checks
from inductive_bias.tracing import transformed


def key_cross_entropy(
    logits: Float[Tensor, "b t k"], labels: Integer[Tensor, "b t k"], *, ignore_index: int = -1
) -> Float[Tensor, "b t"]:
    """Negative log-likelihood in nats of every step: summed over its ``k`` keys, 0 at padding.

    A label is 1 (the key sounds), 0 (it does not), or ``ignore_index`` for every key of a step that is padding.

    Raises:
        ValueError: if logits are no floating-point numbers ``[b, t, k]``, or labels no integers of their shape. On the
            CPU also if a label is none of the three, all are padding, or a step is padding in some of its keys alone.
    """
    checks.floats("logits", logits, "b t k")
    checks.labels("labels", labels, tuple(logits.shape), 2, ignore_index=ignore_index)
    if labels.device.type == "cpu" and not transformed():
        padding = labels == ignore_index
        if bool((padding.any(-1) & ~padding.all(-1)).any()):
            raise ValueError(f"labels must be ignore_index={ignore_index} in all keys of a step or in none")
    each = F.binary_cross_entropy_with_logits(logits, labels.clamp(min=0).to(logits.dtype), reduction="none")
    # chosen, not multiplied: a NaN of padding would survive a factor of 0
    return torch.where(labels[..., 0] == ignore_index, 0.0, each.sum(-1))


def mean_key_cross_entropy(
    logits: Float[Tensor, "b t k"], labels: Integer[Tensor, "b t k"], *, ignore_index: int = -1
) -> Float[Tensor, ""]:
    """Cross-entropy in nats per step, summed over keys: mean over all steps that are not padding.

    Raises:
        ValueError: as :func:`key_cross_entropy`, and if there is no step at all.
    """
    if not labels.numel():
        raise ValueError(f"there must be a step to take the mean of, not labels of shape {tuple(labels.shape)}")
    return key_cross_entropy(logits, labels, ignore_index=ignore_index).sum() / (labels[..., 0] != ignore_index).sum()
