import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.analysis import (
    Interval,
    bootstrap_interval,
    difference_interval,
    mean_interval,
    paired_difference_interval,
)

samples = st.lists(st.floats(-100, 100), min_size=2, max_size=9).filter(lambda v: np.std(v) > 1e-3)


@settings(max_examples=30, deadline=None)
@given(samples, st.sampled_from([0.5, 0.95, 0.99]))
def test_mean_interval_is_scipys_t_interval(values, level):
    ours = mean_interval(values, level=level)
    theirs = scipy.stats.ttest_1samp(values, 0.0).confidence_interval(level)
    assert ours == pytest.approx((np.mean(values), theirs.low, theirs.high, len(values)), rel=1e-6, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(samples, samples)
def test_difference_interval_is_scipys_welch_interval(a, b):
    ours = difference_interval(a, b, level=0.9)
    theirs = scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9)
    want = (np.mean(a) - np.mean(b), theirs.low, theirs.high, len(a) + len(b))
    assert ours == pytest.approx(want, rel=1e-6, abs=1e-9)


def test_paired_interval_is_that_of_the_differences():
    a, b = [0.51, 0.49, 0.47, 0.50], [0.37, 0.38, 0.36, 0.40]
    theirs = scipy.stats.ttest_rel(a, b).confidence_interval(0.95)
    assert paired_difference_interval(a, b) == pytest.approx((np.mean(a) - np.mean(b), theirs.low, theirs.high, 4))


def test_bootstrap_interval_is_scipys_percentile_bootstrap():
    values = np.random.default_rng(3).normal(size=11)
    theirs = scipy.stats.bootstrap(
        (values,), np.median, n_resamples=500, method="percentile", confidence_level=0.9, rng=np.random.default_rng(7)
    ).confidence_interval
    ours = bootstrap_interval(values, np.median, level=0.9, samples=500, seed=7)
    assert ours == pytest.approx((np.median(values), theirs.low, theirs.high, 11))


def test_the_t_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = sum(i.low <= 2.0 <= i.high for i in (mean_interval(rng.normal(2.0, 3.0, size=4)) for _ in range(1000)))
    assert abs(hits / 1000 - 0.95) < 0.025  # 3.6 standard errors


def test_one_run_excludes_nothing():
    assert mean_interval([0.4]) == Interval(0.4, -math.inf, math.inf, 1)
    assert difference_interval([0.4], [0.1, 0.2])[1:] == (-math.inf, math.inf, 3)
    assert paired_difference_interval([0.5], [0.25]) == Interval(0.25, -math.inf, math.inf, 1)
    assert bootstrap_interval([0.4]) == Interval(0.4, -math.inf, math.inf, 1)


def test_equal_runs_have_a_point_for_an_interval():
    assert mean_interval([0.5, 0.5, 0.5]) == Interval(0.5, 0.5, 0.5, 3)
    assert difference_interval([1, 1], [0.5, 0.5]) == Interval(0.5, 0.5, 0.5, 4)
    assert bootstrap_interval([0.5, 0.5]) == Interval(0.5, 0.5, 0.5, 2)


def test_columns_of_a_table_are_taken_as_they_come():
    pandas = pytest.importorskip("pandas")
    assert mean_interval(pandas.Series([1, 2, 3], index=[7, 8, 9])) == mean_interval(np.array([1, 2, 3]))


@pytest.mark.parametrize("interval", [mean_interval, bootstrap_interval])
def test_bad_values_are_refused(interval):
    with pytest.raises(ValueError, match="at least one value"):
        interval([])
    with pytest.raises(ValueError, match="nan"):
        interval([1.0, float("nan")])
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\), not 95"):
        interval([1.0, 2.0], level=95.0)


def test_unpaired_values_and_no_resamples_are_refused():
    with pytest.raises(ValueError, match="equal numbers, not 2 and 1"):
        paired_difference_interval([1, 2], [1])
    with pytest.raises(ValueError, match="samples must be at least 1, not 0"):
        bootstrap_interval([1, 2], samples=0)
