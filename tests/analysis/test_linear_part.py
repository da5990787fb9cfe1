import pytest
import torch
from torch import nn

from inductive_bias.analysis import AffineSystem, fit_affine, fit_filter, linearise
from inductive_bias.layers import decompose


def normal(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def system():
    return AffineSystem(normal(4, 4) * 0.3, normal(4, 2, seed=1), normal(4, seed=2))


def tanh_rnn(bias=True):
    torch.manual_seed(0)
    return nn.RNN(2, 5, batch_first=True, bias=bias)


def test_an_affine_system_rolled_out_is_the_sum_of_its_heads(system):
    inputs = normal(3, 17, 2, seed=3)
    torch.testing.assert_close(system.roll_out(inputs), decompose(system.recurrent).apply(system.drive(inputs)))


def test_one_step_from_its_own_states_is_the_roll_out(system):
    inputs = normal(3, 9, 2, seed=3)
    states = system.roll_out(inputs)
    torch.testing.assert_close(system.one_step(inputs, states), states)


def test_a_fit_finds_the_system_that_made_the_states(system):
    inputs = normal(8, 20, 2, seed=3)
    found = fit_affine(inputs, system.roll_out(inputs))
    for name in ("recurrent", "input", "constant"):
        torch.testing.assert_close(getattr(found, name), getattr(system, name))


def test_a_state_that_never_moves_gets_weight_0():
    inputs = normal(8, 20, 2)
    states = torch.cat((inputs.cumsum(1), torch.zeros(8, 20, 1).double()), -1)
    found = fit_affine(inputs, states)
    torch.testing.assert_close(found.recurrent[:, 2], torch.zeros(3).double(), atol=1e-9, rtol=0)
    torch.testing.assert_close(found.roll_out(inputs), states)


def test_a_filter_does_what_any_linear_rnn_does_and_more_than_a_smaller_fit(system):
    inputs, others = normal(40, 12, 2, seed=3), normal(6, 12, 2, seed=4)
    states = system.roll_out(inputs)
    found = fit_filter(inputs, states)
    torch.testing.assert_close(found.roll_out(others), system.roll_out(others))
    # lag n weighs Wⁿ U
    want = torch.stack([torch.linalg.matrix_power(system.recurrent, n) @ system.input for n in range(12)]).mT
    torch.testing.assert_close(found.kernel, want)


def test_no_linear_system_beats_the_filter_on_what_it_was_fitted_to():
    inputs = normal(60, 10, 2)
    states = tanh_rnn()(inputs.float())[0].detach().double()
    errors = [(fit(inputs, states).roll_out(inputs) - states).square().sum() for fit in (fit_filter, fit_affine)]
    assert errors[0] < errors[1]


@pytest.mark.parametrize("bias", [True, False])
def test_linearising_is_exact_at_the_point_and_has_the_jacobian_of_autograd(bias):
    rnn, state, value = tanh_rnn(bias), normal(5) * 0.3, normal(2, seed=1)
    found = linearise(rnn, state, value)

    def step(h, x):
        return rnn.double()(x[None, None], h[None, None])[0][0, 0]

    torch.testing.assert_close(found.recurrent @ state + found.drive(value[None, None])[0, 0], step(state, value))
    by_state, by_value = torch.autograd.functional.jacobian(step, (state, value))
    torch.testing.assert_close(found.recurrent, by_state)
    torch.testing.assert_close(found.input, by_value)


def test_small_inputs_make_a_tanh_rnn_without_bias_linear():
    rnn, inputs = tanh_rnn(bias=False), 1e-4 * normal(3, 20, 2).float()
    states = rnn(inputs)[0].detach().double()
    found = linearise(rnn, torch.zeros(5), torch.zeros(2)).roll_out(inputs)
    assert (found - states).abs().max() < 1e-6 * states.abs().max()


def test_as_many_steps_as_offsets_and_coefficients_are_enough_for_a_filter():
    # 3 channels and 4 steps: 4 offsets and 12 coefficients, so 4 sequences are enough and 3 are not
    assert fit_filter(normal(4, 4, 3), normal(4, 4, 2)).kernel.shape == (4, 3, 2)
    with pytest.raises(ValueError, match="3 sequences are too few to fit 16 coefficients"):
        fit_filter(normal(3, 4, 3), normal(3, 4, 2))


def test_what_is_no_tanh_rnn_and_too_little_data_are_refused():
    with pytest.raises(ValueError, match=r"one causal layer of .* with tanh"):
        linearise(nn.RNN(2, 5, nonlinearity="relu"), torch.zeros(5), torch.zeros(2))
    with pytest.raises(ValueError, match="4 steps are too few to fit 8 coefficients"):
        fit_affine(normal(1, 4, 2), normal(1, 4, 5))
    with pytest.raises(ValueError, match="1 sequences are too few to fit 27 coefficients"):
        fit_filter(normal(1, 9, 2), normal(1, 9, 5))
