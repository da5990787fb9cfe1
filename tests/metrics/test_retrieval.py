"""MAP@R against a loop, its two ends, ties and what is refused."""

import math

import pytest
import torch

from inductive_bias.metrics import average_precisions


def naive(similarities, alike):
    order = sorted(range(len(similarities)), key=lambda place: (-similarities[place], place))
    wanted, right, total = sum(alike), 0, 0.0
    for k, place in enumerate(order[:wanted], start=1):
        if alike[place]:
            right += 1
            total += right / k
    return total / wanted


@pytest.mark.parametrize("n", [1, 2, 9])
def test_precisions_are_those_of_a_loop(n):
    generator = torch.Generator().manual_seed(n)
    similarities = torch.randn(12, n, generator=generator).round(decimals=1)
    alike = torch.rand(12, n, generator=generator) < 0.4
    alike[:, 0] |= ~alike.any(1)
    found = average_precisions(similarities, alike)
    wanted = [naive(row, same) for row, same in zip(similarities.tolist(), alike.tolist(), strict=True)]
    assert found.tolist() == pytest.approx(wanted)


def test_all_first_is_one_and_none_among_the_first_is_nothing():
    alike = torch.tensor([[True, True, False, False], [False, False, True, True]])
    similarities = torch.tensor([[4.0, 3.0, 2.0, 1.0]] * 2)
    assert average_precisions(similarities, alike).tolist() == [1.0, 0.0]


def test_a_query_whose_similarities_are_no_numbers_has_no_score():
    alike = torch.tensor([[True, False], [False, True]])
    similarities = torch.tensor([[math.nan, 1.0], [0.0, 1.0]])
    found = average_precisions(similarities, alike).tolist()
    assert math.isnan(found[0])
    assert found[1] == 1


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match="1 have nothing"):
        average_precisions(torch.ones(2, 2), torch.tensor([[True, False], [False, False]]))
    with pytest.raises((ValueError, TypeError)):
        average_precisions(torch.ones(2, 2), torch.ones(2, 3, dtype=torch.bool))
