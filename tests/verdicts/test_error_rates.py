"""What the rules promise, and where they cannot keep it: the published simulation, and a part of it again."""

import pandas as pd
import pytest
from scipy.stats import binom

from inductive_bias import paths
from inductive_bias.verdicts.error_rates import CASES, OUTCOMES, RUNS, error_rates

PUBLISHED = pd.read_csv(paths.published("verdict_errors.csv"), comment="#")
#: Values for which a rule about a mean promises nothing: strongly skewed ones, for which Student's interval ends low.
SKEWED = ("skewed (exponential)", "log-normal")
#: Where a rule is known to be somewhat off, and by how much at most: up to six values that are uniform.
FEW_UNIFORM = 0.115
#: Of "no difference" the rule promises 5 % on the one side, as two one-sided tests do, and 2.5 % on the other.
NO_DIFFERENCE = 0.095
REPETITIONS = 100


def by_place():
    return PUBLISHED.set_index(["rule", "outcomes", "runs"])["wrong"].sort_index()


def test_every_rule_keeps_its_promise_where_it_makes_one():
    promised = PUBLISHED[~PUBLISHED["outcomes"].isin(SKEWED) & ~PUBLISHED["rule"].str.contains("not paid for")]
    # two thousand repetitions of 5 % are within 7.5 % but for one time in a million
    most = pd.Series(0.075, promised.index).mask(promised["rule"] == "no difference worth naming", NO_DIFFERENCE)
    most = most.mask((promised["outcomes"] == "uniform") & (promised["runs"] <= 6), FEW_UNIFORM)
    assert (promised["wrong"] <= most).all(), promised[promised["wrong"] > most]


def test_what_was_wrong_before_is_right_now():
    """The reviewer's rates: 52 % for runs that find a rule, 10 to 12 % of few items, 13.5 % of undeclared looks."""
    wrong = by_place()
    for outcome in list(OUTCOMES)[5:]:
        for runs in RUNS:
            assert wrong["a share exceeds a threshold, extremes known", outcome, runs] < 0.025
    for items in (4, 9):
        for what in ("items", "runs"):
            assert wrong[f"runs × {items} items, {what} differ more", "normal"].max() < 0.07
    # 26 % with two conditions and 13 % with three before; fewer than four items decide nothing
    for conditions in (2, 3):
        assert wrong[f"rank correlation, {conditions} conditions", "normal"].max() < 0.05
    assert wrong["runs × 3 items, items differ more", "normal"].max() == 0
    assert wrong["looks at 4, 24 and 117 runs, paid for", "normal", 117] < 0.06
    assert wrong["looks at 4, 24 and 117 runs, not paid for (for comparison)", "normal", 117] > 0.09
    few = PUBLISHED[(PUBLISHED["rule"] == "ratio of two spreads") & (PUBLISHED["runs"] < 5)]
    assert len(few) == 8
    assert few["wrong"].max() == 0


def test_skewed_values_are_told_as_what_they_are():
    """On a logarithmic scale the promise holds; as they are it does not, and the page says so."""
    wrong = by_place()
    assert wrong["a mean exceeds a threshold", "log-normal"].min() > 0.1
    assert wrong["a ratio exceeds a threshold, on a logarithmic scale", "log-normal"].max() < 0.07


def test_all_that_is_simulated_is_published():
    wanted = {(case.rule, outcome, n) for case in CASES for outcome in case.outcomes for n in case.runs}
    assert set(PUBLISHED[["rule", "outcomes", "runs"]].itertuples(index=False, name=None)) == wanted


@pytest.mark.slow
def test_the_published_rates_come_out_again():
    again = error_rates(REPETITIONS, seed=1)
    both = again.merge(PUBLISHED, on=["rule", "outcomes", "runs"], suffixes=("", "_published"))
    assert len(both) == len(PUBLISHED)
    for side in ("holds", "fails"):
        rates = both[f"{side}_published"].clip(1e-3, 1 - 1e-3)
        counts = (both[side] * REPETITIONS).round()
        # one in a hundred thousand for each of some two hundred numbers; a rate of two thousand is not exact either
        low, high = (binom.ppf(level, REPETITIONS, rates) for level in (1e-5, 1 - 1e-5))
        off = both[(counts < low - 1) | (counts > high + 1)]
        assert off.empty, off


def test_no_repetition_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        error_rates(0)
