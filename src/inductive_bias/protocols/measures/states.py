"""The states in which a model is when a sequence ends."""

import torch
from jaxtyping import Float, Int64, Shaped
from torch import Tensor, nn

from inductive_bias.tasks.batching import length_chunks

#: Sequences of a forward pass.
CHUNK = 16


@torch.no_grad()
def last_states(
    model: nn.Module, inputs: Shaped[Tensor, "n t *channels"], lengths: Int64[Tensor, " n"]
) -> Float[Tensor, "n d"]:
    """``model.states`` of the last position of every sequence, on the CPU, in its present mode.

    Args:
        model: with ``states(inputs)``, ``[n, t, d]``.
        inputs: tokens ``[n, t]``, or numbers ``[n, t, channels]``, padded on the right.
        lengths: of the sequences.
    """
    device, found, order = next(model.parameters()).device, [], []
    for index, chunk in length_chunks(inputs, chunk=CHUNK, lengths=lengths):
        states = model.states(chunk.to(device)).float().cpu()
        found.append(states[torch.arange(len(index)), lengths[index] - 1])
        order.append(index)
    return torch.cat(found)[torch.cat(order).argsort()]
