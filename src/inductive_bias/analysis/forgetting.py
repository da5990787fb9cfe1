"""How fast a trained recurrent layer forgets on the data that it reads: Jacobians over m steps, and gradients.

A layer may contract on data although no bound says so (Miller & Hardt 2019, *data-dependent stability*).
What is measured is the largest singular value of ∂h_{t+m}/∂h_t along real sequences: how much a small difference of the
state can still matter m steps later. For an LSTM the state is h and c side by side (:func:`.carried.advance`).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.layers.rnn_state import advance

#: Steps of a power iteration. A start at random, so that what is found may be too small, never too large.
ITERATIONS = 12


def largest_stretch(
    rnn: nn.Module,
    inputs: Float[Tensor, "b t c"],
    start: Float[Tensor, "b m"],
    *,
    generator: torch.Generator,
    iterations: int = ITERATIONS,
    visible: bool = False,
) -> Float[Tensor, " b"]:
    """The largest singular value of ∂h_{s+t}/∂h_s for every sequence: states ``start``, then t inputs.

    By power iteration with JᵀJ: one forward pass, then products from both sides, J v as the derivative of Jᵀu in u.
    ``σ ** (1/t)`` is the contraction of one step, on data.

    Args:
        rnn: one layer.
        inputs: t of them.
        start: the states.
        generator: of the first vector.
        iterations: of the power method.
        visible: look at the outputs after the t inputs alone, not at the cells behind them; for an RNN the same.
    """
    checks.whole("iterations", iterations, least=1)
    start = start.detach().requires_grad_()
    outputs, after = advance(rnn, inputs, start)
    if visible:
        after = outputs[:, -1]
    carried = torch.zeros_like(after, requires_grad=True)
    # linear in what is carried back: its derivative carries forwards
    (back,) = torch.autograd.grad(after, start, carried, create_graph=True)
    vector = torch.randn(start.shape, generator=generator, dtype=start.dtype)
    found = torch.zeros(len(start), dtype=start.dtype)
    for _ in range(iterations):
        vector = vector / _size(vector).clamp(min=torch.finfo(vector.dtype).tiny)[:, None]
        (forwards,) = torch.autograd.grad(back, carried, vector, retain_graph=True)
        found = _size(forwards)
        (vector,) = torch.autograd.grad(after, start, forwards, retain_graph=True)
    return found.detach()


def gradient_norms(
    rnn: nn.Module, readout: nn.Module, inputs: Float[Tensor, "b t c"], start: Float[Tensor, "b m"], loss: object
) -> Float[Tensor, " b"]:
    """‖∂loss/∂h_s‖ of every sequence: the loss of the output after t further inputs, by the state before them.

    Args:
        rnn: one layer.
        readout: from its outputs to what the loss reads.
        inputs: the t inputs between.
        start: the state before them.
        loss: ``loss(outputs)`` gives one number per sequence ``[b]``, from the read-out of the last step.
    """
    start = start.detach().requires_grad_()
    last = advance(rnn, inputs, start)[0][:, -1]
    (slope,) = torch.autograd.grad(loss(readout(last)).sum(), start)
    return _size(slope)


def _size(rows: Tensor) -> Tensor:
    return torch.linalg.vector_norm(rows, dim=-1)
