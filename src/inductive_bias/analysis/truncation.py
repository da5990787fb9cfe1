"""What a recurrent layer loses if it sees the last k inputs alone: measured gaps, their bound, the worst inputs.

The *truncated* state h_t^k starts from zeros k steps ago. For a λ-contractive layer, in the norm of its contraction,

    ‖h_t − h_t^k‖ ≤ λ^k ‖h_{t−k}‖                                (Miller & Hardt 2019)

so that a window of ln(H/ε)/ln(1/λ) inputs is enough for ε, where H bounds the states. Norms are those of
:func:`inductive_bias.layers.certified_contraction`: Euclidean for RNNs; of LSTMs the largest absolute value of h and c.
"""

import math
from collections.abc import Sequence
from copy import deepcopy

import torch
from jaxtyping import Float64
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.layers import LinearRNN
from inductive_bias.layers.contraction import largest_forget_gates
from inductive_bias.layers.rnn_state import advance

#: Restarts and steps of the search for the worst inputs, and the first step, as a share of the interval [−1, 1].
RESTARTS, STEPS, FIRST_STEP = 4, 100, 0.5


def in_float64(rnn: nn.Module) -> nn.Module:
    """A copy with fixed weights, in evaluation mode: gaps become smaller than what float32 can tell apart."""
    return deepcopy(rnn).double().eval().requires_grad_(False)


def last_state(rnn: nn.Module, inputs: Float64[Tensor, "b t c"]) -> Float64[Tensor, "b m"]:
    """All that one layer hands on after the last input, from zeros: h, and for an LSTM h and c side by side.

    Raises:
        ValueError: as of :func:`~inductive_bias.layers.rnn_state.advance`.
    """
    if not isinstance(rnn, LinearRNN):
        return advance(rnn, inputs)[1]
    # step by step: whole powers of W cost more than one short window
    state = inputs.new_zeros(len(inputs), rnn.recurrent.shape[0])
    for drive in rnn.input(inputs).unbind(1):
        state = drive + state @ rnn.recurrent.mT
    return state


def size(rnn: nn.Module, difference: Float64[Tensor, "... m"]) -> Float64[Tensor, "..."]:
    """The norm in which the layer's contraction is certified."""
    return torch.linalg.vector_norm(difference, ord=math.inf if isinstance(rnn, nn.LSTM) else 2, dim=-1)


@torch.no_grad()
def gaps(
    rnn: nn.Module, inputs: Float64[Tensor, "b t c"], contexts: Sequence[int]
) -> tuple[Float64[Tensor, "b k"], Float64[Tensor, "b k"]]:
    """‖h_t − h_t^k‖ of the last state, and ‖h_{t−k}‖, for every context k.

    Args:
        rnn: one layer in float64 (:func:`in_float64`): ``nn.RNN``, ``nn.LSTM`` or a linear RNN.
        inputs: ``[b, t, c]``.
        contexts: each at most t.

    Raises:
        ValueError: if a context is no integer in [0, t].
    """
    t = inputs.shape[1]
    for context in contexts:
        checks.whole("context", context, least=0)
        checks.number("context", context, low=0, high=t)
    full = last_state(rnn, inputs)
    found = [size(rnn, full - last_state(rnn, inputs[:, t - context :])) for context in contexts]
    before = [size(rnn, last_state(rnn, inputs[:, : t - context])) for context in contexts]
    return torch.stack(found, 1), torch.stack(before, 1)


def worst_inputs(
    rnn: nn.Module,
    context: int,
    length: int,
    *,
    channels: int,
    generator: torch.Generator,
    restarts: int = RESTARTS,
    steps: int = STEPS,
) -> Float64[Tensor, "1 t c"]:
    """Inputs in [−1, 1] for which a truncated state is as far from the full one as gradient ascent can bring it.

    Ascent by the gradient's signs, with steps that fall to zero, from random corners of the cube. A search: what it
    finds is a lower bound of the worst.

    Raises:
        ValueError: if ``length`` is not more than ``context``: there would be nothing to cut.
    """
    checks.whole("context", context, least=1)
    checks.whole("length", length, least=context + 1)
    inputs = torch.randint(0, 2, (restarts, length, channels), generator=generator).double() * 2 - 1
    best, largest = inputs, torch.zeros(restarts, dtype=torch.float64)
    for step in range(steps + 1):
        inputs = inputs.detach().requires_grad_()
        gap = size(rnn, last_state(rnn, inputs) - last_state(rnn, inputs[:, length - context :]))
        better = gap.detach() > largest
        best = torch.where(better[:, None, None], inputs.detach(), best)
        largest = torch.where(better, gap.detach(), largest)
        if step < steps:
            # the logarithm: a gap of 1e-10 has a gradient to follow too
            (slope,) = torch.autograd.grad(gap.clamp(min=1e-300).log().sum(), inputs)
            inputs = (inputs + FIRST_STEP * (1 - step / steps) * slope.sign()).clamp(-1, 1)
    return best[largest.argmax()][None].detach()


def largest_ratio(rnn: nn.Module, *, generator: torch.Generator, restarts: int = 32, steps: int = STEPS) -> float:
    """The largest ‖φ(h, x) − φ(h′, x)‖/‖h − h′‖ that gradient ascent finds: at most the certified contraction.

    Over inputs in [−1, 1] and the states that such inputs can lead to: |h| ≤ 1, and |c| ≤ 1/(1 − f̄) of each unit.
    """
    lstm = isinstance(rnn, nn.LSTM)
    width = rnn.hidden_size
    box = torch.ones(width, dtype=torch.float64)
    if lstm:
        box = torch.cat((box, 1 / (1 - largest_forget_gates(rnn, 0, 1.0))))
    first, second, x = (
        torch.rand(restarts, n, dtype=torch.float64, generator=generator) * 2 - 1
        for n in (len(box), len(box), rnn.input_size)
    )
    first, second = first * box, second * box
    found = 0.0
    for step in range(steps + 1):
        parts = [each.detach().requires_grad_() for each in (first, second, x)]
        after = [advance(rnn, parts[2][:, None], state)[1] for state in parts[:2]]
        ratio = size(rnn, after[0] - after[1]) / size(rnn, parts[0] - parts[1]).clamp(min=1e-12)
        found = max(found, ratio.max().item())
        slopes = torch.autograd.grad(ratio.sum(), parts)
        rate = FIRST_STEP * (1 - step / steps)
        limits = (box, box, torch.ones(1, dtype=torch.float64))
        first, second, x = (
            (part + rate * limit * slope.sign()).clamp(-limit, limit)
            for part, slope, limit in zip(parts, slopes, limits, strict=True)
        )
    return found


def window(contraction: float, error: float, largest_state: float | int) -> float:
    """Inputs that are enough for an ``error`` of the state: ln(H/ε)/ln(1/λ), at least 0 (Miller & Hardt 2019).

    Args:
        contraction: λ, in (0, 1).
        error: ε, above 0.
        largest_state: H, a bound of the states' norm, above 0.

    Raises:
        ValueError: if one of the three is out of its range.
    """
    checks.number("contraction", contraction, low=0, above=True)
    if contraction >= 1:
        raise ValueError(f"contraction must be below 1, not {contraction}: no window is enough for an unstable layer")
    checks.number("error", error, low=0, above=True)
    checks.number("largest_state", largest_state, low=0, above=True)
    return max(0.0, math.log(largest_state / error) / -math.log(contraction))


def rem_tail(decay: float, lag: int, *, dilation: int = 1) -> float:
    """What a recurrence encoding matrix loses if it is cut after ``lag``: Σ |λ|ⁿ over the lags nd beyond, for |v| ≤ 1.

    A closed form, |λ|^(m+1)/(1 − |λ|) with m = ⌊lag/d⌋; cos and sin heads lose at most so much. A head's |λ| = |tanh η|
    and γ = σ(ν) are below 1, so that every head is stable by construction (Huang et al. 2023, section 3.2).

    Raises:
        ValueError: if |decay| is not below 1, or ``lag`` or ``dilation`` is no integer in range.
    """
    checks.number("decay", decay, low=-1, high=1)
    if abs(decay) >= 1:
        raise ValueError(f"decay must lie strictly between −1 and 1, not {decay}")
    checks.whole("lag", lag, least=0)
    checks.whole("dilation", dilation, least=1)
    return abs(decay) ** (lag // dilation + 1) / (1 - abs(decay))
