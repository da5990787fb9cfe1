"""L1 and L2 penalties on the weights of a model."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias import checks


def weight_penalty(model: nn.Module, *, l1: float, l2: float) -> Float[Tensor, ""]:
    """``l1 · Σ|w| + l2 · Σw²`` over every weight with at least two dimensions that is not an embedding.

    These are Keras' kernel regularisers as the code of Abnar et al. (2020) uses them: dense and convolution kernels
    are penalised, embeddings, biases and the scales of normalisation layers are not, and L2 carries no factor ½. (An L2
    of λ has the gradient of a classic weight decay of 2λ.) A weight shared by two modules counts once. The sum has no
    unit of its own; it is added to a mean loss in nats.

    Raises:
        ValueError: if ``l1`` or ``l2`` is negative or not finite, or ``model`` is no module.
    """
    for name, value in (("l1", l1), ("l2", l2)):
        checks.number(name, value, low=0)
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, not {type(model).__name__}")
    embeddings = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    weights = [w.reshape(-1) for w in model.parameters() if w.ndim >= 2 and id(w) not in embeddings]
    if not weights or l1 == l2 == 0:
        first = next(model.parameters(), None)
        return torch.zeros((), device=None if first is None else first.device)
    # one flat vector: on a small model the cost is the number of kernel calls, not the arithmetic
    flat = torch.cat(weights)
    penalty = flat.new_zeros(())
    if l1:
        penalty = penalty + l1 * flat.abs().sum()
    if l2:
        penalty = penalty + l2 * torch.dot(flat, flat)
    return penalty
