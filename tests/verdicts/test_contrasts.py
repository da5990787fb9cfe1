import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.power import TTestIndPower, TTestPower

from inductive_bias.verdicts import crossed, difference_of, paired, partners, rank, relative, single, spread, unpaired
from inductive_bias.verdicts.test_statistics import power

A, B = [0.9, 0.85, 0.97, 0.88, 0.91], [0.8, 0.86, 0.9, 0.79, 0.84]
WORDS = {"name": "RSA − Attention", "unit": "accuracy"}
CONSTRUCTORS = pytest.mark.parametrize("make", [paired, unpaired, spread], ids=lambda make: make.__name__)


def ends(contrast):
    return contrast.estimate, contrast.low, contrast.high


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_intervals_are_scipys(level):
    for contrast, estimate, test in (
        (single(A, **WORDS), np.mean(A), stats.ttest_1samp(A, 0.0)),
        (paired(A, B, **WORDS), np.mean(A) - np.mean(B), stats.ttest_rel(A, B)),
        (unpaired(A, B[:4], **WORDS), np.mean(A) - np.mean(B[:4]), stats.ttest_ind(A, B[:4], equal_var=False)),
    ):
        theirs = test.confidence_interval(level)
        assert (contrast.estimate, *contrast.interval(level)) == pytest.approx((estimate, theirs.low, theirs.high))


def test_an_interval_covers_as_often_as_it_says():
    found = [single(row, **WORDS) for row in 2.0 + 3.0 * drawn(1000, 4)]
    assert np.mean([each.low <= 2.0 <= each.high for each in found]) == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.2])
def test_the_p_values_are_scipys(threshold):
    shifted = [b + threshold for b in B]
    for contrast, test in (
        (paired(A, B, **WORDS), stats.ttest_rel(A, shifted, alternative="greater")),
        (unpaired(A, B, **WORDS), stats.ttest_ind(A, shifted, equal_var=False, alternative="greater")),
        (single(A, **WORDS), stats.ttest_1samp(A, threshold, alternative="greater")),
    ):
        assert contrast.p_above(threshold) == pytest.approx(test.pvalue)
        assert contrast.p_below(threshold) == pytest.approx(1 - test.pvalue)


def test_the_visible_effect_is_that_of_statsmodels_power():
    size = TTestPower().solve_power(nobs=5, alpha=0.05, power=0.8)
    assert paired(A, B, **WORDS).visible == pytest.approx(size * np.std(np.subtract(A, B), ddof=1), rel=1e-5)
    twice = unpaired(A, np.add(A, 0.1), **WORDS)  # equal variances, so Welch's test is Student's
    size = TTestIndPower().solve_power(nobs1=5, alpha=0.05, power=0.8)
    assert twice.visible == pytest.approx(size * np.std(A, ddof=1), rel=1e-5)


def test_so_many_seeds_decide_as_statsmodels_says():
    contrast = paired(A, B, **WORDS)
    size = (contrast.estimate - 0.06) / np.std(np.subtract(A, B), ddof=1)
    wanted = TTestPower().solve_power(effect_size=size, alpha=0.025, power=0.8, alternative="larger")
    assert contrast.needed_above(0.06) == math.ceil(wanted)
    assert contrast.needed_below(0.06) == math.inf


def test_more_seeds_never_decide_less_than_fewer():
    """SciPy's noncentral t is no number at some statistics from 35 on, and once made a claim wait for 395 seeds."""
    contrast = single([0.0286, 0.0187, 0.0368], name="memory", unit="bits")
    powers = [contrast.pivot.power_above(0.01, n / 3, "runs", 0.025) for n in range(4, 600)]
    assert np.diff(powers).min() > -1e-9
    assert contrast.needed_above(0.01) == 4 + next(place for place, each in enumerate(powers) if each >= 0.8) == 5
    assert power(-40.0, 380.0, 0.025) < 1e-9


def test_seeds_without_a_partner_are_in_no_pair():
    a, b = pd.Series(A, index=range(5)), pd.Series([*B[:3], 9.0], index=[2, 1, 0, 7])
    assert [each.to_dict() for each in partners(a, b)] == [dict(enumerate(A[:3])), dict(enumerate(B[2::-1]))]
    assert ends(paired(*partners(a, b), **WORDS)) == pytest.approx(ends(paired(A[:3], B[2::-1], **WORDS)))
    tables = partners(pd.DataFrame({"x": a}), pd.DataFrame({"x": b}))
    assert [set(each.index) for each in tables] == [{0, 1, 2}] * 2
    assert all(each.empty for each in partners(a, b[[7]]))


def test_pairs_are_made_by_seed():
    a, b = pd.Series(A, index=[4, 3, 2, 1, 0]), pd.Series(B[::-1])
    assert ends(paired(a, b, **WORDS)) == pytest.approx(ends(paired(A, B, **WORDS)))
    with pytest.raises(ValueError, match=r"seeds \[0, 5\] have no partner"):
        paired(a, b.rename({0: 5}), **WORDS)
    with pytest.raises(ValueError, match="use unpaired"):
        paired(a, b.set_axis(range(10, 15)), **WORDS)


def test_a_diverged_run_counts_as_a_failure_and_is_named():
    a, b = pd.Series([0.9, math.nan, 0.8], name="RSA"), pd.Series([0.5, 0.6, math.inf], name="value")
    with pytest.raises(ValueError, match="RSA, seed 1; say with failed_value"):
        paired(a, [0.5, 0.6, 0.7], **WORDS)
    found = paired(a, b, failed_value=0, **WORDS)
    assert found.failed == ("RSA, seed 1", "second, seed 2")
    assert found.values.tolist() == pytest.approx([0.4, -0.6, 0.8])
    assert found.scaled(2).reversed().minus(1).failed == found.failed


def test_a_relative_loss_is_that_of_the_ratios_and_is_paired_by_seed():
    ours, theirs = pd.Series([2.0, 3.0, 4.4]), pd.Series([4.0, 2.0, 3.0], index=[2, 0, 1])
    contrast = relative(ours, theirs, **WORDS)
    test = stats.ttest_1samp(ours / theirs - 1, 0.0)
    assert ends(contrast) == pytest.approx((np.mean([0.0, 0.0, 0.1]), *test.confidence_interval(0.95)))
    with pytest.raises(ValueError, match=r"seeds \[2\] have no partner"):
        relative(ours, theirs[theirs.index != 2], **WORDS)
    with pytest.raises(ValueError, match="losses must be above 0, not down to 0"):
        relative(ours, theirs * 0, **WORDS)


@pytest.mark.parametrize(("lost", "share"), [("ours", 1.0), ("theirs", -1.0), ("both", 0.0)])
def test_who_diverges_has_lost_everything_and_nobody_else_is_charged(lost, share):
    ours, theirs = pd.Series([2.0, 3.0]), pd.Series([2.0, 3.0])
    for name, series in (("ours", ours), ("theirs", theirs)):
        series.loc[1] = math.nan if lost in (name, "both") else series.loc[1]
    contrast = relative(ours, theirs, **WORDS)
    assert contrast.estimate == pytest.approx(share / 2)
    assert len(contrast.failed) == (2 if lost == "both" else 1)


@pytest.mark.parametrize("bad", [[], pd.Series([1.0, 2.0], index=[3, 3])], ids=["none", "twice"])
def test_bad_values_are_refused(bad):
    for make in (single, lambda x, **words: paired(x, x, **words)):
        with pytest.raises(ValueError, match="value"):
            make(bad, **WORDS)


def test_one_value_excludes_nothing():
    for contrast in (
        single([1], **WORDS),
        paired([1], [2], **WORDS),
        unpaired([1], [2, 3], **WORDS),
        crossed(pd.DataFrame(drawn(1, 4)), **WORDS),
        spread([1, 2], [1, 2, 4], name="s"),
    ):
        assert (contrast.low, contrast.high, contrast.visible) == (-math.inf, math.inf, math.inf)
        assert contrast.p_above(-100) == contrast.p_below(100) == 0.5
        assert math.isnan(contrast.needed_above(-100))


def test_runs_that_are_all_equal_tell_nothing_of_their_spread():
    """Three equal runs were certain of anything: their interval was a point."""
    for contrast in (
        paired([1, 1, 1], [0.5, 0.5, 0.5], **WORDS),
        unpaired([1, 1, 1], [0.5, 0.5], **WORDS),
        single([0.1 + 0.2, 0.3, 0.3], **WORDS),  # equal but for rounding
        crossed(pd.DataFrame(np.ones((4, 5))), name="x", unit="u"),
    ):
        assert (contrast.low, contrast.high, contrast.visible) == (-math.inf, math.inf, math.inf)
        assert (contrast.p_above(0.1), contrast.p_below(9.0)) == (0.5, 0.5)
        assert math.isnan(contrast.needed_above(0.1))


def test_log2_is_the_logarithm_of_the_ratio():
    assert paired([2, 8], [1, 2], log2=True, **WORDS).values.tolist() == [1, 2]
    assert unpaired([2, 8], [1, 1, 1], log2=True, **WORDS).estimate == 2
    with pytest.raises(ValueError, match="positive"):
        paired([0, 1], [1, 1], log2=True, **WORDS)


@CONSTRUCTORS
def test_swapped_arguments_turn_the_sign(make):
    one, other = make(A, B, **WORDS), make(B, A, **WORDS).reversed()
    assert ends(one) == pytest.approx(ends(other))
    assert one.p_above(0.03) == pytest.approx(other.p_above(0.03))
    assert one.needed_above(-0.03) == other.needed_above(-0.03)


@CONSTRUCTORS
@settings(max_examples=20, deadline=None)
@given(factor=st.sampled_from([-3.0, -0.5, 0.1, 7.0]), shift=st.floats(-2, 2), threshold=st.floats(-1, 1))
def test_moving_a_contrast_moves_thresholds_with_it(make, factor, shift, threshold):
    contrast = make(A, B, **WORDS)
    moved, there = contrast.scaled(factor, "points").minus(shift), threshold * factor - shift
    probability = contrast.p_above(threshold) if factor > 0 else contrast.p_below(threshold)
    assert moved.p_above(there) == pytest.approx(probability)
    assert sorted(moved.interval(0.9)) == pytest.approx(sorted(x * factor - shift for x in contrast.interval(0.9)))
    assert (moved.unit, moved.visible) == ("points", pytest.approx(abs(factor) * contrast.visible))


def test_the_difference_of_two_effects_is_taken_seed_by_seed():
    one, other = paired(A, B, **WORDS), single(B, name="half", unit="accuracy")
    found = difference_of(one, other, weight=0.5, name="d")
    assert ends(found) == pytest.approx(ends(single(np.subtract(A, np.multiply(B, 1.5)), **WORDS)))
    with pytest.raises(ValueError, match="no number per seed"):
        difference_of(one, unpaired(A, B, **WORDS), name="d")


def test_the_interval_of_the_spread_holds_what_brown_and_forsythe_do_not_reject():
    a, b = drawn(9), 3 * drawn(7, seed=1)
    contrast = spread(a, b, name="a / b")
    assert contrast.low < contrast.estimate < contrast.high
    for threshold in (contrast.low, -1.0, contrast.high):
        theirs = stats.levene(a / 2**threshold, b, center="median")
        assert 2 * min(contrast.p_above(threshold), contrast.p_below(threshold)) == pytest.approx(theirs.pvalue)
        assert contrast.pivot._statistic(threshold)[0] ** 2 == pytest.approx(theirs.statistic)
    assert stats.levene(a / 2**contrast.low, b, center="median").pvalue == pytest.approx(0.05)


def test_the_spread_of_five_seeds_may_have_no_bound_and_of_four_none():
    assert spread([1, 2, 3, 9, 20], [1, 2, 3, 9.5, 21], name="s").low == -math.inf
    four = spread([1, 2, 3, 9], [100, 200, 300, 900], name="s")
    assert (four.low, four.high, four.p_below(0)) == (-math.inf, math.inf, 0.5)
    assert math.isnan(spread([1, 1, 1], [2, 2, 2], name="s").estimate)
    assert spread([1, 1, 1], [2, 3, 5], name="s").estimate == -math.inf
    even = spread(drawn(6), drawn(6, seed=1), name="s")
    assert even.pivot._statistic(0.0)[1] == 8  # scipy's 10, less the two deviations that are copies


@pytest.mark.parametrize("draw", ["normal", "laplace"])
def test_brown_and_forsythe_err_as_seldom_as_they_say(draw):
    rng = np.random.default_rng(0)
    for n in (5, 6, 10):
        wrong = [spread(*getattr(rng, draw)(size=(2, n)), name="s").interval() for _ in range(250)]
        assert np.mean([not low <= 0 <= high for low, high in wrong]) < 0.085


def test_crossed_is_the_analysis_of_variance_with_two_random_factors():
    table = pd.DataFrame(drawn(6, 4) + 2 * drawn(6, 1, seed=1) + 3 * drawn(1, 4, seed=2))
    long = table.rename_axis("seed").reset_index().melt("seed", var_name="item")
    anova = AnovaRM(long, "value", "seed", within=["item"]).fit().anova_table  # F = MS items / MS rest
    by_seed, by_item = 4 * table.mean(axis=1).var(), 6 * table.mean(axis=0).var()
    rest = by_item / anova["F Value"].iloc[0]
    found = crossed(table, name="x", unit="u")
    error = math.sqrt((by_seed + by_item - rest) / 24)
    assert found.pivot._at()[0] == pytest.approx(error)
    assert (found.n, found.items, len(found.values)) == (6, 4, 6)


def test_crossed_agrees_with_a_two_way_bootstrap_where_that_is_right():
    table = drawn(40, 30) / 10 + drawn(40, 1, seed=1) + drawn(1, 30, seed=2)
    rng = np.random.default_rng(3)
    means = [table[rng.integers(40, size=40)][:, rng.integers(30, size=30)].mean() for _ in range(2000)]
    found = crossed(pd.DataFrame(table), name="x", unit="u")
    assert found.high - found.low == pytest.approx(2 * 2.01 * np.std(means), rel=0.1)


@pytest.mark.parametrize("sizes", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.3), (0.0, 1.0, 0.3), (1.0, 1.0, 1.0)], ids=str)
def test_crossed_covers_the_truth_whatever_varies(sizes):
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(200):
        parts = (rng.normal(size=shape) * size for shape, size in zip(((4, 1), (1, 7), (4, 7)), sizes, strict=True))
        found = crossed(pd.DataFrame(sum(parts)), name="x", unit="u")
        hits.append(found.low <= 0 <= found.high)
    assert np.mean(hits) > 0.92


def test_more_seeds_do_not_remove_what_the_items_leave_open():
    items = pd.DataFrame(np.tile([0.0, 1.0, 3.0, 2.0], (5, 1)) + drawn(5, 4) / 100)
    assert crossed(items, name="x", unit="u").needed_above(1.0) == math.inf


def test_crossed_aligns_and_refuses_other_items():
    a, b = (pd.DataFrame(drawn(3, 2, seed=seed), columns=["aa", "abab"]) for seed in (0, 1))
    assert ends(crossed(a, b.iloc[::-1, ::-1], **WORDS)) == pytest.approx(ends(crossed(a - b, **WORDS)))
    with pytest.raises(ValueError, match="items differ"):
        crossed(a, b.rename(columns={"aa": "parity"}), **WORDS)
    a.iloc[1, 0] = math.nan
    assert crossed(a, b, failed_value=0.0, **WORDS).failed == ("first, seed 1, aa",)


def test_ranks_are_correlated_within_each_seed():
    table = pd.DataFrame([[1, 2, 3], [3, 2, 1], [1, 3, 2], [5, 5, 5]], columns=[0.0, 0.5, 1.0])
    found = rank(table, name="gate with ρ")
    assert found.values.tolist() == pytest.approx([1, -1, 0.5, 0])
    assert rank(table, table, name="itself").values.tolist() == pytest.approx([1, 1, 1, 0])
    assert rank(table, [3, 2, 1], name="reversed").estimate == pytest.approx(-found.estimate)
    with pytest.raises(ValueError, match="one number a condition"):
        rank(table, [1, 2], name="short")


def test_a_contrast_reads_well():
    assert str(single([0.1, 0.1], **WORDS)) == "+0.100\u00a0[−∞,\u00a0+∞]"
    assert str(single([-0.0027], **WORDS)) == "−0.0027\u00a0[−∞,\u00a0+∞]"
    assert str(single([-0.000048], **WORDS)).startswith("−0.000048\u00a0[")  # not −4.8e−05
    assert str(single([9.6e-9], **WORDS)).startswith("+9.6·10⁻⁹\u00a0[")
