import numpy as np
import pytest
import torch
from scipy.signal import lfilter

from inductive_bias.tasks import GeneratedSignals
from inductive_bias.tasks.signals.filters import POLES, filtered, last_pulse

SMALL = {"train_size": 6, "validation_size": 4, "test_size": 5, "length": 11}


@pytest.mark.parametrize("target", ["filter", "flip_flop"])
def test_splits_have_their_sizes_differ_and_say_that_they_were_generated(target):
    data = GeneratedSignals(target=target, **SMALL).load()
    assert [(name, tuple(data[name].inputs.shape)) for name in data] == [
        ("train", (6, 11, 2)),
        ("validation", (4, 11, 2)),
        ("test", (5, 11, 2)),
    ]
    assert all(data[name].inputs.dtype == data[name].labels.dtype == torch.float32 for name in data)
    assert not torch.equal(data["validation"].inputs, data["test"].inputs[:4])
    assert {data[name].source for name in data} == {f"generated:{target.replace('_', '-')}"}
    assert data.is_sample
    assert data.sha256 == {}


def test_a_smaller_training_set_is_the_beginning_of_a_larger_one():
    small = GeneratedSignals(train_size=3).load()["train"]
    assert torch.equal(GeneratedSignals(train_size=9).load()["train"].inputs[:3], small.inputs)
    assert not torch.equal(GeneratedSignals(train_size=3, data_seed=1).load()["train"].inputs, small.inputs)


def test_filters_are_scipy_s_of_the_same_poles():
    noise = np.random.default_rng(0).standard_normal((3, 40, 2))
    found = filtered(noise)
    for channel, pole in enumerate(POLES):
        want = lfilter([1], [1, -pole], noise[:, :, channel].astype(complex), axis=1).real
        ratio = found[:, :, channel] / want
        np.testing.assert_allclose(ratio, ratio[0, 0])  # but for one factor


def test_filtered_noise_has_unit_variance_in_the_long_run():
    noise = np.random.default_rng(0).standard_normal((400, 200, 2))
    np.testing.assert_allclose(filtered(noise)[:, 100:].var((0, 1)), 1, atol=0.05)


def test_a_flip_flop_holds_the_last_pulse():
    pulses = np.array([[[0, 1], [-1, 0], [0, 0], [1, 0], [0, -1]]], dtype=float)
    np.testing.assert_array_equal(last_pulse(pulses)[0].T, [[0, -1, -1, 1, 1], [1, 1, 1, 1, -1]])


def test_one_step_in_ten_has_a_pulse():
    inputs = GeneratedSignals(target="flip_flop", train_size=400).load()["train"].inputs
    assert set(inputs.unique().tolist()) == {-1.0, 0.0, 1.0}
    assert inputs.abs().mean().item() == pytest.approx(0.1, abs=0.01)
    assert inputs.mean().item() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("wrong", [{"length": 1}, {"train_size": 0}, {"target": "parity"}, {"data_seed": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        GeneratedSignals(**wrong)
