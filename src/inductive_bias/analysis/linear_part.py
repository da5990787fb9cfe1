"""The linear part of a recurrent network: the affine recurrence that stands in for it, and how far it goes.

A network ``h_t = F(h_{t−1}, x_t)`` is replaced by ``h_t = A h_{t−1} + B x_t + c``, which is a sum of attention heads
(:func:`inductive_bias.layers.decompose` of A). Either by calculus (:func:`linearise`, for tanh) or by least squares
over the network's own states (:func:`fit_affine`, for any network). What no linear recurrence can exceed, whatever its
size, is the best linear filter of the inputs (:func:`fit_filter`).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn


@dataclass(frozen=True)
class AffineSystem:
    """``h_t = A h_{t−1} + B x_t + c`` from h₀ = 0, in float64."""

    recurrent: Float64[Tensor, "m m"]
    input: Float64[Tensor, "m c"]
    constant: Float64[Tensor, " m"]

    def drive(self, inputs: Float[Tensor, "b t c"]) -> Float64[Tensor, "b t m"]:
        """``B x_t + c``: what the heads of A are applied to."""
        return inputs.double() @ self.input.mT + self.constant

    def one_step(self, inputs: Float[Tensor, "b t c"], states: Float[Tensor, "b t m"]) -> Float64[Tensor, "b t m"]:
        """Each state predicted from the network's true state before it."""
        return before(states.double()) @ self.recurrent.mT + self.drive(inputs)

    def roll_out(self, inputs: Float[Tensor, "b t c"]) -> Float64[Tensor, "b t m"]:
        """All states from the inputs alone: each from the system's own state before it."""
        state, found = torch.zeros_like(self.constant), []
        for drive in self.drive(inputs).unbind(1):
            state = state @ self.recurrent.mT + drive
            found.append(state)
        return torch.stack(found, 1)


def before(states: Float[Tensor, "b t m"]) -> Float[Tensor, "b t m"]:
    """The states one step earlier, beginning with h₀ = 0."""
    return torch.cat((torch.zeros_like(states[:, :1]), states[:, :-1]), 1)


@torch.no_grad()
def linearise(rnn: nn.RNN, state: Float[Tensor, " m"], value: Float[Tensor, " c"]) -> AffineSystem:
    """First-order Taylor expansion of one layer ``tanh(W h + U x + b)`` at a state and an input.

    Raises:
        ValueError: if it is not one layer in one direction with tanh.
    """
    if not isinstance(rnn, nn.RNN) or rnn.nonlinearity != "tanh" or rnn.num_layers > 1 or rnn.bidirectional:
        raise ValueError(f"rnn must be one causal layer of torch.nn.RNN with tanh, not {rnn}")
    recurrent, drive = rnn.weight_hh_l0.double(), rnn.weight_ih_l0.double()
    state, value = state.double(), value.double()
    bias = (rnn.bias_hh_l0 + rnn.bias_ih_l0).double() if rnn.bias else torch.zeros_like(state)
    here = torch.tanh(recurrent @ state + drive @ value + bias)
    slope = (1 - here.square())[:, None]
    recurrent, drive = slope * recurrent, slope * drive
    return AffineSystem(recurrent, drive, here - recurrent @ state - drive @ value)


def fit_affine(inputs: Float[Tensor, "b t c"], states: Float[Tensor, "b t m"]) -> AffineSystem:
    """The system with the least squared error of one step, over all steps of all sequences.

    Of several equally good ones the smallest (minimum norm): a state that never moves gets weight 0.

    Raises:
        ValueError: if there are fewer steps than coefficients a state.
    """
    inputs, states = inputs.double(), states.double()
    ones = torch.ones_like(inputs[..., :1])
    known = torch.cat((before(states), inputs, ones), -1).flatten(end_dim=1)
    if len(known) < known.shape[1]:
        raise ValueError(f"{len(known)} steps are too few to fit {known.shape[1]} coefficients for each state")
    # the triangle of a QR holds all that matters, and gelsd on it is cheap
    q, r = torch.linalg.qr(known)
    found = torch.linalg.lstsq(r, q.mT @ states.flatten(end_dim=1), driver="gelsd").solution.mT
    sizes = (states.shape[-1], inputs.shape[-1], 1)
    recurrent, drive, constant = found.split(sizes, 1)
    return AffineSystem(recurrent.contiguous(), drive.contiguous(), constant[:, 0])


@dataclass(frozen=True)
class LinearFilter:
    """``h_t = m_t + Σ_j K_j x_{t−j}`` over all lags 0 … t−1: what linear RNNs of every size can do, in float64.

    The offsets m_t are one a step, since constants under a linear recurrence make a mean that changes over time.
    """

    kernel: Float64[Tensor, "t c m"]
    offset: Float64[Tensor, "t m"]

    def roll_out(self, inputs: Float[Tensor, "b t c"]) -> Float64[Tensor, "b t m"]:
        """All states from the inputs alone."""
        return _lagged(inputs.double()).flatten(start_dim=2) @ self.kernel.flatten(end_dim=1) + self.offset


def fit_filter(inputs: Float[Tensor, "b t c"], states: Float[Tensor, "b t m"]) -> LinearFilter:
    """The filter with the least squared error over all steps of all sequences, which have one length.

    Raises:
        ValueError: if there are fewer steps than coefficients a state.
    """
    lagged = _lagged(inputs.double())
    known = lagged.flatten(start_dim=2)
    # an offset for every step, and a coefficient for every lag of every channel
    coefficients = known.shape[1] + known.shape[2]
    if len(known) * known.shape[1] < coefficients:
        raise ValueError(f"{len(known)} sequences are too few to fit {coefficients} coefficients for each state")
    states = states.double()
    # centred step by step, the offsets drop out of the equations
    left, right = ((x - x.mean(0)).flatten(end_dim=1) for x in (known, states))
    # normal equations: inputs at different lags are hardly correlated, and this is ten times as fast as a QR
    solution = torch.linalg.lstsq(left.mT @ left, left.mT @ right, driver="gelsd").solution
    return LinearFilter(solution.unflatten(0, lagged.shape[2:]), states.mean(0) - known.mean(0) @ solution)


def _lagged(inputs: Float64[Tensor, "b t c"]) -> Float64[Tensor, "b t t c"]:
    """``out[:, t, j] = x_{t−j}``, and 0 where that is before the beginning."""
    length = inputs.shape[1]
    padded = torch.cat((torch.zeros_like(inputs[:, 1:]), inputs), 1)
    return padded.unfold(1, length, 1).flip(-1).movedim(-1, 2)
