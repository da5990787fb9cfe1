"""The copying task against a loop, and its guess without memory."""

import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.tasks import Copying

SMALL = {"train_size": 6, "validation_size": 4, "test_size": 5}


@pytest.mark.parametrize("blanks", [1, 2, 7])
def test_ten_digits_a_wait_and_the_ten_digits_again(blanks):
    data = Copying(blanks=blanks, **SMALL).load()
    assert [(name, len(data[name])) for name in data] == [("train", 6), ("validation", 4), ("test", 5)]
    for split in data.values():
        for tokens, labels in zip(split.inputs.tolist(), split.labels.tolist(), strict=True):
            digits = tokens[:10]
            assert set(digits) <= set(range(1, 9))
            assert tokens == digits + [0] * (blanks - 1) + [9] * 11
            assert labels == [0] * (blanks + 10) + digits
        assert split.inputs.dtype == split.labels.dtype == torch.int64
        assert split.slices["length"].tolist() == [blanks + 20] * len(split)
        assert split.source == "generated:copying"


def test_every_digit_is_as_probable_as_any_other():
    digits = Copying(train_size=4_000).load()["train"].inputs[:, :10]
    shares = torch.stack([(digits == digit).double().mean() for digit in range(1, 9)])
    assert shares.sub(1 / 8).abs().max() < 4 * math.sqrt(7 / 64 / digits.numel())


@pytest.mark.parametrize("blanks", [1, 50])
def test_the_guess_without_memory_has_its_loss(blanks):
    """Sure of the blanks, and one of eight at each of the last ten positions."""
    task = Copying(blanks=blanks, **SMALL)
    labels = task.load()["test"].labels
    chances = torch.full((*labels.shape, 10), 0.0, dtype=torch.float64)
    chances[:, :-10, 0] = 1
    chances[:, -10:, 1:9] = 1 / 8
    found = F.nll_loss(chances.log().flatten(0, 1), labels.flatten())
    assert found.item() == pytest.approx(task.baseline_nll)
    assert task.baseline_nll == pytest.approx(10 * math.log(8) / (blanks + 20))


def test_what_is_asked_are_the_ten_digits():
    labels = Copying(**SMALL).load()["test"].labels
    asked = Copying.asked(labels)
    assert asked[:, -10:].all()
    assert not asked[:, :-10].any()


def test_a_smaller_set_is_the_beginning_of_a_larger_one_and_splits_and_seeds_differ():
    small, large = Copying(train_size=3).load(), Copying(train_size=9).load()
    assert torch.equal(large["train"].inputs[:3], small["train"].inputs)
    assert not torch.equal(small["validation"].inputs[:3], small["train"].inputs)
    assert not torch.equal(small["validation"].inputs, small["test"].inputs)
    assert not torch.equal(Copying(train_size=3, data_seed=1).load()["train"].inputs, small["train"].inputs)


@pytest.mark.parametrize("wrong", [{"blanks": 0}, {"train_size": 0}, {"data_seed": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Copying(**wrong)
