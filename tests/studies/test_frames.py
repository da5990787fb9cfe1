"""The words of tables and cells."""

import math

import pytest

from inductive_bias.studies.frames import bracketed


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
