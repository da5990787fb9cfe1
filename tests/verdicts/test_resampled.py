"""Statistics whose items are drawn anew, and means of contrasts that share nothing."""

import math

import numpy as np
import pandas as pd
import pytest

from inductive_bias.verdicts import average, crossed, exceeds, resampled, single, spread


def of_mean(table, draws=2_000, seed=0):
    """A mean over items, by drawing them anew."""
    values = table.to_numpy()
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(values.shape[1], np.full(values.shape[1], 1 / values.shape[1]), draws) / values.shape[1]
    return resampled(table.mean(axis=1), weights @ values.T, items=values.shape[1], name="mean", unit="u")


def test_of_a_mean_over_items_the_interval_is_that_of_seeds_times_items():
    rng = np.random.default_rng(1)
    items = rng.normal(0, 1, 40)
    table = pd.DataFrame(0.5 + items + rng.normal(0, 0.2, (6, 1)) + rng.normal(0, 0.05, (6, 40)))
    ours, wanted = of_mean(table), crossed(table, name="mean", unit="u")
    assert ours.estimate == pytest.approx(wanted.estimate)
    assert ours.high - ours.low == pytest.approx(wanted.high - wanted.low, rel=0.05)
    assert ours.items == 40
    assert ours.n == 6


def test_without_spread_over_items_it_is_students_interval_over_seeds():
    seeds = pd.Series([0.1, 0.3, 0.2, 0.5])
    drawn = np.repeat(seeds.to_numpy()[None], 3, axis=0)
    ours, wanted = resampled(seeds, drawn, items=9, name="a", unit="u"), single(seeds, name="a", unit="u")
    assert (ours.low, ours.high) == pytest.approx((wanted.low, wanted.high))


def test_more_seeds_do_not_remove_the_items():
    seeds = pd.Series([1.0, 1.1, 0.9])
    wide = np.random.default_rng(0).normal(1, 1, (500, 1)) + np.zeros((1, 3))
    assert math.isinf(resampled(seeds, wide, items=10, name="a", unit="u").needed_above(0.5))


@pytest.mark.slow
def test_the_interval_of_a_ratio_holds_the_truth_as_often_as_it_says():
    held, rng = 0, np.random.default_rng(2)
    for _ in range(300):
        over, under = rng.gamma(4, 1, 30), rng.gamma(4, 1, 30)
        values = pd.Series(over.sum() / under.sum() + rng.normal(0, 0.02, 4))
        weights = rng.multinomial(30, np.full(30, 1 / 30), 200)
        drawn = ((weights @ over) / (weights @ under))[:, None] + (values - over.sum() / under.sum()).to_numpy()
        found = resampled(values, drawn, items=30, name="ratio", unit="u")
        held += found.low < 1 < found.high
    assert 0.90 <= held / 300 <= 0.99


@pytest.mark.parametrize(
    ("drawn", "items", "message"),
    [
        (np.zeros((5, 2)), 9, "drawings"),
        (np.zeros((1, 3)), 9, "drawings"),
        (np.zeros((5, 3)), 1, "at least 2 items"),
        (np.full((5, 3), np.nan), 9, "not finite"),
    ],
)
def test_drawings_that_do_not_fit_are_refused(drawn, items, message):
    with pytest.raises(ValueError, match=message):
        resampled(pd.Series([1.0, 2.0, 3.0]), drawn, items=items, name="a", unit="u")


def test_the_mean_of_contrasts_has_the_sum_of_their_variances():
    rng = np.random.default_rng(4)
    one, two = (pd.Series(rng.normal(mean, 1, 200)) for mean in (1, 3))
    found = average([single(each, name="x", unit="u") for each in (one, two)], name="mean", unit="u")
    assert found.estimate == pytest.approx((one.mean() + two.mean()) / 2)
    error = math.sqrt(one.var() / 200 + two.var() / 200) / 2
    assert found.high - found.estimate == pytest.approx(1.966 * error, rel=0.01)
    turned = average([single(one, name="x", unit="u").scaled(-2), single(two, name="y", unit="u")], name="m", unit="u")
    assert turned.estimate == pytest.approx((-2 * one.mean() + two.mean()) / 2)
    assert turned.high - turned.estimate == pytest.approx(
        1.97 * math.sqrt(4 * one.var() + two.var()) / 200**0.5 / 2, rel=0.01
    )
    assert exceeds(found, 0.5).verdict == "reproduced"


def test_a_mean_of_nothing_or_of_spreads_is_refused():
    ratio = spread([1.0, 2, 3, 4], [1.0, 2, 3, 5], name="s")
    for wrong in ([], [ratio]):
        with pytest.raises(ValueError, match="contrasts of means"):
            average(wrong, name="m", unit="u")
