import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.layers import REM, apply_rem, chunked, rem_matrix
from tests.hostile import refused
from tests.layers.naive import example, gradients

pytestmark = pytest.mark.usefixtures("each_form")

ONE_OF_EACH = (1, 1, 1, 1, 1, 1)


def values_of(rem, b=2, t=9, d=3, dtype=torch.float64):
    return torch.randn(b, len(rem.kinds), t, d, dtype=dtype, generator=torch.Generator().manual_seed(1))


@settings(max_examples=20, deadline=None)
@given(
    counts=st.lists(st.integers(0, 2), min_size=6, max_size=6).filter(any),
    dilation=st.integers(1, 9),
    t=st.integers(1, 20),
    diagonal=st.sampled_from(["zero", "printed"]),
    shared=st.booleans(),
    chunks=st.sampled_from([(4, 10, 5), chunked.CHUNKS]),
)
def test_dense_chunked_and_step_by_step_agree(counts, dilation, t, diagonal, shared, chunks):
    torch.manual_seed(0)
    rem = REM(sum(counts), counts, dilation=dilation, diagonal=diagonal, shared=shared).double()
    values = values_of(rem, t=t)
    dense = rem.matrix(t) @ values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunked, "CHUNKS", chunks)
        torch.testing.assert_close(rem(values), dense)

    state, steps = None, []
    for n in range(t):
        out, state = rem.step(state, values[:, :, n])
        steps.append(out)
    torch.testing.assert_close(torch.stack(steps, 2), dense)
    torch.testing.assert_close(rem.state(values), state)
    parameters = list(rem.parameters())
    if t > 1:  # the first token depends on no parameter
        torch.testing.assert_close(gradients(torch.stack(steps, 2), parameters), gradients(dense, parameters))


def test_heads_stand_in_the_order_of_the_six_kinds():
    rem = REM(9, (1, 2, 1, 2, 1, 2), dilation=(2, 3, 4, 5, 6))
    assert rem.kinds == ("real", "cos", "cos", "sin", "real", "real", "cos", "sin", "sin")
    assert rem.dilations == (1, 1, 1, 1, 2, 3, 4, 5, 6)
    with torch.no_grad():
        rem.eta.copy_(torch.tensor([1.0, 2.0, 3.0]))
        rem.nu.copy_(torch.arange(6.0))
        rem.theta.copy_(torch.arange(6.0) / 10)
    lam, gam = torch.tensor([1.0, 2.0, 3.0]).tanh(), torch.arange(6.0).sigmoid()
    torch.testing.assert_close(rem.decay, torch.stack([lam[0], *gam[:3], *lam[1:], *gam[3:]]))
    torch.testing.assert_close(rem.angle, torch.tensor([0, 0, 0.1, 0.2, 0, 0, 0.3, 0.4, 0.5]))
    torch.testing.assert_close(
        rem(values_of(rem, dtype=torch.float32)),
        apply_rem(values_of(rem, dtype=torch.float32), rem.kinds, rem.decay, rem.angle, dilation=rem.dilations),
    )


def test_shared_parameters_are_one_a_kind_and_five_a_layer_with_the_gate_for_the_paper_s_counts():
    rem = REM(4, (0, 0, 0, 0, 2, 2), shared=True)
    assert sum(p.numel() for p in rem.parameters()) == 4
    assert rem.eta is None
    assert rem.decay[0] == rem.decay[1] != rem.decay[2] == rem.decay[3]
    assert sum(p.numel() for p in REM(4, (0, 0, 0, 0, 2, 2)).parameters()) == 8
    every = REM(12, (2,) * 6, shared=True)
    assert every.decay.unique().numel() == 6
    assert every.kinds == ("real",) * 2 + ("cos",) * 2 + ("sin",) * 2 + ("real",) * 2 + ("cos",) * 2 + ("sin",) * 2


def test_parameters_start_as_in_the_paper():
    torch.manual_seed(0)
    rem = REM(600, (200, 100, 100, 0, 100, 100))
    assert ((rem.eta.abs() >= 1) & (rem.eta.abs() <= 2)).all()
    assert 0.4 < (rem.eta > 0).float().mean() < 0.6
    assert ((rem.nu >= 1) & (rem.nu <= 2)).all()
    assert rem.nu.std() > 0.2
    assert (rem.theta == torch.pi / 4).all()


def test_without_counts_the_heads_are_spread_evenly():
    assert REM(8).counts == (2, 2, 1, 1, 1, 1)
    assert REM(1).counts == (1, 0, 0, 0, 0, 0)


def test_all_parameters_receive_a_gradient_and_move():
    torch.manual_seed(0)
    rem = REM(6, ONE_OF_EACH)
    before = {name: p.detach().clone() for name, p in rem.named_parameters()}
    optimiser = torch.optim.SGD(rem.parameters(), lr=0.1)
    rem(values_of(rem, dtype=torch.float32)).square().sum().backward()
    optimiser.step()
    for name, parameter in rem.named_parameters():
        assert (parameter != before[name]).all(), name


def test_copies_are_equal_and_independent():
    rem = REM(6, ONE_OF_EACH)
    other = REM(6, ONE_OF_EACH)
    other.load_state_dict(rem.state_dict())
    assert set(rem.state_dict()) == {"eta", "nu", "theta"}
    twin, values = copy.deepcopy(rem), values_of(rem, dtype=torch.float32)
    assert torch.equal(twin(values), rem(values))
    assert torch.equal(other(values), rem(values))
    with torch.no_grad():
        twin.eta.zero_()
    assert not torch.equal(twin(values), rem(values))


@pytest.mark.parametrize("gates", [1, 6])
@pytest.mark.parametrize("t", [1, 9, 70])
def test_mixing_is_the_gated_sum_in_value_and_gradient(t, gates):
    rem = REM(6, ONE_OF_EACH).double()
    values = values_of(rem, t=t).requires_grad_()
    attended, logit = torch.randn_like(values).requires_grad_(), torch.randn(gates).double().requires_grad_()
    gate = logit.sigmoid()[:, None, None]
    ours, want = rem.mix(values, attended, logit), (1 - gate) * attended + gate * (rem.matrix(t) @ values)
    torch.testing.assert_close(ours, want)
    leaves = [values, attended, logit, *rem.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_the_state_s_size_does_not_depend_on_the_past():
    rem = REM(6, ONE_OF_EACH, dilation=(2, 3, 5))
    assert {rem.state(values_of(rem, t=t)).shape for t in (1, 4, 100)} == {(2, 6, 2, 5, 3)}
    assert REM(2, (1, 0, 0, 1, 0, 0)).state(torch.zeros(1, 2, 7, 3)).shape == (1, 2, 1, 2, 3)


@pytest.mark.parametrize("diagonal", ["zero", "printed"])
@pytest.mark.parametrize("prompt", [1, 3, 70, 99])
def test_the_state_of_long_dilations_has_no_more_slots_than_tokens_were_read(prompt, diagonal):
    rem = REM(6, ONE_OF_EACH, dilation=(2, 80, 10**30), diagonal=diagonal).double()
    values = values_of(rem, t=100)
    want, state = rem.matrix(100) @ values, rem.state(values[:, :, :prompt])
    torch.testing.assert_close(rem(values), want)
    for t in range(prompt, 100):
        assert state.shape[3] == t
        out, state = rem.step(state, values[:, :, t])
        torch.testing.assert_close(out, want[:, :, t])
    torch.testing.assert_close(rem.state(values), state)


@pytest.mark.parametrize("causal", [True, False])
def test_a_dilation_longer_than_the_sequence_reaches_nothing_and_costs_nothing(each_form, causal):
    kinds, dilations = ("real", "cos", "sin"), (10**9, 2**62, 10**30)
    values, decay, angle = example(kinds, t=5)
    options = {"dilation": dilations, "causal": causal, "diagonal": "printed"}
    ours = apply_rem(values, kinds, decay, angle, **options)
    # the printed diagonal is all there is
    torch.testing.assert_close(ours, values * torch.tensor([0.0, 1.0, 0.0]).double()[:, None, None])
    torch.testing.assert_close(ours, rem_matrix(kinds, decay, angle, 5, **options) @ values)
    assert not any(gradient.any() for gradient in gradients(ours, [decay, angle]))


def test_a_bfloat16_state_is_kept_in_float32():
    rem = REM(6, ONE_OF_EACH)
    values = values_of(rem, dtype=torch.bfloat16)
    out, state = rem.step(rem.state(values), values[:, :, 0])
    assert (out.dtype, state.dtype) == (torch.bfloat16, torch.float32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"heads": 5, "counts": ONE_OF_EACH}, r"add up to heads=5, not \(1, 1, 1, 1, 1, 1\) with sum 6"),
        ({"heads": 2, "counts": (1, 1)}, r"counts must be six numbers, k1 to k6, not \(1, 1\)"),
        ({"heads": 2, "counts": (3, 0, -1, 0, 0, 0)}, "k3 must be an integer of at least 0, not -1"),
        ({"heads": 0}, "heads must be an integer of at least 1, not 0"),
        ({"heads": 6, "dilation": 0}, "dilation must be an integer of at least 1, not 0"),
        ({"heads": 6, "dilation": (2, 3)}, "dilation must be one value or one for each of the 3 dilated heads, not 2"),
        ({"heads": 6, "diagonal": "one"}, "diagonal must be one of zero, printed, not 'one'"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        REM(**arguments)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.zeros(1, 6, 4), "values must have 4 dimensions"),
        (torch.zeros(1, 5, 4, 2), r"values must have 6 heads, not 5: \(1, 5, 4, 2\)"),
        (torch.zeros(1, 6, 0, 2), "values must not be empty"),
        (torch.zeros(1, 6, 4, 2, dtype=torch.int32), "real floating-point numbers, not torch.int32"),
        (torch.zeros(1, 6, 4, 2, device="meta"), "one device, not values on meta, parameters on cpu"),
    ],
)
def test_bad_values_are_refused(values, message):
    rem = REM(6)
    for function in (rem, rem.state):
        refused(function, message, values)


def test_bad_steps_are_refused():
    rem = REM(6)
    message = r"state must have shape \(2, 6, 2, 2, 3\), not \(1, 6, 2, 2, 3\)"
    refused(rem.step, message, torch.zeros(1, 6, 2, 2, 3), torch.zeros(2, 6, 3))
    refused(rem.step, "state must have 2 to 2 slots, not 3", torch.zeros(2, 6, 2, 3, 3), torch.zeros(2, 6, 3))
    refused(rem.step, "values must have 3 dimensions", None, torch.zeros(2, 6, 1, 3))
    with pytest.raises(ValueError, match="causal must be True to go step by step, not False"):
        REM(6, causal=False).step(None, torch.zeros(2, 6, 3))
    with pytest.raises(ValueError, match="length must be an integer of at least 1, not 0"):
        rem.matrix(0)
