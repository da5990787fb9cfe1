import math
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchmetrics.functional.classification import multiclass_calibration_error

from inductive_bias.metrics import confidence_and_correct, expected_calibration_error, reliability_table


def numpy_ece(confidence, correct, bins):
    """Guo et al. (2017), equation 3, one bin at a time."""
    edges = np.arange(bins + 1) / bins
    total = 0.0
    for b in range(bins):
        inside = (confidence >= edges[b]) & (confidence < edges[b + 1])
        if b == bins - 1:
            inside |= confidence == 1
        if inside.any():
            total += inside.mean() * abs(correct[inside].mean() - confidence[inside].mean())
    return total


def draw(n, seed=0):
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(size=n)
    return torch.from_numpy(confidence), torch.from_numpy(rng.uniform(size=n) < confidence**2)


def table_ece(table):
    gap = (table.accuracy - table.mean_confidence).abs() * table.count
    return (gap[table.count > 0].sum() / table.count.sum()).item()


@pytest.mark.parametrize("n", [1, 2, 19, 500])
@pytest.mark.parametrize("bins", [1, 3, 20, 100])
def test_ece_and_the_table_are_the_formula(n, bins):
    confidence, correct = draw(n)
    confidence[0] = 1.0
    want = numpy_ece(confidence.numpy(), correct.numpy(), bins)
    ours = expected_calibration_error(confidence, correct, bins=bins)
    assert type(ours) is float
    assert ours == pytest.approx(want, abs=1e-12)
    assert table_ece(reliability_table(confidence, correct, bins=bins)) == pytest.approx(want, abs=1e-12)


def as_probabilities(confidence):
    """Two-class probabilities whose larger one is the confidence, predicting class 1."""
    return torch.stack([1 - confidence, confidence], dim=1)


def test_ece_is_torchmetrics_below_a_confidence_of_one():
    confidence, correct = draw(400)
    confidence = 0.5 + confidence / 2
    theirs = multiclass_calibration_error(as_probabilities(confidence), correct.long(), 2, n_bins=20, norm="l1")
    ours = expected_calibration_error(confidence, correct, bins=20)
    assert ours == pytest.approx(theirs.item(), abs=1e-6)


def test_a_confidence_of_exactly_one_belongs_to_the_last_bin():
    confidence, correct = torch.tensor([0.96, 1.0]), torch.tensor([True, False])
    assert reliability_table(confidence, correct, bins=20).count.tolist() == [0] * 19 + [2]
    # one bin: |(1 + 0) − (.96 + 1)| / 2; torchmetrics 1.9 has a bin for 1 alone: (.04 + 1) / 2
    assert expected_calibration_error(confidence, correct, bins=20) == pytest.approx(0.48, abs=1e-6)
    theirs = multiclass_calibration_error(as_probabilities(confidence), correct.long(), 2, n_bins=20, norm="l1")
    assert theirs.item() == pytest.approx(0.52, abs=1e-6)


@pytest.mark.parametrize("binning", ["equal-width", "equal-mass"])
def test_an_empty_bin_is_nan_in_the_table_and_nothing_in_the_error(binning):
    confidence, correct = torch.tensor([0.9, 0.9, 0.9]), torch.tensor([True, True, False])
    table = reliability_table(confidence, correct, bins=5, binning=binning)
    empty = table.count == 0
    assert empty.sum() == 4
    assert table.accuracy[empty].isnan().all()
    assert table.mean_confidence[empty].isnan().all()
    assert table.accuracy[~empty].item() == pytest.approx(2 / 3)
    ours = expected_calibration_error(confidence, correct, bins=5, binning=binning)
    assert ours == pytest.approx(0.9 - 2 / 3, abs=1e-6)


@pytest.mark.parametrize("bins", [10, 20, 100, 1000])
def test_a_confidence_on_an_edge_belongs_to_the_bin_above_it(bins):
    confidence = torch.arange(bins + 1, dtype=torch.float64) / bins
    table = reliability_table(confidence, torch.ones(bins + 1, dtype=torch.bool), bins=bins)
    assert table.count.tolist() == [1] * (bins - 1) + [2]
    assert torch.equal(torch.cat([table.lower, table.upper[-1:]]), confidence)


@pytest.mark.parametrize(("n", "bins"), [(100, 20), (103, 20), (20, 20), (7, 3)])
def test_equal_mass_bins_hold_equally_many_examples(n, bins):
    confidence, correct = draw(n)
    table = reliability_table(confidence, correct, bins=bins, binning="equal-mass")
    assert table.count.sum() == n
    assert table.count.max() - table.count.min() <= 1
    start, total = 0, 0.0  # twin: consecutive pieces of the sorted examples
    order = confidence.argsort()
    for count in table.count.tolist():
        piece = order[start : start + count]
        total += (correct[piece].double() - confidence[piece]).sum().abs().item()
        start += count
    ours = expected_calibration_error(confidence, correct, bins=bins, binning="equal-mass")
    assert ours == pytest.approx(total / n, abs=1e-12)


def test_equal_mass_bins_put_certain_predictions_into_the_last_bin():
    confidence = torch.tensor([0.3, 0.4, 1.0, 1.0, 1.0, 1.0])
    table = reliability_table(confidence, torch.ones(6, dtype=torch.bool), bins=3, binning="equal-mass")
    assert table.count.tolist() == [2, 0, 4]
    assert (table.lower[0], table.upper[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("binning", ["equal-width", "equal-mass"])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 999), st.integers(1, 30), st.integers(1, 60))
def test_the_order_of_the_examples_never_matters(binning, seed, bins, n):
    confidence, correct = draw(n, seed)
    confidence = (confidence * 8).round() / 8  # many ties
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    ours = expected_calibration_error(confidence, correct, bins=bins, binning=binning)
    shuffled = expected_calibration_error(confidence[order], correct[order], bins=bins, binning=binning)
    assert ours == pytest.approx(shuffled, abs=1e-12)
    assert 0 <= ours <= 1


@pytest.mark.parametrize("binning", ["equal-width", "equal-mass"])
def test_with_a_bin_for_every_example_the_error_is_the_mean_distance_of_confidence_and_correctness(binning):
    confidence, correct = draw(300)
    limit = (correct.double() - confidence).abs().mean().item()
    assert expected_calibration_error(confidence, correct, bins=10**6, binning=binning) == pytest.approx(limit)
    assert expected_calibration_error(confidence, correct, bins=20) < limit - 0.1  # what the name promises


def test_a_million_bins_cost_little():
    confidence, correct = draw(10_000)
    start = time.perf_counter()
    expected_calibration_error(confidence, correct, bins=10**6)
    assert time.perf_counter() - start < 2.0  # a loop over bins takes minutes


def test_confidence_is_the_largest_softmax_probability():
    logits, labels = torch.tensor([[math.log(3.0), 0.0], [0.0, 0.0], [0.0, 1e4]]), torch.tensor([0, 1, 1])
    confidence, correct = confidence_and_correct(logits, labels)
    torch.testing.assert_close(confidence, torch.tensor([0.75, 0.5, 1.0]).double(), rtol=1e-6, atol=0)
    assert correct.tolist() == [True, False, True]


def test_nan_confidence_gives_nan_error_and_no_table():
    confidence, correct = confidence_and_correct(torch.full((2, 3), float("nan")), torch.tensor([0, 1]))
    assert math.isnan(expected_calibration_error(confidence, correct))
    with pytest.raises(ValueError, match="NaN"):
        reliability_table(confidence, correct)


@pytest.mark.parametrize("function", [reliability_table, expected_calibration_error])
def test_bad_input_is_refused(function):
    confidence, correct = draw(4)
    with pytest.raises(ValueError, match="bins must be an integer of at least 1, not 0"):
        function(confidence, correct, bins=0)
    with pytest.raises((ValueError, TypeError), match="equal-luck"):
        function(confidence, correct, binning="equal-luck")
    with pytest.raises(ValueError, match=r"confidence must lie in \[0, 1\]"):
        function(confidence + 1, correct)
    with pytest.raises((ValueError, TypeError), match="correct"):
        function(confidence, correct[:3])
    with pytest.raises(ValueError, match="no example"):
        function(confidence[:0], correct[:0])
