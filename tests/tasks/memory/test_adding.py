"""The adding problem against a loop, and its guess without memory."""

import pytest
import torch

from inductive_bias.tasks import Adding

SMALL = {"train_size": 6, "validation_size": 4, "test_size": 5}


@pytest.mark.parametrize("length", [2, 3, 20])
def test_the_label_is_the_sum_of_the_two_marked_numbers_one_in_each_half(length):
    data = Adding(length=length, **SMALL).load()
    assert [(name, len(data[name])) for name in data] == [("train", 6), ("validation", 4), ("test", 5)]
    for split in data.values():
        assert split.inputs.dtype == split.labels.dtype == torch.float32
        for steps, label in zip(split.inputs, split.labels, strict=True):
            marked = [at for at, (_, marker) in enumerate(steps.tolist()) if marker]
            assert len(marked) == 2
            assert marked[0] < length // 2 <= marked[1]
            assert set(steps[:, 1].tolist()) <= {0.0, 1.0}
            assert label.item() == pytest.approx(sum(steps[at, 0].item() for at in marked))


def test_numbers_are_uniform_and_every_step_of_a_half_is_marked_alike():
    inputs = Adding(length=5, train_size=6_000).load()["train"].inputs
    assert inputs[..., 0].min() >= 0
    assert inputs[..., 0].max() < 1
    quarters = torch.histc(inputs[..., 0], 4, 0, 1) / inputs[..., 0].numel()
    torch.testing.assert_close(quarters, torch.full((4,), 0.25), atol=0.01, rtol=0)
    shares = inputs[..., 1].mean(0)
    torch.testing.assert_close(shares, torch.tensor([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3]), atol=0.03, rtol=0)


def test_the_guess_without_memory_has_the_variance_of_a_sum_of_two():
    task = Adding(length=7, train_size=40_000)
    labels = task.load()["train"].labels.double()
    assert task.baseline_mse == 1 / 6
    assert (labels - 1).square().mean().item() == pytest.approx(1 / 6, rel=0.02)


def test_a_smaller_set_is_the_beginning_of_a_larger_one_and_splits_and_seeds_differ():
    small, large = Adding(train_size=3).load(), Adding(train_size=9).load()
    assert torch.equal(large["train"].inputs[:3], small["train"].inputs)
    assert torch.equal(large["train"].labels[:3], small["train"].labels)
    assert not torch.equal(small["validation"].inputs, small["test"].inputs)
    assert not torch.equal(Adding(train_size=3, data_seed=1).load()["train"].inputs, small["train"].inputs)


@pytest.mark.parametrize("wrong", [{"length": 1}, {"test_size": 0}, {"data_seed": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Adding(**wrong)
