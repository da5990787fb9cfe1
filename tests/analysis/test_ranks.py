"""Rank correlation against SciPy's, with an interval over seeds."""

import math

import numpy as np
import pytest
from scipy import stats

from inductive_bias.analysis import rank_correlation


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
def test_the_estimate_is_spearmans(ties):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 9)).round(0 if ties else 9)
    found = rank_correlation(x, y, ["a"] * 9, samples=10)
    assert found.mean == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.n == 9


def test_a_perfect_order_between_models_that_never_overlap_leaves_no_doubt_but_within_them():
    x, y = [1.0, 2.0, 11.0, 12.0], [4.0, 3.0, 2.0, 1.0]
    found = rank_correlation(x, y, ["a", "a", "b", "b"])
    assert found.mean == pytest.approx(-1)
    assert -1 <= found.low <= found.high < -0.8


def test_without_a_relation_the_interval_holds_zero():
    x, y = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 1.0, 3.0]
    found = rank_correlation(x, y, ["a"] * 4)
    assert found.mean == pytest.approx(0)
    assert found.low < 0 < found.high


def test_the_same_seed_gives_the_same_interval():
    x, y, groups = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 1.0, 3.0], ["a", "a", "b", "b"]
    assert rank_correlation(x, y, groups, seed=3) == rank_correlation(x, y, groups, seed=3)


def test_one_seed_of_a_model_excludes_nothing_and_a_constant_has_no_rank():
    found = rank_correlation([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], ["a", "a", "b"])
    assert (found.mean, found.low, found.high) == (pytest.approx(1), -math.inf, math.inf)
    assert math.isnan(rank_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], ["a", "b", "c"]).mean)
    constant = rank_correlation([1.0, 1.0], [1.0, 2.0], ["a", "a"])
    assert all(map(math.isnan, constant[:3]))


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="equal lengths, not 2, 1 and 2"):
        rank_correlation([1.0, 2.0], [1.0], ["a", "a"])
    with pytest.raises(ValueError, match="only finite ones"):
        rank_correlation([1.0, float("nan")], [1.0, 2.0], ["a", "a"])
    with pytest.raises(ValueError, match=r"level lie in \(0, 1\)"):
        rank_correlation([1.0, 2.0], [1.0, 2.0], ["a", "a"], level=1.0)
