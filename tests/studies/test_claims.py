import math

import pytest

from inductive_bias.analysis import Interval
from inductive_bias.studies.claims import above, below, both, within


def interval(low, high):
    return Interval((low + high) / 2, low, high, 4)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 0.3, "reproduced"), (-0.3, -0.1, "not reproduced"), (-0.1, 0.3, "inconclusive"), (0.0, 0.3, "inconclusive")],
)
def test_a_direction_needs_the_whole_interval(low, high, verdict):
    assert above(interval(low, high)) == verdict
    assert below(interval(-high, -low)) == verdict
    assert above(interval(low + 5, high + 5), 5.0) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.004, 0.005, "reproduced"), (0.006, 0.01, "not reproduced"), (-0.01, -0.006, "not reproduced"),
     (0.001, 0.009, "inconclusive"), (-math.inf, math.inf, "inconclusive")],
)  # fmt: skip
def test_equivalence_needs_the_interval_inside_the_margin(low, high, verdict):
    assert within(Interval(0.0 if math.isinf(low) else (low + high) / 2, low, high, 4), 0.005) == verdict


def test_no_value_is_no_verdict():
    nothing = Interval(math.nan, math.nan, math.nan, 0)
    assert {above(nothing), below(nothing), within(nothing, 1.0)} == {"inconclusive"}


def test_a_claim_of_several_parts_fails_with_any_of_them():
    assert both("reproduced", "reproduced") == "reproduced"
    assert both("reproduced", "inconclusive") == "inconclusive"
    assert both("inconclusive", "not reproduced", "reproduced") == "not reproduced"
