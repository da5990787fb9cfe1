"""The LSTM, with the interface of the attention layers."""

from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from inductive_bias.layers import checks
from inductive_bias.layers.base import StateSpec
from inductive_bias.layers.heads import Cache, StatefulLayer, check_cache, check_tokens
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


class LSTM(StatefulLayer):
    """One LSTM layer (Hochreiter & Schmidhuber 1997, with forget gates), then a linear layer. Causal.

    Padding is skipped, between real tokens too: the state stays as it was. PyTorch's kernel takes neither
    ``torch.func`` nor a compiler's full graph: within ``vmap``, ``grad`` … the steps are written out, as many as there
    are tokens.

    Args:
        width: of inputs and outputs.
        states: size of the hidden state; None for ``width``.
        bias: whether the linear layers have one.

    Attributes:
        causal: True.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    causal = True

    def __init__(self, width: int, states: int | None = None, *, bias: bool = True):
        super().__init__()
        states = width if states is None else states
        checks.whole("width", width, least=1)
        checks.whole("states", states, least=1)
        self.width = width
        self.lstm = nn.LSTM(width, states, bias=bias, batch_first=True)
        self.output = nn.Linear(states, width, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "b t width"],
        mask: Bool[Tensor, "b t"] | None = None,
        initial_state: Cache | None = None,
        return_state: bool = False,
    ) -> Float[Tensor, "b t width"] | tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs ``[b, t, width]`` of an LSTM that starts from zeros.

        With ``initial_state`` it starts from the state of that cache. With ``return_state`` the cache after the tokens
        is given too; under ``torch.func`` only without a mask.

        Raises:
            ValueError: if the state is no cache, or of another number of rows.
        """
        if initial_state is not None or return_state:
            return self._from_state(x, mask, initial_state, return_state)
        check_tokens(self, x, mask, self.output.weight)
        if mask is None:
            return self.output(self._states(x)[0])
        # padding after the real tokens changes nothing for them
        order = _real_first(mask)
        return self._put_back(self._states(x.gather(1, order.expand_as(x)))[0], order)

    def _put_back(
        self, states: Float[Tensor, "b t states"], order: Int64[Tensor, "b t 1"]
    ) -> Float[Tensor, "b t width"]:
        return self.output(torch.zeros_like(states).scatter(1, order.expand_as(states), states))

    def _states(
        self, x: Float[Tensor, "b t width"], start: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Float[Tensor, "b t states"], tuple[Float[Tensor, "1 b states"], Float[Tensor, "1 b states"]]]:
        """The hidden states of all tokens; hidden state and cell after the last one."""
        if not transformed():
            return self.lstm(x, start)
        weights = self.lstm
        bias = weights.bias_ih_l0 + weights.bias_hh_l0 if weights.bias else None
        # what the inputs give to the gates of every step is one product
        driven = F.linear(x, weights.weight_ih_l0, bias)
        hidden = cell = x.new_zeros(len(x), weights.hidden_size)
        if start is not None:
            hidden, cell = (part[0] for part in start)
        states = []
        for each in driven.unbind(1):
            write, keep, new, read = (each + hidden @ weights.weight_hh_l0.mT).chunk(4, 1)
            cell = keep.sigmoid() * cell + write.sigmoid() * new.tanh()
            hidden = read.sigmoid() * cell.tanh()
            states.append(hidden)
        return torch.stack(states, 1), (hidden[None], cell[None])

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of a prompt, and the cache to go on from: the next token follows the last real one of its row."""
        return self._from(x, Cache(None, None, None, None, 0), mask)

    def _read_on(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        check_cache(cache, x)
        return self._from(x, cache, mask)

    def _from(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        check_tokens(self, x, mask, self.output.weight)
        length = cache.length + x.shape[1]
        if mask is None or not len(x):
            states, last = self._states(x, cache.state)
            return self.output(states), cache._replace(state=last, length=length)
        order = _real_first(mask)
        lengths = mask.sum(1)
        # the kernel takes no row of length 0: of one of padding alone the state after a token is thrown away
        x, lengths_read = x.gather(1, order.expand_as(x)), lengths.clamp(min=1).cpu()
        packed = pack_padded_sequence(x, lengths_read, batch_first=True, enforce_sorted=False)
        states, last = self.lstm(packed, cache.state)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        before = (0.0, 0.0) if cache.state is None else cache.state
        unread = (lengths == 0)[:, None]
        last = tuple(torch.where(unread, start, part) for part, start in zip(last, before, strict=True))
        return self._put_back(states, order), cache._replace(state=last, length=length)


def _real_first(mask: Bool[Tensor, "b t"]) -> Int64[Tensor, "b t 1"]:
    """Places of the real tokens in their order, then those of padding."""
    return (~mask).long().argsort(dim=1, stable=True)[:, :, None]
