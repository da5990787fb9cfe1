"""Random numbers that begin at a seed, and leave no trace."""

import random

import numpy as np
import pytest
import torch

from inductive_bias.seeding import seeded

CPU = torch.device("cpu")
DRAWS = {"torch": lambda: torch.rand(3).tolist(), "numpy": lambda: np.random.rand(3).tolist(), "python": random.random}  # noqa: NPY002


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_begin_at_the_seed_and_the_callers_go_on(name):
    draw = DRAWS[name]
    with seeded(1, CPU):
        first, second = draw(), draw()
    with seeded(7, CPU):
        wanted = draw()
        with seeded(1, CPU):
            assert draw() == first
            assert draw() == second
        after = draw()
    with seeded(7, CPU):
        assert (draw(), draw()) == (wanted, after)
    assert len({str(each) for each in (first, second, wanted, after)}) == 4


def test_they_go_on_after_an_error_too():
    with seeded(3, CPU):
        wanted = [draw() for draw in DRAWS.values()]
    with seeded(3, CPU):
        with pytest.raises(ZeroDivisionError), seeded(4, CPU):
            DRAWS["torch"]() + DRAWS["numpy"]() + [DRAWS["python"]() / 0]
        assert [draw() for draw in DRAWS.values()] == wanted


def test_a_seed_beyond_what_numpy_takes():
    with seeded(2**40 + 5, CPU):
        first = np.random.rand()  # noqa: NPY002
    with seeded(5, CPU):
        assert np.random.rand() == first  # noqa: NPY002
