import pytest
import torch

from inductive_bias.models import RecurrentSpec

CELLS = ("linear", "tanh", "lstm")


def built(cell, states=5):
    torch.manual_seed(0)
    return RecurrentSpec(cell=cell, states=states).build(channels=2, outputs=3)


def inputs(t=7, b=2):
    return torch.randn(b, t, 2, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("t", [1, 7])
def test_outputs_are_the_read_out_of_the_states_and_see_the_past_alone(cell, t):
    model, x = built(cell), inputs(t).requires_grad_()
    states = model.states(x)
    assert states.shape == (2, t, 5)
    torch.testing.assert_close(model(x), model.readout(states))
    torch.testing.assert_close(model.features(x), states[:, -1])
    if t > 1:
        (gradient,) = torch.autograd.grad(model(x)[:, 2].sum(), x)
        assert gradient[:, :3].abs().min() > 0
        assert gradient[:, 3:].abs().max() == 0


@pytest.mark.parametrize("cell", CELLS)
def test_memory_begins_with_the_states_and_is_all_that_a_step_needs(cell):
    model, x = built(cell), inputs()
    memory = model.memory(x)
    torch.testing.assert_close(memory[..., :5], model.states(x))
    if cell == "lstm":
        last = tuple(part.contiguous()[None] for part in memory[:, 3].split(5, -1))
        torch.testing.assert_close(model.rnn(x[:, 4:], last)[0], model.states(x)[:, 4:])


def test_the_tanh_rnn_is_its_formula():
    model, x = built("tanh"), inputs()
    rnn, state, found = model.rnn, torch.zeros(2, 5), []
    for step in x.unbind(1):
        drive = step @ rnn.weight_ih_l0.T + rnn.bias_ih_l0 + rnn.bias_hh_l0
        state = torch.tanh(state @ rnn.weight_hh_l0.T + drive)
        found.append(state)
    torch.testing.assert_close(model.states(x), torch.stack(found, 1))


def test_the_linear_rnn_is_linear_and_has_no_second_read_out():
    model, x = built("linear"), inputs()
    torch.testing.assert_close(model.states(3 * x), 3 * model.states(x))
    assert {name for name, _ in model.named_parameters()} == {
        "rnn.recurrent", "rnn.input.weight", "readout.weight", "readout.bias"
    }  # fmt: skip


def test_names_and_bad_settings():
    assert [RecurrentSpec(cell=cell).name for cell in CELLS] == ["Linear RNN", "tanh RNN", "LSTM"]
    with pytest.raises(ValueError, match="cell"):
        RecurrentSpec(cell="gru")
    with pytest.raises(ValueError, match="states"):
        RecurrentSpec(states=0)
