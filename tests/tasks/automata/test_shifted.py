"""Sources against brute force; words of other lengths and shares, with and without a scratchpad."""

from itertools import product

import numpy as np
import pytest
import torch

from inductive_bias.tasks import ShiftedStates
from inductive_bias.tasks.automata import SHARES, SOURCE_NAMES, source
from inductive_bias.tasks.automata.sources import brackets

SIZES = {"length": 5, "longest": 12, "shares": (0.0, 0.2, 0.9), "validation_size": 40, "test_size": 30}
every_source = pytest.mark.parametrize("name", SOURCE_NAMES)


def truth(name, word):
    """The states of one word, in plain Python."""
    state, found = 0, []
    for action in word:
        if name == "parity":
            state ^= action
        elif name == "flip-flop":
            state = action or state
        else:
            state = max(0, min(8, state + (1 if action else -1)))
        found.append(state)
    return found


@every_source
def test_states_are_those_of_plain_python(name):
    words, states = source(name).words(np.random.default_rng(0).random((50, 60)), 0.7)
    assert [truth(name, word) for word in words.tolist()] == states.tolist()


def test_brackets_are_beginnings_of_words_that_can_be_closed_and_no_deeper_than_they_may_be():
    for deepest in (1, 3, 8):
        words, states = brackets(deepest).words(np.random.default_rng(0).random((200, 40)), 0.6)
        opened = np.where(words == 1, 1, -1).cumsum(axis=1)  # by counting, without any wall
        assert opened.tolist() == states.tolist()
        assert (opened.min(), opened.max()) == (0, deepest)
        if deepest == 1:
            assert (words[:, ::2] == 1).all()
            assert (words[:, 1::2] == 0).all()


@every_source
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_a_share_of_the_free_actions_are_ones(name, share):
    origin = source(name)
    words, states = origin.words(np.random.default_rng(1).random((400, 50)), share)
    before = np.concatenate([np.zeros((400, 1), np.int64), states[:, :-1]], axis=1)
    free = ~np.isin(before, list(origin.forced))
    found = origin.is_one(words)[free].mean()
    assert abs(found - share) <= 4 * np.sqrt(share * (1 - share) / free.sum()) + 1e-12


def test_both_writes_of_a_memory_are_equally_likely():
    words, _ = source("flip-flop").words(np.random.default_rng(2).random((400, 50)), 0.6)
    np.testing.assert_allclose(np.bincount(words.ravel()) / words.size, [0.4, 0.3, 0.3], atol=0.02)


@every_source
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_best_constant_is_that_of_all_words(name, share):
    origin, length = source(name), 5
    size = len(origin.machine.actions)
    likely = np.zeros((length, len(origin.machine.states)))
    for word in product(range(size), repeat=length):
        chance, state = 1.0, 0
        for action in word:
            if state in origin.forced:
                chance *= action == origin.forced[state]
            else:
                ones = len(origin.ones)
                chance *= share / ones if action in origin.ones else (1 - share) / (size - ones)
            state = truth(name, [*_to(name, state), action])[-1]
        for place, after in enumerate(truth(name, word)):
            likely[place, after] += chance
    np.testing.assert_allclose(origin.best_constant(length, share), likely.max(axis=1))


def _to(name, state):
    """A word that leads to a state."""
    return [state] if name in ("parity", "flip-flop") else [1] * state


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_lies_within_0_and_1(share):
    with pytest.raises(ValueError, match=r"share must lie in \[0, 1\]"):
        source("parity").chances(share)


@every_source
@pytest.mark.parametrize("scratchpad", [False, True])
def test_splits_are_of_their_lengths_and_shares_and_padding_has_no_label(name, scratchpad):
    task = ShiftedStates(automaton=name, scratchpad=scratchpad, **SIZES)
    data, each = task.load(), 1 + scratchpad
    assert data["test"].slices["length"].tolist() == [12 * each] * 30
    assert data[SHARES].slices["length"].tolist() == [5 * each] * 90
    assert data[SHARES].slices["share"].tolist() == [0] * 30 + [1] * 30 + [2] * 30
    assert set(data["validation"].slices["length"].tolist()) == {each * length for length in range(1, 6)}
    for split in data.values():
        for tokens, labels, length, ones in zip(
            split.inputs.tolist(),
            split.labels.tolist(),
            split.slices["length"].tolist(),
            split.slices["ones"].tolist(),
            strict=True,
        ):
            assert set(tokens[length:]) <= {0}
            assert set(labels[length:]) <= {-1}
            word = [token - 1 for token in tokens[:length:each]]
            states = truth(name, word)
            assert labels[:length:each] == states
            assert ones == sum(action in task.origin.ones for action in word)
            if scratchpad:
                assert [token - task.written for token in tokens[1:length:2]] == states
                assert set(labels[1:length:2]) == {-1}
    if name != "Dyck(1, 8)":
        assert data[SHARES].slices["ones"][:30].max() == 0
    assert data.label_names == task.origin.machine.states
    seen = torch.cat([split.inputs.flatten() for split in data.values()])
    assert seen.max() < task.dimensions["vocabulary"]
    assert task.dimensions["outputs"] == len(task.origin.machine.states)


@pytest.mark.parametrize("scratchpad", [False, True])
def test_fresh_words_have_all_lengths_and_are_decided_by_the_generator(scratchpad):
    task = ShiftedStates(automaton="parity", scratchpad=scratchpad, **SIZES)
    generator = torch.Generator().manual_seed(3)
    (first, labels), (second, _) = task.draw(4_000, generator), task.draw(4_000, generator)
    assert first.shape == labels.shape == (4_000, 5 * (1 + scratchpad))
    assert not torch.equal(first, second)
    assert torch.equal(first, task.draw(4_000, torch.Generator().manual_seed(3))[0])
    lengths = (labels >= 0).sum(1)
    np.testing.assert_allclose(torch.bincount(lengths).numpy()[1:] / 4_000, 0.2, atol=0.03)
    assert first.dtype == labels.dtype == torch.int64


def test_with_and_without_a_scratchpad_words_are_the_same_and_splits_are_the_same_again():
    with_, without = (ShiftedStates(automaton="Grid9", scratchpad=on, **SIZES) for on in (True, False))
    assert torch.equal(with_.load()["test"].inputs[:, ::2], without.load()["test"].inputs)
    assert torch.equal(without.load()["test"].inputs, ShiftedStates(automaton="Grid9", **SIZES).load()["test"].inputs)
    other = without.model_copy(update={"data_seed": 1}).load()
    assert not torch.equal(without.load()["test"].inputs, other["test"].inputs)


def test_a_token_of_its_own_may_stand_before_every_word():
    with_, without = (ShiftedStates(automaton="Grid9", begun=on, **SIZES) for on in (True, False))
    assert with_.dimensions["vocabulary"] == without.dimensions["vocabulary"] + 1
    for name in ("validation", "test", SHARES):
        one, other = with_.load()[name], without.load()[name]
        assert torch.equal(one.inputs[:, 1:], other.inputs)
        assert torch.equal(one.labels[:, 1:], other.labels)
        assert set(one.inputs[:, 0].tolist()) == {without.dimensions["vocabulary"]}
        assert set(one.labels[:, 0].tolist()) == {-1}
        assert torch.equal(one.slices["length"], other.slices["length"] + 1)
    fresh = [task.draw(6, torch.Generator().manual_seed(0))[0] for task in (with_, without)]
    assert torch.equal(fresh[0][:, 1:], fresh[1])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"automaton": "S5"}, "Input should be"),
        ({"longest": 10}, "longest must be more than twice length=5, not 10"),
        ({"shares": (0.5, 0.2)}, "shares must be at least one and rise"),
        ({"shares": ()}, "shares must be at least one and rise"),
        ({"shares": (0.5, 1.2)}, "less than or equal to 1"),
        ({"length": 0}, "greater than or equal to 1"),
        ({"begun": True, "scratchpad": True}, "but not both"),
    ],
)
def test_what_does_not_fit_is_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        ShiftedStates(**{"automaton": "parity"} | SIZES | choices)
