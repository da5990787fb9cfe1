"""The words of tables and cells."""

import math

import pytest

from inductive_bias.studies.frames import MOST_LISTED, bracketed, listed


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((-1.0, -1.1, -0.9), "−1.0"),
        ((-0.2, -3.9, 3.5), "(−0.2)"),
        ((0.04, 0.01, 0.07), "+0.0"),
        ((-0.04, -0.07, -0.01), "+0.0"),  # no minus before a zero
        ((0.3, 0.0, 0.6), "(+0.3)"),
        ((0.3, math.nan, math.nan), "(+0.3)"),  # of one seed
        ((0.3, -math.inf, math.inf), "(+0.3)"),
    ],
)
def test_a_difference_is_bracketed_where_the_seeds_do_not_settle_it(found, words):
    assert bracketed(*found, decimals=1) == words


def test_values_are_listed_side_by_side_while_they_can_be_read():
    assert listed([-0.25, float("nan"), 0.5], 2) == "−0.25\u00a0–\u00a00.50"
    assert len(listed([0.125] * MOST_LISTED).split("\u00a0")) == MOST_LISTED


def test_of_many_values_the_ends_are_shown_and_how_many_there_are_and_diverged():
    values = [0.2, 0.8, *[0.5] * MOST_LISTED]
    assert listed(values, 1) == f"0.2 … 0.8 ({MOST_LISTED + 2} runs)"
    assert listed([*values, float("nan")], 1) == f"0.2 … 0.8 ({MOST_LISTED + 3} runs, 1 diverged)"
    assert listed([float("nan")] * 20) == "(20 runs, 20 diverged)"
