"""Strings with empty tokens: where answers stand, which lengths there are, what decides them."""

import pytest
import torch

from inductive_bias.tasks import Transduction
from inductive_bias.tasks.transduction import RULE_NAMES, RULES

SIZES = {"train_lengths": (1, 6), "test_lengths": (7, 12), "validation_size": 3, "test_size": 5}


def parts(task, tokens, labels):
    """Symbols of a string and the answers after it, by loops over its tokens."""
    tokens = [token for token in tokens.tolist() if token]
    symbols = [token - 1 for token in tokens if token != task.empty]
    answers = labels.tolist()[len(symbols) : len(tokens)]
    assert tokens == [symbol + 1 for symbol in symbols] + [task.empty] * len(answers)
    assert set(labels.tolist()[: len(symbols)]) | set(labels.tolist()[len(tokens) :]) <= {-1}
    return symbols, answers


@pytest.mark.parametrize("name", RULE_NAMES)
def test_answers_stand_at_empty_tokens_after_the_string(name):
    task, rule = Transduction(rule=name, **SIZES), RULES[name]
    data = task.load()
    for split in data.values():
        for tokens, labels, length in zip(split.inputs, split.labels, split.slices["length"].tolist(), strict=True):
            symbols, answers = parts(task, tokens, labels)
            assert len(symbols) == length
            assert answers == rule.answer(torch.tensor([symbols]).numpy())[0].tolist()
    assert data["test"].slices["length"].unique().tolist() == [rule.fitting(7), rule.fitting(12)]
    assert data["validation"].slices["length"].unique().tolist() == sorted({rule.fitting(n) for n in range(1, 7)})
    assert len(data["test"]) == 10
    assert task.dimensions == {"vocabulary": rule.symbols + 2, "outputs": rule.classes}
    assert int(data["test"].inputs.max()) == task.empty == task.dimensions["vocabulary"] - 1


@pytest.mark.parametrize("name", RULE_NAMES)
def test_fresh_strings_are_of_one_length_and_decided_by_the_generator(name):
    task, rule = Transduction(rule=name, **SIZES), RULES[name]
    generator, again = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    seen = []
    for _ in range(200):
        tokens, labels = task.draw(4, generator)
        assert torch.equal(tokens, task.draw(4, again)[0])
        assert tokens.dtype == labels.dtype == torch.int64
        assert (tokens > 0).all()
        found = [parts(task, *each) for each in zip(tokens, labels, strict=True)]
        assert len({len(symbols) for symbols, _ in found}) == 1
        assert all(answers == rule.answer(torch.tensor([symbols]).numpy())[0].tolist() for symbols, answers in found)
        seen.append(len(found[0][0]))
    wanted = [rule.fitting(length) for length in range(1, 7)]
    for length in set(wanted):
        share = wanted.count(length) / 6
        assert seen.count(length) / 200 == pytest.approx(share, abs=6 * (share * (1 - share) / 200) ** 0.5)


def test_strings_of_a_length_are_the_same_whatever_other_lengths_there_are():
    one, two = (
        Transduction(rule="bucket_sort", **SIZES | {"test_lengths": lengths}).load()["test"]
        for lengths in ((12,), (7, 12))
    )
    assert torch.equal(one.inputs, two.inputs[5:])
    other = Transduction(rule="bucket_sort", **SIZES, data_seed=1).load()["test"]
    assert not torch.equal(two.inputs, other.inputs)
    data = Transduction(rule="bucket_sort", **SIZES).load()
    assert not torch.equal(data["train"].inputs, data["validation"].inputs)


def test_the_best_constant_is_a_mean_over_answers():
    assert Transduction(rule="duplicate_string").best_constant(41) == 0.5
    assert Transduction(rule="even_pairs").best_constant(1) == 1.0
    task = Transduction(rule="modular_arithmetic")
    assert task.best_constant(42) == task.best_constant(41) == pytest.approx(0.2, abs=0.01)
    split = Transduction(rule="bucket_sort", test_lengths=(30,), test_size=4_000).load()["test"]
    answers = split.labels[:, 30:]
    found = torch.stack([torch.bincount(column, minlength=5).max() for column in answers.T]).double().mean() / 4_000
    assert Transduction(rule="bucket_sort").best_constant(30) == pytest.approx(found.item(), abs=0.01)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"train_lengths": (0, 4)}, "train_lengths must be at least 1 and rise"),
        ({"train_lengths": (5, 4)}, "train_lengths must be at least 1 and rise"),
        ({"test_lengths": (9, 9)}, "test_lengths must be at least 1 and rise"),
        ({"test_lengths": (0, 9)}, "test_lengths must be at least 1 and rise"),
        ({"test_lengths": ()}, "at least 1 item"),
        ({"rule": "odds_first"}, "Input should be"),
    ],
)
def test_what_does_not_fit_is_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        Transduction(**{"rule": "parity"} | SIZES | choices)


def test_the_papers_lengths_are_the_default():
    task = Transduction(rule="parity")
    assert task.lengths("validation") == tuple(range(1, 41))
    assert task.lengths("test") == tuple(range(41, 501))
