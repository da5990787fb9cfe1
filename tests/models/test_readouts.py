import pytest
import torch
import torch.nn.functional as F

from inductive_bias.models import RecurrentSpec
from inductive_bias.models.readouts import AdaptiveReadout


def made(outputs=50, cutoffs=(10, 30)):
    torch.manual_seed(0)
    return AdaptiveReadout(16, outputs, cutoffs).double()


@pytest.mark.parametrize("cutoffs", [(10,), (10, 30)])
def test_all_words_have_probability_one_and_a_label_costs_its_share(cutoffs):
    readout, states = made(cutoffs=cutoffs), torch.randn(7, 16, dtype=torch.float64)
    shares = readout(states).exp()
    torch.testing.assert_close(shares.sum(-1), torch.ones(7, dtype=torch.float64))
    labels = torch.tensor([0, 9, 10, 29, 30, 49, 1])
    torch.testing.assert_close(readout.nll(states, labels), F.nll_loss(readout(states), labels, reduction="none"))


def test_any_number_of_axes_before_the_states():
    readout, states = made(), torch.randn(2, 3, 16, dtype=torch.float64)
    torch.testing.assert_close(readout(states)[1, 2], readout(states[1, 2:3])[0])


@pytest.mark.parametrize("cell", ["tanh", "lstm", "gru"])
def test_a_carried_state_is_as_if_the_text_had_not_been_cut(cell):
    torch.manual_seed(0)
    spec = RecurrentSpec(cell=cell, states=6, embedding=4, layers=2, cutoffs=(5,))
    model = spec.build(vocabulary=12, outputs=12).eval()
    tokens = torch.randint(0, 12, (3, 20))
    whole, _ = model.carried(tokens)
    torch.testing.assert_close(model.readout(whole), model(tokens))
    state, parts = None, []
    for part in tokens.split(7, dim=1):
        found, state = model.carried(part, state)
        parts.append(found)
    torch.testing.assert_close(torch.cat(parts, 1), whole)
    leaves = state if cell == "lstm" else (state,)
    assert not any(each.requires_grad for each in leaves)


def test_a_truncated_model_carries_nothing_and_a_linear_one_refuses():
    torch.manual_seed(0)
    model = RecurrentSpec(cell="lstm", states=6, embedding=4, context=3).build(vocabulary=12, outputs=12).eval()
    tokens = torch.randint(0, 12, (2, 9))
    found, state = model.carried(tokens, "anything")
    assert state is None
    torch.testing.assert_close(found, model.states(tokens))
    linear = RecurrentSpec(cell="linear", states=6, embedding=4).build(vocabulary=12, outputs=12)
    with pytest.raises(ValueError, match="a linear RNN has no state to go on from"):
        linear.carried(tokens)
