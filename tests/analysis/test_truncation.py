import math

import pytest
import torch
from torch import nn

from inductive_bias.analysis.truncation import (
    gaps,
    in_float64,
    largest_ratio,
    last_state,
    rem_tail,
    size,
    window,
    worst_inputs,
)
from inductive_bias.layers import LinearRNN, StableLSTM, StableRNN, certified_contraction, rem_lags


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def made(kind, *, contraction=0.9, states=6, channels=3, seed=0):
    torch.manual_seed(seed)
    if kind == "linear":
        return in_float64(LinearRNN(channels, states, radius=contraction))
    if kind == "rnn":
        rnn = nn.RNN(channels, states, batch_first=True)
        StableRNN(contraction=contraction, form="rescaled").apply_(rnn)
        return in_float64(rnn)
    lstm = nn.LSTM(channels, states, batch_first=True)
    with torch.no_grad():
        for weight in lstm.parameters():
            weight.mul_(6)
    StableLSTM(forget=0.7, contraction=contraction).apply_(lstm)
    return in_float64(lstm)


def inputs(t=30, b=3, channels=3):
    return torch.rand(b, t, channels, dtype=torch.float64, generator=generator(1)) * 2 - 1


KINDS = ("linear", "rnn", "lstm")
every_kind = pytest.mark.parametrize("kind", KINDS)


def bound(rnn):
    return certified_contraction(rnn, 1.0)


@every_kind
def test_the_last_state_is_that_of_a_loop_over_steps(kind):
    rnn, x = made(kind), inputs()
    state = None
    if kind == "linear":
        state = torch.zeros(3, 6, dtype=torch.float64)
        for step in x.unbind(1):
            state = step @ rnn.input.weight.T + state @ rnn.recurrent.T
        torch.testing.assert_close(last_state(rnn, x), rnn.states(x)[:, -1])
    else:
        cell = (nn.RNNCell if kind == "rnn" else nn.LSTMCell)(3, 6, dtype=torch.float64)
        cell.load_state_dict({name.removesuffix("_l0"): value for name, value in rnn.state_dict().items()})
        for step in x.unbind(1):
            state = cell(step, state)
        state = torch.cat(state, -1) if kind == "lstm" else state
    torch.testing.assert_close(last_state(rnn, x), state.detach())
    assert last_state(rnn, x[:, :0]).shape == state.shape
    assert not last_state(rnn, x[:, :0]).any()


@every_kind
def test_gaps_stay_below_their_bound_at_every_context_and_vanish_with_all_the_past(kind):
    rnn, x = made(kind), inputs()
    contexts = list(range(31))
    found, before = gaps(rnn, x, contexts)
    limits = bound(rnn) ** torch.arange(31) * before
    assert (found <= limits + 1e-12).all()
    assert not found[:, 30].any()
    torch.testing.assert_close(found[:, 0], size(rnn, last_state(rnn, x)))


def test_an_orthogonal_linear_rnn_reaches_its_bound():
    rnn, x = made("linear", contraction=0.8), inputs()
    found, before = gaps(rnn, x, [1, 5, 20])
    torch.testing.assert_close(found, torch.tensor([0.8, 0.8**5, 0.8**20]).double() * before, rtol=1e-4, atol=0)


@every_kind
def test_the_worst_inputs_are_worse_than_random_ones_and_still_within_the_bound(kind):
    rnn = made(kind)
    worst = worst_inputs(rnn, 5, 12, channels=3, generator=generator(), steps=40)
    assert worst.shape == (1, 12, 3)
    assert worst.abs().max() <= 1
    found, before = gaps(rnn, worst, [5])
    assert found.item() > gaps(rnn, inputs(12, 50), [5])[0].max().item()
    assert found.item() <= bound(rnn) ** 5 * before.item() * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["rnn", "lstm"])
def test_the_largest_one_step_ratio_is_at_most_the_certificate(kind):
    rnn = made(kind)
    found = largest_ratio(rnn, generator=generator(), steps=40)
    assert 0.1 < found <= bound(rnn) * (1 + 1e-9)


def test_the_ratio_of_a_tanh_rnn_comes_near_its_norm():
    torch.manual_seed(0)
    rnn = nn.RNN(3, 4, batch_first=True, bias=False)
    nn.init.orthogonal_(rnn.weight_hh_l0, 0.9)
    assert largest_ratio(in_float64(rnn), generator=generator()) == pytest.approx(0.9, abs=0.01)


def test_the_window_is_where_the_bound_meets_the_error():
    k = window(0.9, 1e-3, 2.0)
    assert 0.9**k * 2.0 == pytest.approx(1e-3)
    assert window(0.5, 3.0, 2.0) == 0


@pytest.mark.parametrize(("lag", "dilation"), [(0, 1), (7, 1), (7, 3), (9, 3)])
@pytest.mark.parametrize("decay", [-0.8, 0.3, 0.8])
def test_the_tail_of_a_rem_is_the_sum_of_the_weights_beyond(decay, lag, dilation):
    length = 400 * dilation
    weights = rem_lags("real", torch.tensor([decay], dtype=torch.float64), None, length, dilation=dilation)[0]
    assert rem_tail(decay, lag, dilation=dilation) == pytest.approx(weights[lag + 1 :].abs().sum().item(), rel=1e-9)


def test_rem_heads_that_turn_lose_at_most_the_tail():
    decay, angle = torch.tensor([0.85], dtype=torch.float64), torch.tensor([0.7], dtype=torch.float64)
    for kind in ("cos", "sin"):
        weights = rem_lags(kind, decay, angle, 500)[0]
        assert weights[11:].abs().sum().item() <= rem_tail(0.85, 10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaps(made("rnn"), inputs(4), [5]), r"context must lie in \[0, 4\]"),
        (lambda: last_state(torch.nn.LSTM(2, 3, 2, batch_first=True).double(), inputs(4)), "one layer, not 2"),
        (lambda: gaps(made("rnn"), inputs(4), [-1]), "context must be an integer of at least 0"),
        (lambda: worst_inputs(made("rnn"), 5, 5, channels=3, generator=generator()), "length must be"),
        (lambda: window(1.0, 0.1, 1.0), "no window is enough"),
        (lambda: window(0.5, 0.0, 1.0), "error must be positive"),
        (lambda: rem_tail(1.0, 3), "decay must lie strictly"),
        (lambda: rem_tail(0.5, -1), "lag must be"),
        (lambda: rem_tail(math.nan, 1), "decay"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
