"""Who reads what, against what the models say of themselves and against inputs that are changed."""

import pytest
import torch

from inductive_bias.analysis.windows import inputs_read, inputs_taught
from inductive_bias.models import RecurrentSpec, TCNSpec

STEPS = 12


def built(spec):
    torch.manual_seed(0)
    return spec.build(channels=1, outputs=1)


def band(width):
    """Each output with its last ``width`` inputs."""
    ones = torch.ones(STEPS, STEPS, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - width)


@pytest.mark.parametrize("cell", ["tanh", "lstm", "gru"])
def test_a_state_reads_all_that_came_before_and_gradients_end_where_they_are_cut(cell):
    model = built(RecurrentSpec(cell=cell, states=4, bptt=4))
    assert torch.equal(inputs_read(model, STEPS), band(STEPS))
    # within the part that the output stands in
    part = torch.arange(STEPS) // 4
    assert torch.equal(inputs_taught(model, STEPS), band(STEPS) & (part[:, None] == part))


def test_windows_are_read_and_taught_alike():
    for model, width in (
        (built(RecurrentSpec(cell="lstm", states=4, context=3)), 3),
        (built(TCNSpec(levels=2, width=4, kernel=2, dropout=0.0)), 7),
    ):
        assert torch.equal(inputs_read(model, STEPS), band(width))
        assert torch.equal(inputs_taught(model, STEPS), band(width))
    assert TCNSpec(levels=2, kernel=2).receptive_field == 7


def test_they_are_the_inputs_whose_change_changes_an_output():
    model = built(RecurrentSpec(cell="lstm", states=4, context=5)).double().eval()
    inputs = torch.randn(1, STEPS, 1, dtype=torch.float64)
    moved = torch.stack([model(inputs + torch.eye(STEPS)[j, :, None])[0, :, 0] for j in range(STEPS)], dim=1)
    assert torch.equal(inputs_read(model, STEPS), (moved - model(inputs)[0]).abs() > 0)


def test_the_model_stays_as_it_was_and_bad_input_is_refused():
    model = built(RecurrentSpec(cell="tanh", states=4)).train()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    inputs_read(model, STEPS)
    assert model.training
    assert next(model.parameters()).dtype == torch.float32
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    assert not any(weight.grad is not None for weight in model.parameters())
    with pytest.raises(ValueError, match="steps must be"):
        inputs_read(model, 0)
    with pytest.raises(ValueError, match="channels must be"):
        inputs_taught(model, STEPS, 0)
