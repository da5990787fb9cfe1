"""What rules ask in numbers: units, regions, and which part of a sentence stands for the whole."""

import math

import pytest

from inductive_bias.studies.claims import Finding
from inductive_bias.verdicts import (
    all_of,
    any_of,
    equivalent,
    exceeds,
    falls_below,
    given,
    half_of,
    not_,
    opposed,
    single,
)


def around(mean, *, error=0.01, name="x"):
    """Five seeds with this mean and, nearly, this standard error."""
    return single([mean + error * step for step in (-2, -1, 0, 1, 2)], name=name, unit="accuracy")


def test_half_of_the_papers_effect_is_a_number_that_knows_the_whole():
    least = half_of(-0.138)
    assert least == 0.069
    assert least.paper == 0.138
    assert float(least) * 2 == 0.138


def test_an_effect_is_measured_by_the_paper_and_without_one_by_the_margin():
    contrast = around(0.3)
    (reported,), (own,) = exceeds(contrast, half_of(0.2)).asked, exceeds(contrast, 0.2).asked
    assert (reported.unit, reported.paper, own.unit, own.paper) == ("paper", 0.2, "margin", None)
    for asked, one, region in ((reported, 0.2, (0.5, math.inf)), (own, 0.2, (1.0, math.inf))):
        scaled = asked.relative()
        found = (scaled.contrast.estimate, scaled.contrast.low, scaled.contrast.high)
        assert found == pytest.approx((contrast.estimate / one, contrast.low / one, contrast.high / one))
        assert scaled.regions == (region,)
        assert scaled.relative().contrast.estimate == pytest.approx(scaled.contrast.estimate)  # 1 is 1 already


def test_each_rule_says_where_the_truth_must_lie():
    contrast = around(0.3)
    assert exceeds(contrast, 0.1).asked[0].regions == ((0.1, math.inf),)
    assert falls_below(contrast, 0.1).asked[0].regions == ((-math.inf, 0.1),)
    assert equivalent(contrast, 0.1).asked[0].regions == ((-0.1, 0.1),)
    assert not_(equivalent(contrast, 0.1)).asked[0].regions == ((-math.inf, -0.1), (0.1, math.inf))
    assert not_(exceeds(contrast, 0.1)).asked[0].regions == ((-math.inf, 0.1),)
    twice = not_(not_(equivalent(contrast, 0.1)))
    assert twice.asked[0].regions == ((-0.1, 0.1),)


def test_a_verdict_says_that_the_interval_lies_in_a_region_or_outside_all():
    for mean in (-0.3, 0.0, 0.3):
        for judgement in (exceeds(around(mean), 0.1), falls_below(around(mean), 0.1), equivalent(around(mean), 0.1)):
            contrast, regions = judgement.asked[0].contrast, judgement.asked[0].regions
            inside = any(low <= contrast.low and contrast.high <= high for low, high in regions)
            assert inside == (judgement.verdict == "reproduced")


def test_what_has_no_size_is_not_asked_in_numbers():
    contrast = around(0.3)
    assert exceeds(contrast, 0, reason="the margin is in the contrast").asked == ()
    assert equivalent(contrast, around(0.4, name="half of another")).asked == ()
    assert given(False, "nothing to lend", exceeds(contrast, 0.1)).asked == ()


def test_the_weakest_part_that_a_paper_has_a_number_of_stands_for_all():
    strong, weak = exceeds(around(0.5), half_of(0.2)), exceeds(around(0.11, error=0.02), half_of(0.2))
    bound = falls_below(around(0.12, error=0.05), 0.1)  # weaker than both, but no paper has a number of it
    both = all_of([strong, weak])
    assert both.asked[0].contrast is weak.asked[0].contrast
    assert all_of([both, bound]).asked[0].contrast is weak.asked[0].contrast
    assert all_of([strong, bound]).deciding is bound.deciding
    assert all_of([exceeds(around(0.5), 0.1), bound]).asked[0].contrast is bound.asked[0].contrast


def test_the_strongest_part_stands_for_some():
    strong, weak = exceeds(around(0.5), half_of(0.2)), exceeds(around(0.1), half_of(0.2))
    assert any_of([weak, strong]).asked[0].contrast is strong.asked[0].contrast
    first, second = around(0.5), around(-0.2)
    pair = opposed(first, second, (half_of(0.2), half_of(0.1)))
    assert {each.paper for each in pair.asked} == {0.2, 0.1}
    assert pair.asked[0].contrast.estimate > 0  # of the way that was found


def test_the_effect_that_is_shown_is_the_one_that_is_measured():
    weak, strong = around(0.1, error=0.02), around(0.5)
    judgement = all_of([exceeds(weak, 0.05), exceeds(strong, 0.05)])
    assert Finding(judgement).asked.contrast is weak
    assert Finding(judgement, effect=strong).asked.contrast is strong
    assert Finding(judgement, effect=around(0.9)).asked.contrast is weak  # nothing is asked of that one
    assert Finding(given(False, "nothing to lend", judgement)).asked is None
