"""Scores that are paired by the numbers of their runs, against the contrasts of the same numbers made by hand."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies.bootstrap import Score
from inductive_bias.verdicts import paired, resampled

DRAWS, ITEMS = 50, 8


def score(numbers, seed, *, items=ITEMS, failed=()):
    rng = np.random.default_rng(seed)
    values = pd.Series(rng.random(len(numbers)), index=pd.Index(numbers, name="number"))
    return Score(values, rng.random((DRAWS, len(numbers))), items, "accuracy", failed)


def test_a_difference_is_taken_run_by_run_and_drawing_by_drawing():
    one, other = score([0, 1, 2], 0), score([0, 1, 2], 1, failed=("a",))
    found = one.less(other)
    expected = resampled(one.values - other.values, one.drawn - other.drawn, items=ITEMS, name="", unit="accuracy")
    contrast = found.contrast("")
    assert (contrast.estimate, contrast.interval()) == (expected.estimate, expected.interval())
    assert contrast.failed == ("a",)


def test_of_one_item_it_is_the_paired_contrast_of_runs():
    one, other = score([0, 1, 2], 0, items=1), score([0, 1, 2], 1)
    contrast, expected = one.less(other).contrast(""), paired(one.values, other.values, name="", unit="accuracy")
    assert (contrast.estimate, contrast.interval()) == (expected.estimate, expected.interval())


@pytest.mark.parametrize("turned", [False, True])
def test_a_run_without_a_partner_counts_nowhere(turned):
    many, few = score([0, 1, 2, 3], 0), score([3, 1], 1)
    found = few.less(many) if turned else many.less(few)
    sign = -1 if turned else 1
    assert {number: sign * value for number, value in found.values.items()} == pytest.approx(
        {number: many.values[number] - few.values[number] for number in (1, 3)}
    )
    for place, number in enumerate(found.values.index):
        own, theirs = many.drawn[:, number], few.drawn[:, {3: 0, 1: 1}[number]]
        np.testing.assert_allclose(sign * found.drawn[:, place], own - theirs)


def test_without_a_number_in_common_there_is_no_difference():
    with pytest.raises(ValueError, match="cannot be paired"):
        score([0, 1], 0).less(score([2, 3], 1))
