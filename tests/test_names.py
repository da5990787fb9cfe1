"""Short names for legends and narrow columns."""

import pytest

from inductive_bias.names import short_name


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("CNN", "CNN"),
        ("Universal Transformer", "Univ. Transformer"),
        ("LSTM → Sequential Universal Transformer", "LSTM → Seq. Univ. Transformer"),
    ],
)
def test_a_short_name_keeps_its_words_apart_but_on_one_line(name, want):
    assert short_name(name).replace("\u00a0", " ") == want
    assert " " not in short_name(name)
