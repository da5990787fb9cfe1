"""How much a recurrent layer contracts: a number that its weights guarantee, for every state and every bounded input.

A layer ``h_t = φ(h_{t−1}, x_t)`` is λ-contractive if ‖φ(h, x) − φ(h′, x)‖ ≤ λ‖h − h′‖ for all h, h′ and x, and *stable*
if it is so for a λ < 1 (Miller & Hardt 2019, definition 1). What a model does on the data it sees may be far better:
that is measured in :mod:`inductive_bias.analysis.truncation`, and is not promised.
"""

import math

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.layers.linear_rnn import LinearRNN

#: Blocks of PyTorch's LSTM, in the order of its rows.
GATES = ("input", "forget", "cell", "output")


def certified_contraction(module: nn.Module, input_bound: float | None = None) -> float:
    """λ that the weights guarantee: the largest of the layers of ``module``, 1 or more if nothing is guaranteed.

    *RNN* and *linear RNN*: ‖W‖₂, in the Euclidean norm, since |tanh′| ≤ 1 and |relu′| ≤ 1. Inputs may be anything.

    *LSTM*, for inputs with |x| ≤ ``input_bound`` and states that began at zero, in the norm max(‖Δc‖_∞, ‖Δh‖_∞): the
    largest over units of

        f̄ + ‖W_f‖₁/(4(1 − f̄)) + ‖W_i‖₁/4 + ‖W_z‖₁ + ‖W_o‖₁/4,   f̄ = σ(‖W_f‖₁ + B ‖U_f‖₁ + b_f),

    with the unit's rows of the blocks. It follows from |c| ≤ 1/(1 − f̄), |h|, |z|, i, o ≤ 1 and σ′ ≤ ¼; the four
    inequalities of Miller & Hardt (2019) are what makes it less than 1 if every norm is the largest of all
    units and b_f counts by its size. Here it is taken unit by unit: a unit that keeps its content for long pays for it
    with its own recurrent weights alone.

    A deeper layer reads the states of the one before, which are bounded by 1. A stack of layers contracts like its
    weakest one in a norm that weighs the layers; in the plain norm differences may first grow on their way up.

    Args:
        module: ``torch.nn.RNN``, ``torch.nn.LSTM`` (in one direction) or :class:`~.linear_rnn.LinearRNN`.
        input_bound: B, the largest absolute value of an input; an LSTM needs it.

    Raises:
        ValueError: for another kind of module, weights that are not finite, or an LSTM whose inputs have no finite
            bound.
    """
    if not all(weight.isfinite().all() for weight in module.parameters()):
        raise ValueError("weights must be finite: those of a network that diverged guarantee nothing")
    if isinstance(module, LinearRNN):
        return _norm(module.recurrent)
    refuse_other_than_rnns(module)
    layers = range(module.num_layers)
    if isinstance(module, nn.RNN):
        return max(_norm(getattr(module, f"weight_hh_l{layer}")) for layer in layers)
    if input_bound is None or not math.isfinite(input_bound):
        raise ValueError(
            f"input_bound must be the largest absolute value of an input, not {input_bound}: the forget gate of an "
            f"LSTM is only bounded where its inputs are"
        )
    checks.number("input_bound", input_bound, low=0)
    return max(unit_contractions(module, layer, 1.0 if layer else input_bound).max().item() for layer in layers)


@torch.no_grad()
def unit_contractions(lstm: nn.LSTM, layer: int, input_bound: float) -> Float64[Tensor, " n"]:
    """The certificate of every unit of one layer; see :func:`certified_contraction`."""
    rows = {gate: block.double().abs().sum(1) for gate, block in gates(lstm, f"weight_hh_l{layer}").items()}
    forget = largest_forget_gates(lstm, layer, input_bound)
    room = 4 * (1 - forget)
    return forget + rows["forget"] / room + rows["input"] / 4 + rows["cell"] + rows["output"] / 4


@torch.no_grad()
def largest_forget_gates(lstm: nn.LSTM, layer: int, input_bound: float) -> Float64[Tensor, " n"]:
    """f̄ of every unit: the most that its forget gate can be, whatever it reads."""
    recurrent, inputs = (gates(lstm, f"weight_{name}_l{layer}")["forget"].double() for name in ("hh", "ih"))
    drive = recurrent.abs().sum(1) + input_bound * inputs.abs().sum(1)
    return torch.sigmoid(drive + forget_bias(lstm, layer))


def forget_bias(lstm: nn.LSTM, layer: int) -> Float64[Tensor, " n"]:
    """The sum of both bias vectors of the forget gate; zeros if there are none."""
    if not lstm.bias:
        return torch.zeros_like(getattr(lstm, f"weight_hh_l{layer}")[: lstm.hidden_size, 0], dtype=torch.float64)
    return sum(gates(lstm, f"bias_{name}_l{layer}")["forget"].double() for name in ("ih", "hh"))


def gates(lstm: nn.LSTM, name: str) -> dict[str, Float[Tensor, "n ..."]]:
    """The rows of a weight or bias by gate; views, so that a change of them changes the module."""
    return dict(zip(GATES, getattr(lstm, name).chunk(4), strict=True))


def refuse_other_than_rnns(module: nn.Module) -> None:
    """Refuse all but ``torch.nn.RNN`` and ``torch.nn.LSTM`` in one direction and without projection.

    Raises:
        ValueError: naming what it is.
    """
    if not isinstance(module, nn.RNN | nn.LSTM):
        raise ValueError(f"module must be torch.nn.RNN or torch.nn.LSTM, not {type(module).__name__}")
    if module.bidirectional or module.proj_size:
        raise ValueError(f"module must read in one direction and have no projection of its states, not {module}")


def _norm(weight: Tensor) -> float:
    return torch.linalg.matrix_norm(weight.detach().double(), ord=2).item()
