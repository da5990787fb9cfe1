"""An LSTM without shared weights: with equal ones it is PyTorch's."""

import pytest
import torch
from torch import nn

from inductive_bias.models import RecurrentSpec, UnrolledSpec

TOKENS = torch.tensor([[1, 2, 2, 1, 1], [2, 1, 0, 0, 0]])


def made(length=5):
    torch.manual_seed(0)
    return UnrolledSpec(length=length, states=4, embedding=3).build(outputs=2, vocabulary=3).double()


def test_with_equal_weights_at_every_step_it_is_the_lstm_with_values_and_gradients():
    model = made()
    lstm = RecurrentSpec(cell="lstm", states=4, embedding=3).build(outputs=2, vocabulary=3).double()
    for part in ("embedding", "readout"):
        getattr(model, part).load_state_dict(getattr(lstm, part).state_dict())
    weights = {name.removesuffix("_l0"): value for name, value in lstm.rnn.state_dict().items()}
    for step in model.steps:
        step.load_state_dict(weights)
    torch.testing.assert_close(model(TOKENS), lstm(TOKENS))
    for each in (model, lstm):
        each(TOKENS).square().sum().backward()
    shared = sum(step.weight_hh.grad for step in model.steps)
    torch.testing.assert_close(shared, lstm.rnn.weight_hh_l0.grad)
    torch.testing.assert_close(model.embedding.weight.grad, lstm.embedding.weight.grad)


def test_no_two_steps_begin_with_equal_weights_and_all_learn():
    model = made()
    first = [step.weight_ih for step in model.steps]
    assert not any(torch.equal(a, b) for i, a in enumerate(first) for b in first[:i])
    model(TOKENS)[:, -1].sum().backward()
    assert all(weight.grad.abs().sum() > 0 for weight in first)
    cell = nn.LSTMCell(3, 4)
    size = 5 * sum(each.numel() for each in cell.parameters()) + 3 * 3 + 2 * 4 + 2
    assert sum(each.numel() for each in model.parameters()) == size


@pytest.mark.parametrize("length", [1, 3])
def test_what_is_longer_than_its_steps_is_not_read(length):
    model = made(length)
    states = model.states(TOKENS)
    assert states.shape == (2, 5, 4)
    assert torch.equal(states[:, length:], states[:, length - 1 : length].expand(-1, 5 - length, -1))
    assert torch.equal(states[:, :length], model.states(TOKENS[:, :length]))


def test_it_is_causal_and_reads_what_is_shorter():
    model, other = made(), TOKENS.clone()
    other[:, 3:] = 2
    assert torch.equal(model(TOKENS)[:, :3], model(other)[:, :3])
    assert torch.equal(model(TOKENS[:, :2]), model(TOKENS)[:, :2])
