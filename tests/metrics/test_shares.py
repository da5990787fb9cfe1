import math

import pytest
import torch

from inductive_bias.metrics import error_shares


def sample(n, positions=2, *, seed=0):
    """Two independent groups of standard normal inputs, and the second group of the next example."""
    a, b = torch.randn(2, n, positions, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return a, b, b.roll(-1, 0)


def test_each_group_gets_what_depends_on_it_alone():
    a, b, other = sample(200_000)

    def error(a, b):
        return 2 * a + 3 * b + a * b + 0.5

    found = error_shares(error(a, b), error(a, other))
    # variances of the terms: 4, 9, 1; the mean's square is .25
    assert found.first == pytest.approx(4, rel=0.03)
    assert found.second == pytest.approx(9, rel=0.03)
    assert found.total == pytest.approx(4 + 9 + 1 + 0.25, rel=0.03)


@pytest.mark.parametrize("group", [0, 1])
def test_an_error_of_one_group_is_that_group_s_alone(group):
    a, b, other = sample(50_000)
    error, crossed = ((a, a), (b, other))[group]
    shares = error_shares(error, crossed)[1:]
    assert shares[group] == pytest.approx(1, rel=0.03)
    assert shares[1 - group] == pytest.approx(0, abs=0.03)


def test_no_error_has_no_parts_and_nan_stays_nan():
    zero = torch.zeros(2, 1)
    assert error_shares(zero, zero) == (0, 0, 0)
    assert all(math.isnan(each) for each in error_shares(zero / 0, zero))
    assert all(type(each) is float for each in error_shares(zero, zero))


def test_a_single_example_is_refused():
    with pytest.raises(ValueError, match=r"n of at least 2 and s of at least 1, not \(1, 2\) and \(1, 2\)"):
        error_shares(torch.zeros(1, 2), torch.zeros(1, 2))
