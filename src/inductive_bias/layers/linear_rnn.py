"""The linear RNN of the theory, with the interface of the attention layers."""

import functools
import warnings
from collections.abc import Callable
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import StateSpec
from inductive_bias.layers.decomposition import Heads, decompose, recompose
from inductive_bias.layers.heads import Cache, StatefulLayer, check_cache, check_tokens, last_real
from inductive_bias.tracing import exported

#: Products of an exported layer: enough for 2²⁰ tokens.
DOUBLINGS = 20


class LinearRNNSpec(StateSpec):
    """Choices of a :class:`LinearRNN`."""

    kind: Literal["linear_rnn"] = "linear_rnn"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Linear RNN"

    def layer(self, width: int) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: a linear RNN."""
        return LinearRNN(width, self.states)


class LinearRNN(StatefulLayer):
    """``h_t = W_h h_{t−1} + W_x x_t`` from h = 0, then a linear layer onto the outputs. Causal.

    Padding writes nothing; in a gap between real tokens time passes (see :mod:`~inductive_bias.layers.heads`).

    Computed in parallel: doubling k times sums 2ᵏ lags, so that a sequence costs log₂ t products with powers of W_h
    instead of t steps. Their number depends on the length. So ``torch.jit.trace`` keeps the loop, and what
    ``torch.export`` makes has the products that 2²⁰ tokens need: both are right at every length.

    Args:
        width: of inputs and outputs.
        states: size of h; None for ``width``.
        bias: whether the output layer has one (the recurrence has none, as in the theory).
        radius: W_h starts as a random rotation times this number, the modulus of all its eigenvalues.

    Attributes:
        causal: True.
        recurrent: W_h, ``[states, states]``. input: W_x, a linear layer. output: onto ``width``.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    causal = True

    def __init__(self, width: int, states: int | None = None, *, bias: bool = True, radius: float = 0.9):
        super().__init__()
        states = width if states is None else states
        checks.whole("width", width, least=1)
        checks.whole("states", states, least=1)
        if not 0 <= radius <= 1:
            raise ValueError(f"radius must lie in [0, 1], not {radius}")
        self.width = width
        self.recurrent = nn.Parameter(nn.init.orthogonal_(torch.empty(states, states), gain=radius))
        self.input = nn.Linear(width, states, bias=False)
        self.output = nn.Linear(states, width, bias=bias)

    @classmethod
    def from_heads(cls, heads: Heads) -> "LinearRNN":
        """The RNN of these heads in float64, its states being its outputs: ``heads.apply`` as a recurrence."""
        rnn = cls(heads.maps.shape[-1], bias=False).to(heads.maps)
        with torch.no_grad():
            rnn.recurrent.copy_(recompose(heads))
            for identity in (rnn.input.weight, rnn.output.weight):
                nn.init.eye_(identity)
        return rnn

    def heads(self) -> Heads:
        """The recurrence as attention heads, which give ``states(x)`` when applied to ``input(x)``."""
        return decompose(self.recurrent)

    def states(
        self,
        x: Float[Tensor, "b t width"],
        mask: Bool[Tensor, "b t"] | None = None,
        start: Float[Tensor, "b states"] | None = None,
    ) -> Float[Tensor, "b t states"]:
        """h₁ … h_t of inputs ``[b, t, width]`` from h₀ = ``start`` or 0; padding writes nothing, but time passes."""
        check_tokens(self, x, mask, self.recurrent)
        states = self.input(x if mask is None else x.masked_fill(~mask[:, :, None], 0))
        if start is not None:
            states = torch.cat((states[:, :1] + (start @ self.recurrent.mT)[:, None], states[:, 1:]), 1)
        power, lag = self.recurrent.t(), 1
        if torch.jit.is_tracing():  # would write out as many products as this length needs, and use them at every one
            return _scripted()(states, power)
        if exported():
            return _for_every_length(states, power)
        while lag < x.shape[1]:
            states = states + F.pad(states[:, :-lag] @ power, (0, 0, lag, 0))
            power, lag = power @ power, 2 * lag
        return states

    def forward(
        self,
        x: Float[Tensor, "b t width"],
        mask: Bool[Tensor, "b t"] | None = None,
        initial_state: Cache | None = None,
        return_state: bool = False,
    ) -> Float[Tensor, "b t width"] | tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs ``[b, t, width]`` of a linear RNN that starts from zeros; padding writes nothing.

        With ``initial_state`` it starts from the state of that cache. With ``return_state`` the cache after the tokens
        is given too.

        Raises:
            ValueError: if the state is no cache, or of another number of rows.
        """
        if initial_state is None and not return_state:
            return self.output(self.states(x, mask))
        return self._from_state(x, mask, initial_state, return_state)

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of a prompt, and the cache to go on from: the next token follows the last real one of its row."""
        states = self.states(x, mask)
        last = states[:, -1]
        if mask is not None:
            # of a row of padding alone they are all zeros
            place = (torch.arange(x.shape[1], device=x.device) * mask).amax(1)
            last = states[torch.arange(len(x), device=x.device), place]
        return self.output(states), Cache(None, None, None, last, x.shape[1])

    def _read_on(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        check_cache(cache, x)
        states = self.states(x, mask, cache.state)
        if mask is None:
            last = states[:, -1]
        else:  # a row of padding alone is where it was
            known = torch.cat((cache.state[:, None], states), 1)
            last = known[torch.arange(len(x), device=x.device), last_real(mask)]
        return self.output(states), cache._replace(state=last, length=cache.length + x.shape[1])


def _for_every_length(
    states: Float[Tensor, "b t states"], power: Float[Tensor, "states states"]
) -> Float[Tensor, "b t states"]:
    """The loop of :meth:`LinearRNN.states` with a fixed number of products, for a graph that has no loop.

    Those whose lag is beyond the sequence add zeros.
    """
    place = torch.arange(states.shape[1], device=states.device)
    for lag in (2**each for each in range(DOUBLINGS)):
        earlier = states[:, (place - lag).clamp(min=0)] * (place >= lag)[:, None]
        states = states + earlier @ power
        # zeros as soon as no place needs it: powers of a W_h that is not stable would leave the numbers there are
        power = torch.where(place[-1] >= 2 * lag, power @ power, torch.zeros_like(power))
    return states


# without annotations: TorchScript knows none of those with shapes, and takes what has none for a tensor
def _doubled(states, power):
    """The loop of :meth:`LinearRNN.states`, of operations that TorchScript knows."""
    lag = 1
    while lag < states.size(1):
        states = states + torch.constant_pad_nd(states[:, :-lag] @ power, [0, 0, lag, 0])
        power, lag = power @ power, 2 * lag
    return states


@functools.cache
def _scripted() -> Callable[[Tensor, Tensor], Tensor]:
    """:func:`_doubled`, which a trace keeps as a loop; made on first use, since that takes a while."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever traces has been told already that TorchScript is out of fashion
        return torch.jit.script(_doubled)
