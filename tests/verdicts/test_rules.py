import itertools
import math

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from inductive_bias.verdicts import (
    OWN_WORDS,
    VERDICTS,
    all_of,
    any_of,
    corrected,
    equivalent,
    exceeds,
    exists,
    falls_below,
    given,
    given_all,
    half_of,
    not_,
    opposed,
    ordered,
    paired,
    single,
    spread,
)


def around(mean, *, error=0.01, n=5, seed=0):
    """A contrast with exactly this mean and standard error."""
    values = np.random.default_rng(seed).normal(size=n)
    values = (values - values.mean()) / values.std(ddof=1)
    return single(mean + error * math.sqrt(n) * values, name=f"x {mean:g}", unit="accuracy")


UP, OPEN, DOWN = (exceeds(around(mean), 0.1) for mean in (0.2, 0.1, 0.0))
UNTESTABLE = given(False, "the teacher has nothing to lend", lambda: 1 / 0)
PARTS = {"up": UP, "open": OPEN, "down": DOWN, "untestable": UNTESTABLE}


def samples(mean, *, n, times=400):
    """Contrasts of standard normal values around ``mean``."""
    return [single(row, name="x", unit="u") for row in np.random.default_rng(0).normal(mean, size=(times, n))]


def share(judgements, verdict):
    return np.mean([judgement.verdict == verdict for judgement in judgements])


def test_the_three_verdicts_of_exceeds():
    assert [each.verdict for each in (UP, OPEN, DOWN)] == ["reproduced", "undecided", "not reproduced"]
    assert exceeds(around(-0.3), 0.1).verdict == "not reproduced"
    assert falls_below(around(0.2), 0.1).verdict == "not reproduced"
    assert falls_below(around(0.05), 0.1).verdict == "reproduced"


def test_a_verdict_is_where_the_interval_excludes_the_threshold():
    contrast = around(0.2)
    for end, side in ((contrast.low, -1), (contrast.high, 1)):
        assert exceeds(contrast, end + side * 1e-6).verdict != "undecided"
        assert exceeds(contrast, end - side * 1e-6).verdict == "undecided"
        assert exceeds(contrast, end).p == pytest.approx(0.05)


def test_thresholds_that_leave_a_null_open_need_a_reason():
    for rule in (exceeds, falls_below):
        with pytest.raises(ValueError, match="needs a reason"):
            rule(around(0.2), 0)
        assert rule(around(0.2), 0, reason="the margin is in the contrast").verdict in VERDICTS
    with pytest.raises(ValueError, match="reversed"):
        exceeds(around(0.2), -0.1)
    with pytest.raises(ValueError, match="must be a finite number, not nan"):
        exceeds(around(0.2), math.nan)
    with pytest.raises(ValueError, match="margin"):
        equivalent(around(0.2), 0)


def test_half_of_the_paper_has_no_sign():
    assert half_of(-0.138) == half_of(0.138) == 0.069


@pytest.mark.parametrize("mean", [-0.03, 0.0, 0.02, 0.2])
def test_equivalence_is_statsmodels_two_one_sided_tests(mean):
    values = around(mean).values.to_numpy()
    contrast = paired(values, np.zeros(5), name="x", unit="u")
    theirs = ttost_paired(values, np.zeros(5), -0.05, 0.05)[0]
    assert equivalent(contrast, 0.05).holds.p == pytest.approx(theirs)


def test_the_verdicts_of_equivalence():
    wanted = {0.0: "reproduced", 0.05: "undecided", 0.2: "not reproduced", -0.2: "not reproduced"}
    assert {mean: equivalent(around(mean), 0.05).verdict for mean in wanted} == wanted


def test_a_margin_may_be_a_share_of_another_effect():
    lent = around(0.2, seed=1)
    for mean, verdict in ((0.0, "reproduced"), (0.1, "undecided"), (0.3, "not reproduced"), (-0.3, "not reproduced")):
        assert equivalent(around(mean), lent.scaled(0.5, name="half of what is lent")).verdict == verdict


@pytest.mark.parametrize("n", [5, 40])
def test_a_true_effect_at_the_threshold_is_seldom_decided(n):
    """A threshold errs by 2.5 % on either side and equivalence by 5 %, with room for 400 draws."""
    drawn = samples(1.0, n=n)
    judged = {"exceeds": [exceeds(each, 1) for each in drawn], "equivalent": [equivalent(each, 1) for each in drawn]}
    assert share(judged["exceeds"], "reproduced") < 0.045
    assert share(judged["exceeds"], "not reproduced") < 0.045
    assert share(judged["equivalent"], "reproduced") < 0.08
    assert share(judged["equivalent"], "not reproduced") < 0.045


def test_a_true_null_becomes_not_reproduced_with_enough_seeds():
    few, some, many = (
        share([exceeds(each, 0.5) for each in samples(0.0, n=n, times=150)], "not reproduced") for n in (4, 20, 80)
    )
    assert few < some < many
    assert many > 0.95


def test_so_many_seeds_do_decide_with_power():
    contrast = single([0.1, 0.9, -1.1, 1.6, 0.5], name="x", unit="u")
    contrast = contrast.scaled(1 / contrast.values.std())
    judgement = exceeds(contrast, contrast.estimate + 0.5)
    assert judgement.verdict == "undecided"
    found = [exceeds(each, 0.5) for each in samples(0.0, n=int(judgement.seeds))]
    assert share(found, "not reproduced") == pytest.approx(0.8, abs=0.06)


def test_seeds_are_for_the_open_only():
    assert OPEN.seeds == math.inf  # the estimate lies at the threshold
    assert math.isnan(UP.seeds)
    assert math.isnan(exceeds(single([1.0], name="x", unit="u"), 0.5).seeds)
    nearly = around(0.12)
    assert exceeds(nearly, 0.1).seeds == nearly.needed_above(0.1)
    assert any_of([exceeds(nearly, 0.1)] * 3).seeds > exceeds(nearly, 0.1).seeds


def test_all_parts_must_hold_and_the_weakest_decides():
    wanted = {
        ("up", "up"): "reproduced",
        ("up", "open"): "undecided",
        ("up", "down"): "not reproduced",
        ("open", "down"): "not reproduced",
        ("up", "untestable"): "not testable here",
        ("down", "untestable"): "not reproduced",
        ("untestable", "untestable"): "not testable here",
    }
    assert {names: all_of([PARTS[name] for name in names]).verdict for names in wanted} == wanted
    assert all_of([UP, exceeds(around(0.15), 0.1)]).p == exceeds(around(0.15), 0.1).p
    assert all_of([UP, DOWN]).p == pytest.approx(2 * DOWN.p)
    assert all_of([UP, DOWN]).deciding is DOWN.deciding
    assert all_of([UP, OPEN]).deciding is OPEN.deciding


@pytest.mark.parametrize("names", list(itertools.combinations_with_replacement(PARTS, 2)), ids="-".join)
def test_some_and_all_mirror_each_other(names):
    parts = [PARTS[name] for name in names]
    some, mirrored = any_of(parts), not_(all_of([not_(part) for part in parts]))
    assert some.verdict == mirrored.verdict
    assert some.p == pytest.approx(mirrored.p, nan_ok=True)
    assert not_(not_(some)).verdict == some.verdict


def test_every_step_of_a_ladder_must_be_worth_the_name():
    steps = [around(0.2), around(0.15), around(0.3)]
    assert ordered(steps, 0.05).verdict == "reproduced"
    assert ordered(steps, [0.05, 0.25, 0.05]).verdict == "not reproduced"
    with pytest.raises(ValueError, match="zip"):
        ordered(steps, [0.05])


def test_some_pair_must_survive_the_number_of_pairs():
    good, null = around(0.05, error=0.012), [around(0.0, error=0.05)] * 65
    assert exceeds(good, 0.005).verdict == "reproduced"
    assert exists([good, *null], 0.005).verdict == "undecided"
    assert exists([good, good], 0.005).p == pytest.approx(2 * exceeds(good, 0.005).p)
    assert exists([around(0.0)] * 3, 0.1).verdict == "not reproduced"
    with pytest.raises(ValueError, match="at least one"):
        exists([], 0.1)


def test_some_of_many_nulls_is_seldom_found():
    draws = np.random.default_rng(0).normal(size=(200, 4, 5))
    found = [exists([single(row, name="x", unit="u") for row in rows], 1e-9).verdict for rows in draws]
    assert found.count("reproduced") / 200 < 0.06


def test_opposed_wants_both_effects_and_opposite_signs():
    assert opposed(around(0.2), around(-0.2), 0.1).verdict == "reproduced"
    assert opposed(around(-0.2), around(0.2), 0.1).verdict == "reproduced"
    assert opposed(around(0.2), around(0.2), 0.1).verdict == "not reproduced"
    assert opposed(around(0.2), around(-3.0), (0.1, 3.0)).verdict == "undecided"
    assert opposed(around(0.2), around(-0.2), 0.1).p == exceeds(around(0.2), 0.1).p


def test_a_failed_precondition_is_told_and_nothing_is_computed():
    assert UNTESTABLE.verdict == "not testable here"
    assert UNTESTABLE.reason == "not testable here: the teacher has nothing to lend"
    assert math.isnan(UNTESTABLE.p)
    assert UNTESTABLE.deciding is None
    assert given(True, "…", UP) is UP
    assert given(True, "…", lambda: UP) is UP


def test_several_preconditions_are_asked_in_order_until_one_fails():
    def conditions():
        yield True, "…"
        yield False, "the teacher has nothing to lend"
        raise AssertionError("asked for after one that failed")

    assert given_all(conditions(), lambda: 1 / 0).reason == UNTESTABLE.reason
    assert given_all([(True, "…"), (True, "…")], UP) is UP
    assert given_all([], lambda: UP) is UP


def test_a_spread_too_small_to_know_stays_open():
    judgement = exceeds(spread([1, 1, 1], [1, 2, 4], name="s"), 1)
    assert judgement.verdict == "undecided"
    assert "too few runs to know their spread" in judgement.reason


def test_the_reason_tells_effect_rule_seeds_and_failures():
    failing = paired(
        [0.5, math.nan, 0.6, 0.5], [0.4, 0.1, 0.3, 0.4], failed_value=0.0, name="RSA − twin", unit="accuracy"
    )
    reason = exceeds(failing, 0.05).reason
    assert reason.startswith("RSA − twin +0.100")
    assert "more than 0.05: undecided (about" in reason
    assert reason.endswith("diverged, counted as failures: first, seed 1")
    assert "not within ± 0.05: reproduced" in not_(equivalent(around(0.2), 0.05)).reason


def test_questions_of_our_own_have_words_for_every_verdict():
    assert tuple(OWN_WORDS) == VERDICTS
    assert OWN_WORDS["reproduced"] == "confirmed"


def test_holm_is_statsmodels_over_the_testable_claims():
    claims = {"A": UP, "B": UNTESTABLE, "C": exceeds(around(0.1293), 0.1), "D": OPEN, "E": DOWN}
    table = corrected(claims, "holm")
    tested = ["A", "C", "D", "E"]
    wanted = multipletests([claims[name].p for name in tested], method="holm")[1]
    assert table.loc[tested, "corrected"].tolist() == pytest.approx(wanted)
    assert table["changes"].tolist() == [False, False, True, False, False]
    assert table["verdict"].tolist() == [each.verdict for each in claims.values()]
    assert table["after"].tolist() == ["reproduced", "not testable here", "undecided", "undecided", "not reproduced"]
    assert math.isnan(table.loc["B", "corrected"])


def test_holm_of_nothing_is_empty():
    assert corrected({}, "holm").empty
    assert isinstance(corrected({"B": UNTESTABLE}, "holm"), pd.DataFrame)


def test_a_judgement_prints_in_words():
    judgement = exceeds(single([0.9, 1.0, 1.1], name="gain", unit="points"), 0.5)
    assert str(judgement) == judgement.reason
    assert f"{judgement}".endswith("reproduced")
