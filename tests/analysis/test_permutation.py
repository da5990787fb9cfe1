from itertools import permutations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.analysis import label_permutation_test, permutation_test

ALTERNATIVES = ["two-sided", "greater", "less"]


def mean_difference(a, b, axis):
    return a.mean(axis=axis) - b.mean(axis=axis)


def median_difference(a, b, axis):
    return np.median(a, axis=axis) - np.median(b, axis=axis)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("statistic", "measure"), [("mean difference", mean_difference), ("median difference", median_difference)]
)
def test_exact_test_is_scipys(alternative, statistic, measure):
    rng = np.random.default_rng(1)
    for n in (2, 4):  # of equal size, where the two ways to be two-sided are the same
        a, b = rng.normal(size=n), rng.normal(size=n) + 0.5
        ours = permutation_test(a, b, statistic=statistic, alternative=alternative)
        theirs = scipy.stats.permutation_test((a, b), measure, alternative=alternative)
        assert ours.exact
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p_value == pytest.approx(min(theirs.pvalue, 1.0))


def test_exact_test_of_unequal_samples_is_scipys():
    a, b = [1.0, 2.5, 4.0], [0.5, 3.0, 2.0, 0.1, 1.7]
    ours = permutation_test(a, b, alternative="greater")
    assert ours.p_value == pytest.approx(
        scipy.stats.permutation_test((a, b), mean_difference, alternative="greater").pvalue
    )


def test_separated_samples_of_four_seeds_have_the_smallest_possible_p():
    better, worse = [0.51, 0.49, 0.47, 0.50], [0.37, 0.38, 0.36, 0.40]
    assert permutation_test(better, worse) == pytest.approx((0.115, 2 / 70, True))
    assert permutation_test(better, worse, alternative="greater").p_value == pytest.approx(1 / 70)
    assert permutation_test(better, worse, alternative="less").p_value == 1.0


def test_equal_values_differ_by_chance_alone():
    assert permutation_test([0.1, 0.1, 0.1], [0.1, 0.1]).p_value == 1.0
    assert permutation_test([1], [1]).p_value == 1.0


def test_many_values_are_sampled_with_a_seed_near_the_exact_p():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=7), rng.normal(size=6) + 0.6
    exact, sampled = permutation_test(a, b), permutation_test(a, b, samples=1500, seed=3)
    assert exact.exact
    assert not sampled.exact
    assert sampled == permutation_test(a, b, samples=1500, seed=3)
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.05)


def test_a_sampled_p_is_never_zero():
    assert permutation_test(np.arange(30) + 100, np.arange(30), samples=99).p_value == 1 / 100


def naive_label_test(similarity, labels):
    m = len(labels)

    def statistic(order):
        within, between = [], []
        for i in range(m):
            for j in range(i):
                (within if order[i] == order[j] else between).append(similarity[i, j])
        return np.mean(within) - np.mean(between)

    null = np.array([statistic(order) for order in permutations(labels)])
    observed = statistic(labels)
    return observed, np.mean(null >= observed - 1e-12)


def random_similarity(m, seed):
    half = np.random.default_rng(seed).normal(size=(m, m))
    return (half + half.T) / 2


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["aabb", "aabbb", "aabbc", "abbbcc", "aab"]))
def test_exact_label_test_is_that_over_all_permutations(seed, labels):
    similarity = random_similarity(len(labels), seed)
    statistic, p_value = naive_label_test(similarity, list(labels))
    ours = label_permutation_test(similarity, list(labels))
    assert ours.exact
    assert ours == pytest.approx((statistic, p_value, True))


def test_families_are_found_and_their_absence_is_not():
    labels = ["CNN"] * 5 + ["MLP"] * 5
    same = np.equal.outer(labels, labels)
    noise = 0.1 * random_similarity(10, 0)
    clear = label_permutation_test(same + noise, labels)
    assert clear.statistic == pytest.approx(1.0, abs=0.1)
    assert clear.p_value == pytest.approx(2 / 252)  # a division into two fives and its mirror image
    assert label_permutation_test(random_similarity(10, 1), labels).p_value > 0.05
    assert label_permutation_test(noise - same, labels, alternative="less").p_value == pytest.approx(2 / 252)


def test_many_models_are_sampled_and_their_order_does_not_matter_to_the_statistic():
    labels = list("ab" * 12)
    similarity = random_similarity(24, 2) + 0.3 * np.equal.outer(labels, labels)
    first = label_permutation_test(similarity, labels, samples=500)
    assert not first.exact
    order = np.random.default_rng(0).permutation(24)
    second = label_permutation_test(similarity[np.ix_(order, order)], [labels[i] for i in order], samples=500)
    assert first.statistic == pytest.approx(second.statistic)
    assert first.p_value == pytest.approx(second.p_value, abs=0.06)


def test_the_diagonal_is_never_read():
    similarity = random_similarity(5, 4)
    want = label_permutation_test(similarity, list("aabbb"))
    np.fill_diagonal(similarity, np.nan)
    assert label_permutation_test(similarity, list("aabbb")) == want


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="a must hold at least one value"):
        permutation_test([], [1.0])
    with pytest.raises((ValueError, TypeError), match="mode"):
        permutation_test([1.0], [2.0], statistic="mode")
    with pytest.raises((ValueError, TypeError), match="sideways"):
        permutation_test([1.0], [2.0], alternative="sideways")
    with pytest.raises(ValueError, match="samples must be at least 1, not 0"):
        permutation_test([1.0], [2.0], samples=0)
    with pytest.raises(ValueError, match="does not fit 3 labels"):
        label_permutation_test(np.eye(4), ["a", "a", "b"])
    for labels in (["a", "a", "a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="some pair of models in one family"):
            label_permutation_test(np.eye(3), labels)
    with pytest.raises(ValueError, match="symmetric"):
        label_permutation_test(np.triu(np.ones((3, 3))), ["a", "a", "b"])
