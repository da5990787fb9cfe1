import pytest
import torch
from torch import nn

from inductive_bias.layers.rnn_state import advance


def made(kind):
    torch.manual_seed(0)
    return (nn.RNN if kind == "rnn" else nn.LSTM)(3, 5, batch_first=True).double()


def data(kind, t=4):
    generator = torch.Generator().manual_seed(1)
    inputs = torch.rand(2, t, 3, dtype=torch.float64, generator=generator) * 2 - 1
    return inputs, torch.rand(2, 5 * (1 + (kind == "lstm")), dtype=torch.float64, generator=generator) - 0.5


each = pytest.mark.parametrize("kind", ["rnn", "lstm"])


@each
def test_states_advance_as_by_a_cell(kind):
    rnn, (inputs, start) = made(kind), data(kind)
    cell = (nn.RNNCell if kind == "rnn" else nn.LSTMCell)(3, 5, dtype=torch.float64)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in rnn.state_dict().items()})
    state = start if kind == "rnn" else start.chunk(2, -1)
    for step in inputs.unbind(1):
        state = cell(step, state)
    outputs, last = advance(rnn, inputs, start)
    torch.testing.assert_close(last, torch.cat(state, -1) if kind == "lstm" else state)
    torch.testing.assert_close(outputs[:, -1], last[:, :5])


@each
def test_in_pieces_it_is_the_same_as_in_one(kind):
    rnn, (inputs, _) = made(kind), data(kind)
    outputs, last = advance(rnn, inputs)
    first, between = advance(rnn, inputs[:, :3])
    second, end = advance(rnn, inputs[:, 3:], between)
    torch.testing.assert_close(torch.cat((first, second), 1), outputs)
    torch.testing.assert_close(end, last)
    torch.testing.assert_close(outputs, rnn(inputs)[0])


@each
def test_no_input_leaves_the_state_as_it_is(kind):
    rnn, (inputs, start) = made(kind), data(kind, t=0)
    outputs, last = advance(rnn, inputs, start)
    assert outputs.shape == (2, 0, 5)
    assert last is start
    assert not advance(rnn, inputs)[1].any()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (nn.GRU(3, 5), "module must be"),
        (nn.LSTM(3, 5, num_layers=2), "one layer, not 2"),
        (nn.RNN(3, 5, bidirectional=True), "module must read in one direction"),
        (nn.RNN(3, 5), "batch_first=True"),
    ],
)
def test_other_layers_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        advance(bad, torch.ones(1, 2, 3), torch.ones(1, 5))
