"""Short names for legends, ticks and narrow columns."""

import pytest

from inductive_bias.names import short


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
