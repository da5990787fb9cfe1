"""All that one recurrent layer hands to its next step, as one vector: h, and for an LSTM h and c side by side."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.layers.contraction import refuse_other_than_rnns


def refuse_more_layers(rnn: nn.Module) -> None:
    """Refuse an RNN of PyTorch's with more than one layer: the states would be mixed up.

    Raises:
        ValueError: naming the number of layers.
    """
    if rnn.num_layers > 1:
        raise ValueError(f"rnn must have one layer, not {rnn.num_layers}")


def advance(
    rnn: nn.Module, inputs: Float[Tensor, "b t c"], start: Float[Tensor, "b m"] | None = None
) -> tuple[Float[Tensor, "b t d"], Float[Tensor, "b m"]]:
    """Outputs of every step, and the state after the last.

    Args:
        rnn: one layer of ``nn.RNN`` or ``nn.LSTM`` in one direction, with ``batch_first``.
        inputs: none or more.
        start: the state before them; None for zeros.

    Raises:
        ValueError: if it is no such layer.
    """
    refuse_other_than_rnns(rnn)
    refuse_more_layers(rnn)
    if not rnn.batch_first:
        raise ValueError(f"rnn must have batch_first=True: it would take sequences for steps, not {rnn}")
    lstm = isinstance(rnn, nn.LSTM)
    if start is None:
        start = inputs.new_zeros(len(inputs), rnn.hidden_size * (1 + lstm))
    if not inputs.shape[1]:
        return inputs.new_zeros(len(inputs), 0, rnn.hidden_size), start
    if lstm:
        outputs, last = rnn(inputs, tuple(part.contiguous()[None] for part in start.chunk(2, -1)))
        return outputs, torch.cat(last, -1)[0]
    outputs, last = rnn(inputs, start[None])
    return outputs, last[0]
