"""Scores of answers at every position, against loops."""

import pytest
import torch

from inductive_bias.metrics import last_quarter, position_scores


@pytest.mark.parametrize(("length", "places"), [(1, [0]), (3, [2]), (7, [6]), (8, [6, 7]), (16, [12, 13, 14, 15])])
def test_the_last_quarter_is_rounded_down_and_never_empty(length, places):
    assert list(range(length))[last_quarter(length)] == places


@pytest.mark.parametrize(("n", "length"), [(1, 1), (5, 7), (40, 16)])
def test_scores_are_those_of_a_loop(n, length):
    right = torch.rand(n, length, generator=torch.Generator().manual_seed(0)) < 0.8
    found, rows = position_scores(right), right.tolist()
    for place in range(length):
        assert found.by_position[place].item() == pytest.approx(sum(row[place] for row in rows) / n)
    assert found.every == pytest.approx(sum(map(sum, rows)) / (n * length))
    late = [row[place] for row in rows for place in range(length)[last_quarter(length)]]
    assert found.last_quarter == pytest.approx(sum(late) / len(late))
    assert found.whole == pytest.approx(sum(all(row) for row in rows) / n)


def test_no_answers_are_refused():
    with pytest.raises(ValueError, match="must hold an answer"):
        position_scores(torch.ones(0, 3, dtype=torch.bool))
    with pytest.raises(ValueError, match="length"):
        last_quarter(0)
