"""Parity with one answer against a count of ones, and which strings are where."""

import math

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.tasks import LastParity


def words(split):
    return ["".join(str(token - 1) for token in row if token) for row in split.inputs.tolist()]


@pytest.mark.parametrize(("length", "train"), [(3, 5), (6, 40), (9, 11)])
def test_the_label_is_the_parity_of_the_ones_and_stands_at_the_last_bit(length, train):
    data = LastParity(length=length, train_size=train, test_size=30).load()
    for split in data.values():
        assert split.inputs.dtype == split.labels.dtype == torch.int64
        for word, labels, bits in zip(
            words(split), split.labels.tolist(), split.slices["length"].tolist(), strict=True
        ):
            assert len(word) == bits
            assert labels[bits - 1] == word.count("1") % 2
            assert {label for at, label in enumerate(labels) if at != bits - 1} == {-1}
    assert LastParity.asked(data["test"].labels).sum(1).eq(1).all()


def test_no_string_is_there_twice_and_splits_share_none():
    data = LastParity(length=7, train_size=80, data_seed=4).load()
    train, validation = words(data["train"]), words(data["validation"])
    test = [word for word in words(data["test"]) if len(word) == 7]
    assert (len(train), len(validation), len(test)) == (80, 16, 32)
    assert len({*train, *validation, *test}) == 80 + 16 + 32


def test_longer_strings_are_twice_as_long_and_as_many_as_asked_for():
    found = LastParity(length=7, train_size=8, test_size=50).load()["test"].slices["length"]
    assert torch.bincount(found).nonzero().flatten().tolist() == [7, 14]
    assert ((found == 7).sum(), (found == 14).sum()) == (32, 50)


def test_a_smaller_set_is_the_beginning_of_a_larger_one_and_other_splits_stay():
    few, many = (LastParity(length=8, train_size=size).load() for size in (10, 100))
    assert torch.equal(few["train"].inputs, many["train"].inputs[:10])
    for name in ("validation", "test"):
        assert torch.equal(few[name].inputs, many[name].inputs)
    other = LastParity(length=8, train_size=10, data_seed=1).load()
    assert not torch.equal(few["train"].inputs, other["train"].inputs)


def test_halves_are_even_and_odd_and_a_guess_has_one_bit():
    task = LastParity(length=14, train_size=10_000)
    labels = task.load()["train"].labels[:, -1].double()
    assert labels.mean().item() == pytest.approx(0.5, abs=0.02)
    assert task.baseline_nll == pytest.approx(-np.log(0.5)) == math.log(2)


@pytest.mark.parametrize(("length", "size"), [(3, 6), (8, 161)])
def test_more_strings_than_are_left_are_refused(length, size):
    LastParity(length=length, train_size=size - 1)
    with pytest.raises(ValidationError, match=f"{size - 1} are left for training, fewer than {size}"):
        LastParity(length=length, train_size=size)
