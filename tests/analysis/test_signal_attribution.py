"""Attributions of signals against captum, closed forms of linear scores, and loops."""

import warnings

import pytest
import torch

from inductive_bias.analysis import signal_attribution
from inductive_bias.analysis.attribution import margin
from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import FlattenedSpec, MixingSpec, RecurrentSpec, TCNSpec

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports is no concern of ours
    from captum.attr import InputXGradient, IntegratedGradients, Occlusion

CHANNELS, CLASSES = 2, 3
SPECS = {
    "attention": lambda length: MixingSpec(mixer=AttentionSpec(heads=2), positions="sinusoidal", layers=2, width=8),
    "RSA": lambda length: MixingSpec(mixer=RSASpec(heads=2), positions="sinusoidal", layers=2, width=8),
    "LSTM": lambda length: RecurrentSpec(cell="lstm", states=8, embedding=8),
    "GRU": lambda length: RecurrentSpec(cell="gru", states=8, embedding=8),
    "TCN": lambda length: TCNSpec(levels=2, kernel=3, width=8, dropout=0.0, embedding=8),
    "MLP": lambda length: FlattenedSpec(length=length, width=8, layers=2, embedding=8),
}
of_models = pytest.mark.parametrize("name", SPECS)
of_lengths = pytest.mark.parametrize("length", [1, 2, 7], ids="t{}".format)
#: Every method, by name; all are called with a score, signals and a baseline.
METHODS = {
    "gradient": signal_attribution.gradient_times_difference,
    "integrated": signal_attribution.integrated_gradients,
    "occlusion": signal_attribution.occlusion,
}
of_methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def signals(n=3, length=7, seed=0):
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(n, length, CHANNELS, generator=generator, dtype=torch.float64)
    return inputs, torch.randn(length, CHANNELS, generator=generator, dtype=torch.float64)


def linear(length):
    """A score that is linear in the samples, and its weights."""
    weights = torch.randn(length, CHANNELS, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return (lambda inputs: 2 + (inputs * weights).sum((1, 2))), weights


def margins(name, length, n=3):
    """The margin of some class after the last sample."""
    torch.manual_seed(0)
    model = SPECS[name](length).build(outputs=CLASSES, channels=CHANNELS).double().eval()
    with torch.no_grad():  # first weights say nearly the same of every signal
        for weights in model.parameters():
            weights.mul_(2)
    target = torch.arange(n) % CLASSES
    return lambda inputs: margin(model(inputs)[:, -1], target.repeat(len(inputs) // n))


@of_methods
@of_lengths
def test_of_a_linear_score_every_method_gives_the_difference_times_the_weight(method, length):
    (inputs, baseline), (score, weights) = signals(length=length), linear(length)
    torch.testing.assert_close(method(score, inputs, baseline), ((inputs - baseline) * weights).sum(-1))


@of_methods
@of_models
def test_what_is_like_the_baseline_counts_nothing(method, name):
    inputs, baseline = signals()
    inputs[:, 2:4] = baseline[2:4]
    found = method(margins(name, 7), inputs, baseline)
    assert found.shape == (3, 7)
    assert not found.requires_grad
    torch.testing.assert_close(found[:, 2:4], torch.zeros(3, 2, dtype=torch.float64))


@of_models
@of_lengths
def test_gradients_are_those_of_captum(name, length):
    (inputs, baseline), score = signals(length=length), margins(name, length)
    # captum multiplies by what it is given, and so the baseline must be the origin
    theirs = InputXGradient(lambda way: score(baseline + way)).attribute((inputs - baseline).requires_grad_())
    found = signal_attribution.gradient_times_difference(score, inputs, baseline)
    torch.testing.assert_close(found, theirs.sum(-1).detach())
    # captum's steps are float32: a power of two is the same in both
    theirs = IntegratedGradients(score).attribute(
        inputs, baseline.expand_as(inputs), n_steps=16, method="riemann_middle"
    )
    found = signal_attribution.integrated_gradients(score, inputs, baseline, steps=16)
    torch.testing.assert_close(found, theirs.sum(-1))


@of_models
@pytest.mark.parametrize("width", [1, 3], ids="width{}".format)
def test_windows_side_by_side_are_those_of_captum(name, width):
    (inputs, baseline), score = signals(length=9), margins(name, 9)
    window = (width, CHANNELS)
    theirs = Occlusion(score).attribute(inputs, window, strides=window, baselines=baseline.expand_as(inputs))
    found = signal_attribution.occlusion(score, inputs, baseline, width=width, every=width)
    torch.testing.assert_close(found.float(), theirs[..., 0])  # captum rounds what it found


@of_models
def test_integrated_gradients_add_up_to_what_the_signal_is_above_the_baseline(name):
    (inputs, baseline), score = signals(), margins(name, 7)
    whole = (score(inputs) - score(baseline.expand_as(inputs))).detach()
    gaps = [
        (signal_attribution.integrated_gradients(score, inputs, baseline, steps=steps).sum(1) - whole).abs().max()
        for steps in (4, signal_attribution.STEPS, 150)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-2 * whole.abs().max()


@of_lengths
@pytest.mark.parametrize(("width", "every"), [(1, 1), (2, 1), (3, 1), (4, 3), (5, 4), (20, 2)])
def test_occlusion_is_a_loop_over_windows_cut_at_the_ends(length, width, every):
    (inputs, baseline), score = signals(length=length), margins("LSTM", length)
    found = signal_attribution.occlusion(score, inputs, baseline, width=width, every=every)
    for place in range(length):
        middle = min(place // every * every + every // 2, length - 1)
        without = inputs.clone()
        for sample in range(length):
            if -((width - 1) // 2) <= sample - middle <= width // 2:
                without[:, sample] = baseline[sample]
        torch.testing.assert_close(found[:, place], (score(inputs) - score(without)).detach())


@of_lengths
def test_the_first_samples_of_an_order_are_replaced_and_no_others(length):
    (inputs, baseline), score = signals(length=length), margins("GRU", length)
    generator = torch.Generator().manual_seed(2)
    order = torch.stack([torch.randperm(length, generator=generator) for _ in range(3)])
    without = inputs.clone()
    for count in range(length + 1):
        found = signal_attribution.replaced_first(score, inputs, baseline, order, count)
        torch.testing.assert_close(found, score(without).detach())
        for row in range(3):
            if count < length:
                without[row, order[row, count]] = baseline[order[row, count]]


@of_methods
def test_what_cannot_be_explained_is_refused(method):
    (inputs, baseline), score = signals(), linear(7)[0]
    with pytest.raises(ValueError, match=r"inputs must be \[n, t, c\], not \(3, 7\)"):
        method(score, inputs[..., 0], baseline)
    with pytest.raises(ValueError, match=r"inputs must hold real floating-point numbers, not torch\.int64"):
        method(score, inputs.long(), baseline)
    with pytest.raises(ValueError, match=r"baseline \[t, c\], not \(3, 7, 2\) and \(6, 2\)"):
        method(score, inputs, baseline[1:])
    with pytest.raises(ValueError, match="t of at least 1"):
        method(score, inputs[:, :0], baseline[:0])
    with pytest.raises(ValueError, match=r"score must give one number a signal, \[3\], not \(3, 7\)"):
        method(lambda each: each.sum(-1), inputs, baseline)


def test_numbers_out_of_range_are_refused():
    (inputs, baseline), score = signals(), linear(7)[0]
    with pytest.raises(ValueError, match="steps must be an integer of at least 1, not 0"):
        signal_attribution.integrated_gradients(score, inputs, baseline, steps=0)
    for name in ("width", "every"):
        with pytest.raises(ValueError, match=f"{name} must be an integer of at least 1, not 0"):
            signal_attribution.occlusion(score, inputs, baseline, **{name: 0})
    order = torch.arange(7).expand(3, 7)
    with pytest.raises(ValueError, match="count must be at most 7, the number of samples, not 8"):
        signal_attribution.replaced_first(score, inputs, baseline, order, 8)
    with pytest.raises(ValueError, match="count must be an integer of at least 0, not -1"):
        signal_attribution.replaced_first(score, inputs, baseline, order, -1)
    for wrong in (order.clamp(max=5), order[:, :3]):
        with pytest.raises(ValueError, match=r"order must be \[3, 7\], and every row of it hold each of 0 … 6 once"):
            signal_attribution.replaced_first(score, inputs, baseline, wrong, 1)
