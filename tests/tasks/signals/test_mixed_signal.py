"""Mixed signals: the best error is the noise, the proportion is exact, sizes and seeds do what they say."""

import math

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.tasks import MixedSignal
from inductive_bias.tasks.signals.mixed import crossed, draw, inputs_of, parts_of
from inductive_bias.tasks.signals.recurrence import saturate, saturated_variance

SMALL = MixedSignal(train_size=40, validation_size=10, test_size=12, length=9, scored=4, key_size=3)


def fields(setting, inputs):
    """Drive, value, key and query, read off the inputs."""
    k = setting.key_size
    return inputs[..., 0], inputs[..., 1], inputs[..., 2 : 2 + k], inputs[..., 2 + k :]


def scan(setting, drive):
    """The recurrence one step at a time, a state a mode: the impulse response is never used but for its size."""
    lags = np.arange(setting.length)
    poles = [complex(pole) for pole in setting.real_poles]
    poles += [modulus * np.exp(1j * angle) for modulus, angle in setting.complex_poles]
    sizes = [np.sqrt((((pole**lags).real) ** 2).sum()) for pole in poles]
    state, out = np.zeros((len(drive), len(poles)), dtype=complex), []
    for t in range(setting.length):
        state = state * poles + drive[:, t, None]
        out.append((state / sizes).real.sum(1))
    return np.stack(out, 1)


def oracle(setting, inputs):
    """What the true poles and an exact lookup predict, from the inputs alone."""
    drive, value, key, query = fields(setting, inputs.double().numpy())
    score = query @ key.swapaxes(1, 2)
    past = np.tril(np.ones(score.shape[1:]), -1)
    at = np.where(past > 0, score, -np.inf).argmax(-1)
    lookup = np.take_along_axis(value, at, 1)
    # the variance of the response from rest, from an independent sum over a unit impulse
    impulse = scan(setting, np.eye(setting.length)[:1])[0]
    variance = np.mean([(impulse[: t + 1] ** 2).sum() for t in range(setting.length)][-setting.scored :])
    recurrent = scan(setting, drive) / math.sqrt(variance)
    mixed = math.sqrt(setting.rho) * recurrent + math.sqrt(1 - setting.rho) * lookup
    return mixed[:, -setting.scored :]


POLES = {
    "as usual": {},
    "one real pole": {"real_poles": (-0.7,), "complex_poles": ()},
    "one pair": {"real_poles": (), "complex_poles": ((0.95, 2.0),)},
    "many": {"real_poles": (0.9, 0.3), "complex_poles": ((0.8, 0.5), (0.5, 3.0))},
}


@pytest.mark.parametrize("poles", POLES.values(), ids=POLES)
@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_true_poles_and_an_exact_lookup_leave_nothing_but_the_noise(rho, poles):
    setting = MixedSignal(rho=rho, train_size=300, length=9, scored=4, key_size=3, noise=0.2, **poles)
    data = setting.load()
    for name in ("test", "crossed"):
        np.testing.assert_allclose(data[name].labels.numpy(), oracle(setting, data[name].inputs), atol=2e-6)
    left = data["train"].labels.numpy() - oracle(setting, data["train"].inputs)
    # the mean of 1,200 squares has a relative standard error of √(2/1200) = .04
    assert np.square(left).mean() == pytest.approx(0.2, rel=0.16)
    assert abs(np.corrcoef(left.ravel(), data["train"].labels.numpy().ravel() - left.ravel())[0, 1]) < 0.12


@pytest.mark.parametrize("poles", POLES.values(), ids=POLES)
def test_each_part_has_variance_one_in_expectation(poles):
    setting = SMALL.model_copy(update=poles)
    variances = np.cumsum(setting.response**2)[-setting.scored :]  # of the response to white noise, at each position
    assert variances.mean() == pytest.approx(1)
    recurrent, lookup = parts_of(setting, draw(setting, "train", 20_000))
    assert np.square(recurrent).mean() == pytest.approx(1, abs=0.05)
    assert np.square(lookup).mean() == pytest.approx(1, abs=0.05)
    assert abs((recurrent * lookup).mean()) < 0.02


def test_a_state_that_saturates_is_the_tanh_of_itself_and_the_drive():
    setting = SMALL.model_copy(update={"gain": 1.5, "rho": 1.0, "noise": 0.0})
    split = setting.load()["test"]
    drives, found = split.inputs[:, :, 0].double().tolist(), split.labels.double().tolist()
    wanted = []
    for drive in drives:
        state, states = 0.0, []
        for each in drive:
            state = math.tanh(1.5 * state + each)
            states.append(state)
        wanted.append(states[-setting.scored :])
    ratios = np.array(found) / np.array(wanted)
    assert ratios.std() < 1e-5
    variance = saturated_variance(1.5, setting.length, scored=setting.scored)
    assert ratios.mean() == pytest.approx(1 / math.sqrt(variance), rel=1e-5)


@pytest.mark.parametrize("gain", [0.5, 1.5, 3.0])
def test_the_variance_of_a_state_that_saturates_is_that_of_many_sequences(gain):
    drive = np.random.default_rng(0).standard_normal((50_000, 12))
    squares = saturate(drive, gain)[:, -5:] ** 2
    error = squares.mean(1).std() / math.sqrt(len(drive))
    assert saturated_variance(gain, 12, scored=5) == pytest.approx(squares.mean(), abs=4 * error)


def test_no_linear_filter_gives_a_state_that_saturates():
    drive = np.random.default_rng(0).standard_normal((20_000, 12))
    state = saturate(drive, 1.5)[:, -1]
    best = drive @ np.linalg.lstsq(drive, state, rcond=None)[0]
    assert 0.15 < ((state - best) ** 2).mean() / state.var() < 0.4


@pytest.mark.parametrize("rho", [0.0, 0.25, 1.0])
def test_rho_is_the_recurrent_part_s_share_of_the_variance(rho):
    setting = SMALL.model_copy(update={"rho": rho, "test_size": 20_000})
    target = setting.load()["test"].labels.double().numpy()
    recurrent, lookup = parts_of(setting, draw(setting, "test", 20_000))
    assert target.var() == pytest.approx(1, abs=0.05)
    assert (target * recurrent).mean() ** 2 == pytest.approx(rho, abs=0.05)
    assert (target * lookup).mean() ** 2 == pytest.approx(1 - rho, abs=0.05)


def test_smaller_training_sets_are_the_first_of_larger_ones_and_change_nothing_else():
    large = SMALL.load()
    for size in (1, 7):
        small = SMALL.model_copy(update={"train_size": size}).load()
        assert len(small["train"]) == size
        assert torch.equal(small["train"].inputs, large["train"].inputs[:size])
        assert torch.equal(small["train"].labels, large["train"].labels[:size])
        for name in ("validation", "test", "crossed"):
            assert torch.equal(small[name].labels, large[name].labels)


def test_sequences_are_the_same_for_every_proportion_and_others_for_another_seed():
    other = SMALL.model_copy(update={"rho": 1.0}).load()
    assert torch.equal(other["train"].inputs, SMALL.load()["train"].inputs)
    again = SMALL.model_copy(update={"data_seed": 1}).load()
    assert not torch.equal(again["train"].inputs, other["train"].inputs)


def test_no_two_splits_share_a_sequence():
    data = SMALL.load()
    drives = [row for name in ("train", "validation", "test") for row in data[name].inputs[:, :, 0].tolist()]
    assert len({tuple(row) for row in drives}) == len(drives)


def test_a_query_is_the_key_of_a_uniformly_chosen_earlier_token():
    draws = draw(SMALL, "train", 4_000)
    for t in range(1, SMALL.length):
        counts = np.bincount(draws.sources[:, t], minlength=t)
        assert len(counts) == t  # none of itself or later
        assert counts == pytest.approx(4_000 / t, abs=5 * math.sqrt(4_000 / t) + 1e-9)
    _, _, key, query = fields(SMALL, inputs_of(draws))
    assert np.linalg.norm(key, axis=-1) == pytest.approx(1)
    found = np.take_along_axis(key, draws.sources[:, :, None], 1)
    np.testing.assert_array_equal(query, found)


def test_crossed_sequences_have_their_own_drives_and_the_lookup_of_the_next():
    data = SMALL.load()
    for inputs, mixed in ((data["test"].inputs, data["crossed"].inputs),):
        assert torch.equal(mixed[:, :, 0], inputs[:, :, 0])
        assert torch.equal(mixed[:, :, 1:], inputs[:, :, 1:].roll(-1, 0))
    draws = draw(SMALL, "test", 12)
    (recurrent, lookup), (same, moved) = parts_of(SMALL, draws), parts_of(SMALL, crossed(draws))
    np.testing.assert_array_equal(same, recurrent)
    np.testing.assert_array_equal(moved, np.roll(lookup, -1, 0))


def test_shapes_types_and_dimensions():
    data, dimensions = SMALL.load(), SMALL.dimensions
    assert data["train"].inputs.shape == (40, 9, dimensions["channels"])
    assert data["train"].labels.shape == (40, 4)
    assert data["train"].inputs.dtype == data["train"].labels.dtype == torch.float32
    assert dimensions == {"outputs": 1, "channels": 8}
    assert (data.names, data.is_sample) == (("train", "validation", "test", "crossed"), True)
    assert SMALL.load() is data


def test_the_shortest_sequence_has_one_token_to_look_up():
    shortest = MixedSignal(rho=0.0, train_size=3, length=2, scored=1, noise=0.0).load()["train"]
    assert torch.equal(shortest.labels[:, 0], shortest.inputs[:, 0, 1])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"rho": 1.1}, "less than or equal to 1"),
        ({"rho": -0.1}, "greater than or equal to 0"),
        ({"length": 8, "scored": 8}, "scored=8 must be below length=8"),
        ({"real_poles": (1.0,)}, "less than 1"),
        ({"complex_poles": ((0.5, 4.0),)}, "less than or equal to 3.14"),
        ({"real_poles": (), "complex_poles": ()}, "must not both be empty"),
        ({"noise": -1.0}, "greater than or equal to 0"),
        ({"test_size": 1}, "greater than or equal to 2"),
        ({"colour": 1}, "Extra inputs"),
    ],
)
def test_what_does_not_fit_is_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        MixedSignal(**choices)
