"""The LSTM, with the interface of the attention layers."""

from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from inductive_bias.layers import checks
from inductive_bias.layers.base import StateSpec
from inductive_bias.layers.heads import Cache, check_tokens
from inductive_bias.tracing import transformed


class LSTMLayerSpec(StateSpec):
    """Choices of an :class:`LSTM` layer."""

    kind: Literal["lstm"] = "lstm"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "LSTM"

    def layer(self, width: int) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: an LSTM."""
        return LSTM(width, self.states)


class LSTM(nn.Module):
    """One LSTM layer (Hochreiter & Schmidhuber 1997, with forget gates), then a linear layer. Causal.

    Padding is skipped, between real tokens too: the state stays as it was. PyTorch's kernel takes neither
    ``torch.func`` nor a compiler's full graph: within ``vmap``, ``grad`` … the steps are written out, as many as there
    are tokens.

    Args:
        width: of inputs and outputs.
        states: size of the hidden state; None for ``width``.
        bias: whether the linear layers have one.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    def __init__(self, width: int, states: int | None = None, *, bias: bool = True):
        super().__init__()
        states = width if states is None else states
        checks.whole("width", width, least=1)
        checks.whole("states", states, least=1)
        self.width = width
        self.lstm = nn.LSTM(width, states, bias=bias, batch_first=True)
        self.output = nn.Linear(states, width, bias=bias)

    def forward(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t width"]:
        """Outputs ``[b, t, width]`` of an LSTM that starts from zeros."""
        check_tokens(self, x, mask, self.output.weight)
        if mask is None:
            return self.output(self._states(x))
        # padding after the real tokens changes nothing for them
        order = _real_first(mask)
        return self._put_back(self._states(x.gather(1, order.expand_as(x))), order)

    def _put_back(
        self, states: Float[Tensor, "b t states"], order: Int64[Tensor, "b t 1"]
    ) -> Float[Tensor, "b t width"]:
        return self.output(torch.zeros_like(states).scatter(1, order.expand_as(states), states))

    def _states(self, x: Float[Tensor, "b t width"]) -> Float[Tensor, "b t states"]:
        if not transformed():
            return self.lstm(x)[0]
        weights = self.lstm
        bias = weights.bias_ih_l0 + weights.bias_hh_l0 if weights.bias else None
        # what the inputs give to the gates of every step is one product
        driven = F.linear(x, weights.weight_ih_l0, bias)
        hidden = cell = x.new_zeros(len(x), weights.hidden_size)
        states = []
        for each in driven.unbind(1):
            write, keep, new, read = (each + hidden @ weights.weight_hh_l0.mT).chunk(4, 1)
            cell = keep.sigmoid() * cell + write.sigmoid() * new.tanh()
            hidden = read.sigmoid() * cell.tanh()
            states.append(hidden)
        return torch.stack(states, 1)

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of a prompt, and the cache to go on from: the next token follows the last real one of its row."""
        check_tokens(self, x, mask, self.output.weight)
        if mask is None or not len(x):
            states, last = self.lstm(x)
            return self.output(states), Cache(None, None, None, last, x.shape[1])
        order = _real_first(mask)
        lengths = mask.sum(1)
        # the kernel takes no row of length 0: of one of padding alone the state after a token is thrown away
        x, lengths_read = x.gather(1, order.expand_as(x)), lengths.clamp(min=1).cpu()
        packed = pack_padded_sequence(x, lengths_read, batch_first=True, enforce_sorted=False)
        states, last = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        last = tuple(part.masked_fill((lengths == 0)[:, None], 0) for part in last)
        return self._put_back(states, order), Cache(None, None, None, last, x.shape[1])

    def step(self, x: Float[Tensor, "b width"], cache: Cache) -> tuple[Float[Tensor, "b width"], Cache]:
        """Output of the next token ``[b, width]``, and the next cache."""
        check_tokens(self, x[:, None], None, self.output.weight)
        states, last = self.lstm(x[:, None], cache.state)
        return self.output(states[:, 0]), cache._replace(state=last, length=cache.length + 1)


def _real_first(mask: Bool[Tensor, "b t"]) -> Int64[Tensor, "b t 1"]:
    """Places of the real tokens in their order, then those of padding."""
    return (~mask).long().argsort(dim=1, stable=True)[:, :, None]
