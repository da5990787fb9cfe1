"""Short names for legends, ticks and narrow columns."""

import pytest

from inductive_bias.formatting import (
    about,
    decimals,
    figures,
    number,
    percent,
    points,
    points_between,
    ratio,
    short,
    span,
    with_interval,
)


@pytest.mark.parametrize(
    ("level", "want"),
    [
        ("CNN", "CNN"),
        ("Universal Transformer", "Univ. Transformer"),
        ("Bidirectional Transformer", "Bidir. Transformer"),
        ("LSTM → Sequential Universal Transformer", "LSTM → Seq. Univ. Transformer"),
        (0.5, "0.5"),
    ],
)
def test_a_short_name_keeps_its_words_apart_but_on_one_line(level, want):
    assert short(level).replace("\u00a0", " ") == want
    assert " " not in short(level)


def test_a_long_name_is_broken_between_words_and_never_within_one():
    assert short("Sequential Universal Transformer", width=10) == "Seq. Univ.\nTransformer"
    assert short("Sequential Universal Transformer", width=60) == "Seq. Univ. Transformer"


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(-0.25, "+.2f", "−0.25"), (0.25, "+.2f", "+0.25"), (-1e-6, "g", "−1e−06"), (-3, "", "−3"), (True, "", "True")],
)
def test_a_number_has_a_true_minus_sign(value, form, text):
    assert number(value, form) == text


def test_a_share_a_score_and_a_difference_of_shares_are_written_as_sentences_have_them():
    assert [percent(0.531), percent(-0.0049, 1)] == ["53\u00a0%", "−0.5\u00a0%"]
    assert [decimals(0.8216), decimals(-0.05), decimals(1.0), decimals(2.5, 1)] == [".82", "−.05", "1.00", "2.5"]
    assert [points(0.1437), points(-0.02), points(0.01, 0), points(0.01)] == [
        "14.4 points",
        "−2.0 points",
        "1 point",
        "1.0 points",
    ]


def test_an_interval_and_a_span_have_one_unit():
    assert points_between(0.023, -0.0114, 0.057) == "2.3 points [−1.1, 5.7]"
    assert span([0.82, 0.756, 0.8], percent) == "76 to 82\u00a0%"
    assert span([0.108, 0.121], lambda share: points(share, 0)) == "11 to 12 points"
    assert span([0.101, 0.099], lambda value: decimals(value, 1)) == ".1"


def test_a_share_of_nothing_is_refused():
    assert ratio(1.0, 4.0) == 0.25
    with pytest.raises(ValueError, match="nothing to divide by"):
        ratio(1.0, 0.0)


def test_an_effect_and_its_interval_are_one_word_for_a_line():
    assert with_interval(1.667, 1.474, 1.876) == "1.67\u00a0[1.47,\u00a01.88]"
    assert with_interval(-0.1, -float("inf"), 0.25, 1) == "−.1\u00a0[−∞,\u00a0.2]"


@pytest.mark.parametrize(
    ("value", "text"), [(1.52042, "1.52"), (-0.02354, "−0.0235"), (137504, "138000"), (5, "5"), (float("inf"), "inf")]
)
def test_a_number_has_as_many_figures_as_a_reader_needs(value, text):
    assert figures(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(5.2, "about 5"), (99.4, "about 99"), (167, "about 170"), (998, "about 1,000"), (2697, "more than 1,000")],
)
def test_an_estimated_number_is_no_finer_than_it_is_known(count, text):
    assert about(count) == text
