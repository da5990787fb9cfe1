import pytest
import torch
from jaxtyping import TypeCheckError

from inductive_bias.errors import DataError
from inductive_bias.tasks.pairs import MinimalPairs, pair_correct
from tests.hostile import refused

ROWS = torch.tensor([[1, 4, 3, 2], [1, 4, 2, 0]])
OTHERS = torch.tensor([[1, 5, 3, 2], [1, 5, 2, 0]])
FIRST = torch.tensor([1, 1])
ROW_NUMBERS = torch.tensor([2, 5])


def pairs(**changes):
    return MinimalPairs(
        **{
            "name": "made",
            "good": ROWS,
            "bad": OTHERS,
            "position": FIRST,
            "rows": ROW_NUMBERS,
            "scoring": "verb",
            "source": "x",
        }
        | changes
    )


def test_a_set_knows_its_size_its_scoring_and_its_unknown_words():
    assert len(pairs()) == 2
    assert pairs().by_verb
    assert not pairs(scoring="sentence").by_verb
    assert pairs().unknown_share == 1 / 3
    assert pairs(good=ROWS[:0], bad=ROWS[:0], position=FIRST[:0], rows=FIRST[:0]).unknown_share == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slices": {"attractors": FIRST[:1]}}, "2 pairs, but 1 values of attractors"),
        ({"position": torch.tensor([1, -1])}, "exactly one word"),
        ({"left_out": {5: "empty sentence"}}, "needs a row of its own"),
        ({"rows": FIRST}, "needs a row of its own"),
        ({"bad": torch.stack((OTHERS[0], ROWS[1]))}, "right and wrong must differ, but in 1 of 2 pairs do not"),
        ({"bad": ROWS}, "right and wrong must differ, but in 2 of 2 pairs do not"),
        (
            {"bad": torch.tensor([[1, 5, 3, 2], [1, 2, 0, 0]])},
            "every sentence needs a word, but 1 of 2 pairs have none",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(DataError, match=message):
        pairs(**changes)


@pytest.mark.parametrize(
    "changes", [{"position": FIRST[:1]}, {"rows": FIRST[:1]}, {"bad": OTHERS[:, :3]}, {"bad": OTHERS[:1]}]
)
def test_sides_and_positions_of_different_shapes_are_refused(changes):
    # the shape annotations, which tests check, come first; without them it is the DataError of the class
    with pytest.raises((DataError, TypeCheckError)):
        pairs(**changes)


def test_a_pair_differing_in_length_has_no_position_when_whole_sentences_are_compared():
    assert pairs(scoring="sentence", position=torch.tensor([1, -1])).position.tolist() == [1, -1]


def test_what_was_left_out_is_counted_by_reason():
    assert pairs(left_out={1: "empty", 3: "empty", 7: "long"}).skipped == {"empty": 2, "long": 1}


def test_the_better_one_wins_and_a_tie_counts_half():
    good = torch.tensor([-1.0, -3.0, -2.0, -torch.inf, -5.0], dtype=torch.float64)
    bad = torch.tensor([-2.0, -1.0, -2.0, -torch.inf, -torch.inf], dtype=torch.float64)
    assert pair_correct(good, bad).tolist() == [1, 0, 0.5, 0.5, 1]
    assert (pair_correct(good, bad) + pair_correct(bad, good)).tolist() == [1] * 5
    assert pair_correct(good[:0], bad[:0]).shape == (0,)


def test_a_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        pair_correct(torch.tensor([0.0, torch.nan]), torch.zeros(2))


@pytest.mark.parametrize("bad", [torch.zeros(1), torch.zeros(3), torch.tensor(0.0), torch.zeros(2, 1)])
def test_log_probabilities_of_other_shapes_are_refused_rather_than_stretched(bad):
    refused(pair_correct, "as many right log-probabilities as wrong ones", torch.zeros(2), bad)
