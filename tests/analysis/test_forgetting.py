import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.analysis.forgetting import gradient_norms, largest_stretch
from inductive_bias.analysis.truncation import in_float64
from inductive_bias.layers import StableRNN, certified_contraction
from inductive_bias.layers.rnn_state import advance


def made(kind, states=5):
    torch.manual_seed(0)
    return in_float64((nn.RNN if kind == "rnn" else nn.LSTM)(3, states, batch_first=True))


def data(kind, t=4, b=3, states=5):
    generator = torch.Generator().manual_seed(1)
    inputs = torch.rand(b, t, 3, dtype=torch.float64, generator=generator) * 2 - 1
    start = torch.rand(b, states * (1 + (kind == "lstm")), dtype=torch.float64, generator=generator) - 0.5
    return inputs, start


each = pytest.mark.parametrize("kind", ["rnn", "lstm"])


@each
@pytest.mark.parametrize("visible", [False, True])
@pytest.mark.parametrize("t", [1, 7])
def test_the_stretch_is_the_norm_of_the_whole_jacobian(kind, t, visible):
    rnn, (inputs, start) = made(kind), data(kind, t)
    options = {"generator": torch.Generator().manual_seed(0), "iterations": 200, "visible": visible}
    found = largest_stretch(rnn, inputs, start, **options)
    for row in range(3):
        jacobian = torch.autograd.functional.jacobian(
            lambda state, row=row: advance(rnn, inputs[row : row + 1], state[None])[1][0], start[row]
        )
        jacobian = jacobian[:5] if visible else jacobian
        assert found[row].item() == pytest.approx(torch.linalg.svdvals(jacobian)[0].item(), rel=1e-6)


def test_a_few_iterations_say_too_little_and_never_too_much():
    rnn, (inputs, start) = made("lstm"), data("lstm")
    few, many = (
        largest_stretch(rnn, inputs, start, generator=torch.Generator().manual_seed(0), iterations=n) for n in (2, 200)
    )
    assert (few <= many * (1 + 1e-9)).all()
    assert (few > 0.5 * many).all()


def test_a_stable_layer_contracts_on_data_by_at_least_its_certificate():
    rnn = nn.RNN(3, 5, batch_first=True)
    StableRNN(contraction=0.7, form="rescaled").apply_(rnn)
    rnn, (inputs, start) = in_float64(rnn), data("rnn", t=6)
    found = largest_stretch(rnn, inputs, start, generator=torch.Generator().manual_seed(0))
    assert (found <= certified_contraction(rnn) ** 6 * (1 + 1e-9)).all()


@each
def test_gradient_norms_are_those_of_autograd_alone(kind):
    rnn, (inputs, start) = made(kind), data(kind)
    readout, labels = nn.Linear(5, 4).double(), torch.tensor([0, 3, 1])
    found = gradient_norms(rnn, readout, inputs, start, lambda z: F.cross_entropy(z, labels, reduction="none"))
    for row in range(3):
        one = start[row : row + 1].clone().requires_grad_()
        outputs = advance(rnn, inputs[row : row + 1], one)[0][:, -1]
        F.cross_entropy(readout(outputs), labels[row : row + 1]).backward()
        assert found[row].item() == pytest.approx(one.grad.norm().item())
