import copy
import itertools
import math

import pytest
import torch
from torch import nn

from inductive_bias.layers import LinearRNN, StableLSTM, StableRNN, certified_contraction
from inductive_bias.layers.stable import CIRCULATING, CIRCULATING_INPUTS
from inductive_bias.models import RecurrentSpec
from inductive_bias.training import DivergedError, OptimiserSpec, ScheduleSpec, fit

FORMS = {
    "budgets .6": StableLSTM(forget=0.6),
    "budgets .9": StableLSTM(forget=0.9, contraction=0.95),
    "paper": StableLSTM(form="paper"),
    "rows": StableLSTM(form="rows", contraction=0.995, ceiling=0.9),
}
every_form = pytest.mark.parametrize("constraint", FORMS.values(), ids=FORMS)


def lstm(scale=4.0, *, seed=0, layers=2, bias=True, states=6, inputs=3):
    torch.manual_seed(seed)
    made = nn.LSTM(inputs, states, layers, bias=bias, batch_first=True)
    with torch.no_grad():
        for weight in made.parameters():
            weight.mul_(scale)
    return made


def broken(module):
    """The same with a NaN in its last layer."""
    with torch.no_grad():
        list(module.parameters())[-1].view(-1)[0] = math.nan
    return module


def weights(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


def certificate_by_hand(made, input_bound):
    """The formula, unit by unit, in plain Python."""
    worst = 0.0
    n = made.hidden_size
    for layer in range(made.num_layers):
        hh, ih = (getattr(made, f"weight_{name}_l{layer}").double().tolist() for name in ("hh", "ih"))
        bias = [0.0] * 4 * n
        if made.bias:
            both = (getattr(made, f"bias_{name}_l{layer}").double().tolist() for name in ("hh", "ih"))
            bias = [a + b for a, b in zip(*both, strict=True)]
        for unit in range(n):
            rows = [sum(map(abs, hh[gate * n + unit])) for gate in range(4)]
            drive = rows[1] + (input_bound if layer == 0 else 1.0) * sum(map(abs, ih[n + unit])) + bias[n + unit]
            forget = 1 / (1 + math.exp(-drive))
            worst = max(worst, forget + rows[1] / (4 * (1 - forget)) + rows[0] / 4 + rows[2] + rows[3] / 4)
    return worst


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("input_bound", [0.0, 1.0, 2.5])
def test_the_certificate_of_an_lstm_is_the_formula(bias, input_bound):
    made = lstm(0.5, bias=bias)
    assert certified_contraction(made, input_bound) == pytest.approx(certificate_by_hand(made, input_bound), rel=1e-9)


def test_the_certificate_of_an_rnn_is_the_largest_norm_of_its_layers_and_the_radius_of_an_orthogonal_one():
    torch.manual_seed(0)
    rnn = nn.RNN(3, 5, num_layers=3)
    norms = [torch.linalg.svdvals(getattr(rnn, f"weight_hh_l{layer}").detach())[0].item() for layer in range(3)]
    assert certified_contraction(rnn) == pytest.approx(max(norms), rel=1e-6)
    assert certified_contraction(LinearRNN(4, 6, radius=0.7)) == pytest.approx(0.7, rel=1e-6)


@every_form
@pytest.mark.parametrize(("bias", "layers"), [(True, 1), (True, 2), (False, 2)])
def test_a_constrained_lstm_is_certified_in_every_layer(constraint, bias, layers):
    for scale, seed in itertools.product((0.1, 1.0, 10.0), range(3)):
        made = lstm(scale, seed=seed, bias=bias, layers=layers)
        constraint.apply_(made)
        assert certified_contraction(made, 1.0) <= constraint.contraction * (1 + 1e-6)


@every_form
def test_applying_twice_is_applying_once(constraint):
    made = lstm(10.0)
    constraint.apply_(made)
    once = weights(made)
    constraint.apply_(made)
    for name, value in weights(made).items():
        torch.testing.assert_close(value, once[name], rtol=0, atol=1e-6)


@every_form
def test_what_is_inside_stays_the_same_numbers_and_no_row_ever_grows(constraint):
    inside = lstm(1e-4)
    before = weights(inside)
    constraint.apply_(inside)
    assert all(torch.equal(value, before[name]) for name, value in weights(inside).items())
    outside = lstm(10.0)
    before = weights(outside)
    constraint.apply_(outside)
    for name, value in weights(outside).items():
        if name.startswith("weight"):
            assert (value.abs().sum(1) <= before[name].abs().sum(1) * (1 + 1e-6)).all()


@every_form
def test_weights_that_no_budget_is_of_are_left_alone(constraint):
    made = lstm(10.0, layers=1)
    before = weights(made)
    constraint.apply_(made)
    for name in ("weight_ih_l0", "bias_ih_l0", "bias_hh_l0"):
        new, old = (each[name].chunk(4) for each in (weights(made), before))
        assert all(torch.equal(new[gate], old[gate]) for gate in (0, 2, 3))


def test_the_forget_gate_is_moved_to_the_nearest_weights_under_its_ceiling():
    constraint = StableLSTM(forget=0.6)
    made = lstm(10.0, layers=1, states=4)
    block = slice(4, 8)
    rows = torch.cat((made.weight_ih_l0[block], (made.bias_ih_l0 + made.bias_hh_l0)[block, None]), 1).detach().double()
    constraint.apply_(made)
    found = torch.cat((made.weight_ih_l0[block], (made.bias_ih_l0 + made.bias_hh_l0)[block, None]), 1).detach().double()
    most = math.log(0.6 / 0.4) - (0.99 - 0.6) * 0.4
    assert (found[:, :-1].abs().sum(1) + found[:, -1] <= most * (1 + 1e-4)).all()
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        other = torch.randn(4, 4, dtype=torch.float64, generator=generator) * 3
        other[:, -1] = torch.minimum(other[:, -1], most * (1 - 1e-5) - other[:, :-1].abs().sum(1))
        assert (((rows - found) * (other - found)).sum(1) <= 1e-3).all()


def test_a_very_negative_bias_buys_room_and_is_not_touched():
    made = lstm(1.0, layers=1)
    with torch.no_grad():
        made.bias_ih_l0.fill_(-50.0)
    before = weights(made)
    StableLSTM(form="rows", contraction=0.99).apply_(made)
    after = weights(made)
    assert torch.equal(after["bias_ih_l0"], before["bias_ih_l0"])
    # with a forget gate that is shut, the recurrent rows may reach nearly the whole of their room
    assert certified_contraction(made, 1.0) <= 0.99 * (1 + 1e-6)
    assert after["weight_hh_l0"][:6].abs().sum(1).max() > 0.9


def test_units_that_forget_pay_nothing_for_a_unit_that_keeps():
    made = lstm(1.0, layers=1)
    with torch.no_grad():
        made.bias_ih_l0[6], made.bias_hh_l0[6] = 2.0, 1.0  # the forget gate of the first unit
        made.weight_ih_l0[6:12] *= 0.1
    together, apart = copy.deepcopy(made), copy.deepcopy(made)
    StableLSTM(form="paper").apply_(together)
    StableLSTM(form="rows").apply_(apart)
    assert together.weight_hh_l0[1].abs().sum() < 0.1 < apart.weight_hh_l0[1].abs().sum()


def test_the_form_in_circulation_rescales_columns_upwards_too_in_the_first_layer_alone():
    made = lstm(0.01)
    before = weights(made)
    StableLSTM(form="rescaled").apply_(made)
    after = weights(made)
    for (_, budget), block in zip(CIRCULATING.items(), after["weight_hh_l0"].chunk(4), strict=True):
        torch.testing.assert_close(block.abs().sum(0), torch.full((6,), budget))
    torch.testing.assert_close(after["weight_ih_l0"].chunk(4)[1].abs().sum(0), torch.full((3,), CIRCULATING_INPUTS))
    assert all(torch.equal(after[name], before[name]) for name in after if name.endswith("l1") or "bias" in name)


@pytest.mark.parametrize("layers", [1, 3])
def test_rnns_are_clipped_or_rescaled(layers):
    torch.manual_seed(0)
    rnn = nn.RNN(3, 8, layers)
    StableRNN(contraction=0.5).apply_(rnn)
    assert certified_contraction(rnn) == pytest.approx(0.5, rel=1e-5)
    smaller = weights(rnn)
    StableRNN(contraction=0.9).apply_(rnn)
    assert all(torch.equal(value, smaller[name]) for name, value in weights(rnn).items())
    StableRNN(contraction=0.9, form="rescaled").apply_(rnn)
    for layer in range(layers):
        norm = torch.linalg.matrix_norm(getattr(rnn, f"weight_hh_l{layer}"), ord=2).item()
        assert norm == pytest.approx(0.9, rel=1e-5)
    linear = LinearRNN(3, 4, radius=1.0)
    StableRNN(contraction=0.3).apply_(linear)
    assert certified_contraction(linear) == pytest.approx(0.3, rel=1e-5)


def test_what_is_zero_cannot_be_rescaled_and_stays_zero():
    made, rnn = lstm(0.0), nn.RNN(2, 3)
    rnn.weight_hh_l0.data.zero_()
    StableLSTM(form="rescaled").apply_(made)
    StableRNN(form="rescaled").apply_(rnn)
    assert not rnn.weight_hh_l0.any()
    assert not any(weight.any() for weight in made.parameters())


def test_a_training_step_may_leave_the_set_and_comes_back():
    made, constraint = lstm(1.0), StableLSTM(forget=0.8)
    constraint.apply_(made)
    stepper = torch.optim.Adam(made.parameters(), lr=0.1)
    for _ in range(3):
        stepper.zero_grad()
        (-made(torch.ones(2, 5, 3))[0].sum()).backward()
        stepper.step()
        assert certified_contraction(made, 1.0) > 0.99
        constraint.apply_(made)
        assert certified_contraction(made, 1.0) <= 0.99 * (1 + 1e-6)


NARROW = [
    StableLSTM(forget=0.989999),
    StableLSTM(forget=0.99 - 1e-12),
    StableLSTM(form="paper", ceiling=0.989999),
    StableLSTM(form="rows", ceiling=0.989999),
]


@pytest.mark.parametrize("constraint", NARROW)
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_ceiling_just_below_the_contraction_leaves_recurrent_weights_next_to_nothing(constraint, scale):
    made = lstm(scale)
    constraint.apply_(made)
    assert certified_contraction(made, 1.0) <= 0.99 * (1 + 1e-5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("constraint", [*NARROW, *FORMS.values(), StableLSTM(form="rescaled")])
def test_weights_that_diverged_stay_for_the_next_loss_to_tell(constraint, value):
    for name in dict(lstm().named_parameters()):
        made = lstm()
        with torch.no_grad():
            made.get_parameter(name).view(-1)[-7] = value
        before = weights(made)
        constraint.apply_(made)
        assert all(
            torch.equal(each.nan_to_num(5.0), before[key].nan_to_num(5.0)) for key, each in weights(made).items()
        )


@pytest.mark.parametrize("form", ["clipped", "rescaled"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_diverged_weights_of_other_networks_stay_as_well(form, value):
    for made, name in ((nn.RNN(3, 4, batch_first=True), "weight_hh_l0"), (LinearRNN(3, 4), "recurrent")):
        with torch.no_grad():
            made.get_parameter(name)[1, 2] = value
        StableRNN(form=form).apply_(made)
        assert not made.get_parameter(name).isfinite().all()


@pytest.mark.parametrize(
    "spec",
    [
        *({"cell": "lstm", "constraint": constraint} for constraint in NARROW),
        *({"cell": cell, "constraint": StableRNN()} for cell in ("tanh", "linear")),
    ],
)
def test_an_exploding_run_diverges_and_does_not_crash(spec):
    torch.manual_seed(0)
    model = RecurrentSpec(states=6, **spec).build(outputs=1, channels=3)
    inputs = torch.rand(4, 5, 3)
    with pytest.raises(DivergedError):
        fit(
            model,
            lambda: [inputs] * 4,
            lambda model, x: (model(x) - 1).square().mean(),
            steps_per_epoch=4,
            optimiser=OptimiserSpec(method="sgd", learning_rate=1e30, clip_norm=None),
            schedule=ScheduleSpec(epochs=2, batch_size=4),
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: certified_contraction(lstm()), "input_bound must be"),
        (lambda: certified_contraction(lstm(), math.inf), "input_bound must be"),
        (lambda: certified_contraction(lstm(), -1.0), "input_bound"),
        (lambda: certified_contraction(nn.GRU(2, 2)), "must be torch.nn.RNN or torch.nn.LSTM, not GRU"),
        (lambda: certified_contraction(nn.RNN(2, 2, bidirectional=True)), "one direction"),
        (lambda: certified_contraction(nn.LSTM(2, 4, proj_size=2), 1.0), "no projection"),
        (lambda: certified_contraction(broken(lstm(0.01)), 1.0), "weights must be finite"),
        (lambda: certified_contraction(broken(nn.RNN(2, 2))), "weights must be finite"),
        (lambda: StableRNN().apply_(lstm()), "not of LSTM"),
        (lambda: StableLSTM(forget=0.8).apply_(nn.RNN(2, 2)), "not of RNN"),
        (lambda: StableLSTM(), "forget must be given"),
        (lambda: StableLSTM(forget=0.8, form="rows"), "forget must be None"),
        (lambda: StableLSTM(forget=0.99, contraction=0.95), "must be below contraction"),
        (lambda: StableLSTM(forget=0.501), "no room for inputs"),
        (lambda: StableRNN(contraction=0.0), "contraction"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_names_for_pages():
    assert StableLSTM(forget=0.8).name == "forget gate ≤ 0.8"
    assert [StableLSTM(form=form).name for form in ("paper", "rows", "rescaled")] == [
        "as in the paper",
        "unit by unit",
        "rescaled",
    ]
    assert (StableRNN(contraction=0.9).name, StableRNN(form="rescaled").name) == ("λ ≤ 0.9", "rescaled to λ = 0.99")
