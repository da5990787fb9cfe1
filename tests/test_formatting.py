"""Short names for legends, ticks and narrow columns."""

import pytest

from inductive_bias.formatting import number, short


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
