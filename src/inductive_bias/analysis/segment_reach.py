"""How far back a model of a stream looks: gradients by distance, through memory and states alike."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from inductive_bias.models.segments import SegmentModel


def gradient_by_distance(
    model: SegmentModel, inputs: Int64[Tensor, "n t"], labels: Int64[Tensor, " n"]
) -> Float[Tensor, " t"]:
    """How strongly the loss of a prediction depends on the token so many places before, 0 for the last one read.

    ``out[k] = mean over n of ‖∂ nll(label) / ∂ embedding_{t−1−k}‖``. Gradients pass wherever values do, into memories
    and states too, which training cuts off.

    Args:
        model: in evaluation mode.
        inputs: stretches of text, each read from its beginning. Of how many tokens of its unit the last one knows
            depends on t: after whole units it knows the most.
        labels: what follows each.

    Raises:
        ValueError: for a model in training mode, since dropout would be counted.
    """
    if model.training:
        raise ValueError("the model must be in evaluation mode, not in training mode")
    x = model.embedding(inputs).detach().requires_grad_()
    out, _ = model.read(x, cut=False)
    nll = F.cross_entropy(model.readout(model.norm(out[:, -1])), labels, reduction="sum")
    (gradient,) = torch.autograd.grad(nll, x)
    return gradient.norm(dim=2).mean(0).flip(0)
