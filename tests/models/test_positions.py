"""Positions that are added to embeddings, each against its formula."""

from itertools import combinations

import numpy as np
import pytest
import torch
from torch.func import vmap

from inductive_bias.models.positions import (
    Learned,
    Randomised,
    Shifted,
    drawn_places,
    positions_of,
    sinusoidal_positions,
    sinusoids,
)


def zeros(b=3, t=5, d=6):
    return torch.zeros(b, t, d)


def rows(*lengths, t=5):
    return torch.arange(t) < torch.tensor(lengths)[:, None]


def test_sinusoids_are_those_of_the_formula():
    width, found = 6, sinusoidal_positions(5, 6).numpy()
    for t in range(5):
        for i in range(width // 2):
            angle = t / 10_000 ** (2 * i / width)
            np.testing.assert_allclose(found[t, 2 * i : 2 * i + 2], [np.sin(angle), np.cos(angle)], atol=1e-6)


def test_an_odd_width_has_sinusoids_too():
    assert sinusoidal_positions(3, 5).shape == (3, 5)


def test_the_sinusoids_of_later_positions_need_not_those_before():
    torch.testing.assert_close(sinusoidal_positions(2, 6, first=3), sinusoidal_positions(5, 6)[3:])


def test_sinusoids_of_any_places_are_rows_of_the_table():
    places = torch.tensor([[4, 0], [2, 2]])
    assert torch.equal(sinusoids(places, 6), sinusoidal_positions(5, 6)[places])


def test_a_shift_is_a_slice_of_the_table():
    shifted, table = Shifted(9).train(), sinusoidal_positions(14, 6)
    slices = torch.stack([table[first : first + 5] for first in range(10)])
    torch.manual_seed(0)
    found = shifted(zeros(400))
    which = (found[:, None] == slices).all((2, 3))
    assert which.sum(1).eq(1).all()  # each row is one of the slices
    assert which.any(0).all()  # and every start from 0 to the reach is drawn
    torch.manual_seed(0)
    assert torch.equal(shifted(zeros(400)), found)


def test_in_evaluation_a_shift_is_fixed():
    shifted = Shifted(9).eval()
    assert torch.equal(shifted(zeros())[1], sinusoidal_positions(5, 6))
    shifted.offset = 4
    assert torch.equal(shifted(zeros())[1], sinusoidal_positions(5, 6, first=4))
    assert torch.equal(shifted(zeros(t=1), first=3)[0], sinusoidal_positions(1, 6, first=7))
    assert torch.equal(Shifted(0).train()(zeros())[2], sinusoidal_positions(5, 6))


def test_a_learned_table_ends_where_it_ends():
    learned, x = Learned(5, 6), torch.randn(3, 5, 6)
    assert torch.equal(learned(x), x + learned.table.weight)
    assert torch.equal(learned(x[:, 3:], first=3), learned(x)[:, 3:])
    with pytest.raises(ValueError, match="a sequence of 6 tokens is longer than the reach=5"):
        learned(x, first=1)


@pytest.mark.parametrize(("t", "reach"), [(1, 1), (1, 4), (5, 5), (5, 6), (7, 100)])
def test_drawn_places_rise_do_not_repeat_and_lie_within(t, reach):
    places = drawn_places(torch.ones(50, t, dtype=torch.bool), reach, torch.Generator().manual_seed(0))
    assert places.shape == (50, t)
    assert places.diff(dim=1).gt(0).all()
    assert places.min() >= 0
    assert places.max() < reach
    assert torch.equal(
        places, drawn_places(torch.ones(50, t, dtype=torch.bool), reach, torch.Generator().manual_seed(0))
    )


@pytest.mark.parametrize("t", [2, 4], ids=["whole row", "padded row"])
def test_every_set_of_places_is_equally_likely(t):
    places = drawn_places(rows(*[2] * 6_000, t=t), 4, torch.Generator().manual_seed(1))[:, :2]
    shares = [(places == torch.tensor(pair)).all(1).double().mean().item() for pair in combinations(range(4), 2)]
    assert sum(shares) == pytest.approx(1)
    assert max(abs(share - 1 / 6) for share in shares) < 0.02


def test_padding_takes_no_place_and_a_row_depends_on_itself_alone():
    def drawn(real):
        return drawn_places(real, 9, torch.Generator().manual_seed(0))

    some = drawn(rows(3, 5, 1))
    assert torch.equal(some[0, :3], drawn(rows(3, t=3))[0])
    assert torch.equal(some[:2], drawn(rows(3, 5)))
    assert some[0, 3:].eq(8).all()


def test_randomised_positions_are_sinusoids_of_places_that_stay_in_evaluation():
    randomised, real = Randomised(9), rows(3, 5, 1)
    randomised.eval()
    places = drawn_places(real, 9, torch.Generator().manual_seed(0))
    assert torch.equal(randomised(zeros(), real=real), sinusoidal_positions(9, 6)[places])
    assert torch.equal(randomised(zeros()), randomised(zeros(), real=rows(5, 5, 5)))
    randomised.train()
    torch.manual_seed(0)
    first = randomised(zeros(), real=real)
    assert not torch.equal(randomised(zeros(), real=real), first)
    torch.manual_seed(0)
    assert torch.equal(randomised(zeros(), real=real), first)


@pytest.mark.parametrize("places", [Shifted(9), Randomised(9)], ids=["shifted", "randomised"])
def test_seeds_that_are_trained_together_draw_places_of_their_own(places):
    together = vmap(places, in_dims=(0, None, None), randomness="different")
    found = together(torch.stack((zeros(), zeros())), 0, rows(5, 3, 1))
    assert found.shape == (2, 3, 5, 6)
    assert not torch.equal(*found)
    assert (found[..., 0].abs() <= 1).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: positions_of("learned", 4, None), "reach must be an integer for positions='learned', not None"),
        (lambda: positions_of("sinusoidal", 4, 3), "reach must be None for positions='sinusoidal', not 3"),
        (lambda: positions_of("randomised", 4, 0), "reach must be an integer of at least 1, not 0"),
        (lambda: Shifted(-1), "reach must be an integer of at least 0, not -1"),
        (lambda: drawn_places(rows(5), 4), "a sequence of 5 tokens is longer than the reach=4"),
        (lambda: Randomised(9)(zeros(), first=1), "there is no token by token"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
