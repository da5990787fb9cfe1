"""The flip-flop language against a loop over symbols, its rates and its lengths."""

import math

import pytest
import torch

from inductive_bias.tasks import FlipFlop

SMALL = {"train_size": 30, "validation_size": 8, "test_size": 5, "train_lengths": (2, 9), "test_lengths": (2, 9, 40)}
WRITE, IGNORE, READ = {1: 0, 2: 1}, {3, 4}, 5


def test_a_read_asks_for_the_bit_written_last_and_nothing_else_is_asked():
    data = FlipFlop(writes=0.3, reads=0.3, **SMALL).load()
    for split in data.values():
        assert split.inputs.dtype == split.labels.dtype == torch.int64
        for tokens, labels, length in zip(
            *map(torch.Tensor.tolist, (split.inputs, split.labels)), split.slices["length"].tolist(), strict=True
        ):
            assert tokens[0] in WRITE
            assert tokens[length - 1] == READ
            assert all(token == 0 for token in tokens[length:])
            bit = None
            for at, (token, label) in enumerate(zip(tokens, labels, strict=True)):
                bit = WRITE.get(token, bit)
                assert (token in WRITE) + (token in IGNORE) + (token == READ) == (at < length)
                assert label == (bit if token == READ else -1)
        assert torch.equal(FlipFlop.asked(split.labels), split.inputs == READ)


def test_lengths_are_those_asked_for():
    data = FlipFlop(**SMALL).load()
    assert [len(data[name]) for name in data] == [30, 8, 15]
    assert data["test"].slices["length"].tolist() == [2] * 5 + [9] * 5 + [40] * 5
    assert data["test"].inputs.shape == (15, 40)
    assert set(data["train"].slices["length"].tolist()) == set(range(2, 10))
    assert FlipFlop().test_lengths[-1] == 512


def test_between_the_ends_symbols_have_their_chances_and_bits_are_even():
    tokens = FlipFlop(writes=0.2, reads=0.1, test_size=400, test_lengths=(100,)).load()["test"].inputs[:, 1:-1]
    shares = torch.stack([(tokens == symbol).double().mean() for symbol in range(6)])
    want = torch.tensor([0, 0.1, 0.1, 0.35, 0.35, 0.1], dtype=torch.float64)
    torch.testing.assert_close(shares, want, atol=0.01, rtol=0)


def test_writes_may_be_rarer_in_test_strings_alone():
    rare, usual = FlipFlop(test_writes=0, **SMALL).load(), FlipFlop(**SMALL).load()
    assert torch.equal(rare["train"].inputs, usual["train"].inputs)
    assert not torch.isin(rare["test"].inputs[:, 1:], torch.tensor([1, 2])).any()
    assert torch.isin(usual["test"].inputs[:, 1:], torch.tensor([1, 2])).any()
    reads = rare["test"].inputs == 5
    distances = FlipFlop.distances(rare["test"].inputs)
    assert torch.equal(distances[reads], reads.nonzero()[:, 1])
    assert (distances[~reads] == -1).all()


@pytest.mark.parametrize(("writes", "reads", "kinds"), [(0, 0, {3, 4}), (1, 0, {1, 2}), (0, 1, {5})])
def test_chances_may_be_zero_or_one(writes, reads, kinds):
    tokens = FlipFlop(writes=writes, reads=reads, **SMALL | {"test_lengths": (40,)}).load()["test"].inputs
    assert set(tokens[:, 1:-1].unique().tolist()) == kinds


def test_the_guess_without_memory_is_one_of_two_bits():
    assert FlipFlop().baseline_nll == math.log(2)
    labels = FlipFlop(train_size=4_000).load()["train"].labels
    assert labels[labels >= 0].double().mean().item() == pytest.approx(0.5, abs=0.03)


def test_a_smaller_set_is_the_beginning_of_a_larger_one_and_splits_and_seeds_differ():
    small, large = FlipFlop(train_size=3).load(), FlipFlop(train_size=9).load()
    assert torch.equal(large["train"].inputs[:3], small["train"].inputs)
    assert not torch.equal(small["validation"].inputs[:3], small["train"].inputs)
    assert not torch.equal(FlipFlop(train_size=3, data_seed=1).load()["train"].inputs, small["train"].inputs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"writes": 0.6, "reads": 0.5}, "writes=0.6 and reads=0.5"),
        ({"writes": -0.1}, "writes"),
        ({"test_writes": 0.95}, "test_writes=0.95 and reads=0.1"),
        ({"train_lengths": (1, 5)}, "train_lengths"),
        ({"train_lengths": (9, 5)}, "train_lengths"),
        ({"test_lengths": ()}, "test_lengths"),
        ({"test_lengths": (1, 4)}, "test_lengths"),
        ({"test_lengths": (4, 4)}, "test_lengths"),
        ({"test_lengths": (8, 4)}, "test_lengths"),
        ({"test_size": 0}, "test_size"),
    ],
)
def test_settings_out_of_range_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        FlipFlop(**wrong)
