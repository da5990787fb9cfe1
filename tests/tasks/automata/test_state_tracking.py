"""Words and states of the task: fixed splits, fresh words, and what decides them."""

import numpy as np
import pytest
import torch

from inductive_bias.tasks import StateTracking
from inductive_bias.tasks.automata import AUTOMATON_NAMES

SIZES = {"length": 5, "test_lengths": (5, 9), "validation_size": 30, "test_size": 20}


@pytest.mark.parametrize("name", AUTOMATON_NAMES)
def test_labels_are_the_states_of_the_words_and_padding_has_none(name):
    task = StateTracking(automaton=name, **SIZES)
    data = task.load()
    for split in data.values():
        for tokens, labels, length in zip(split.inputs, split.labels, split.slices["length"].tolist(), strict=True):
            word = tokens[:length].numpy()[None] - 1
            assert labels[:length].tolist() == task.machine.run(word)[0].tolist()
            assert set(tokens[length:].tolist()) <= {0}
            assert set(labels[length:].tolist()) <= {-1}
    assert data["test"].inputs.shape == (40, 9)
    assert data["test"].slices["length"].tolist() == [5] * 20 + [9] * 20
    assert data["validation"].inputs.shape == (30, 5)
    assert data.label_names == task.machine.states
    assert task.dimensions == {"vocabulary": len(task.machine.actions) + 1, "outputs": len(task.machine.states)}


def test_fixed_splits_differ_and_are_the_same_again():
    task = StateTracking(automaton="S4", **SIZES)
    first, other = task.load(), task.model_copy(update={"data_seed": 1}).load()
    assert torch.equal(first["test"].inputs, StateTracking(automaton="S4", **SIZES).load()["test"].inputs)
    assert not torch.equal(first["test"].inputs, other["test"].inputs)
    assert not torch.equal(first["train"].inputs, first["validation"].inputs)


@pytest.mark.parametrize("name", ["flip-flop", "C5"])
def test_actions_are_drawn_as_often_as_their_chances_say(name):
    task = StateTracking(automaton=name, length=50, test_lengths=(50,), validation_size=2_000, test_size=1)
    fresh, _ = task.draw(2_000, torch.Generator().manual_seed(0))
    for tokens in (fresh, task.load()["validation"].inputs):
        shares = np.bincount(tokens.numpy().ravel())[1:] / tokens.numel()
        np.testing.assert_allclose(shares, task.machine.chances, atol=6 * 0.5 / np.sqrt(tokens.numel()))


def test_fresh_words_are_decided_by_the_generator_and_labelled_with_their_states():
    task = StateTracking(automaton="D8", **SIZES)
    generator = torch.Generator().manual_seed(3)
    (first, states), (second, _) = task.draw(7, generator), task.draw(7, generator)
    assert not torch.equal(first, second)
    assert torch.equal(first, task.draw(7, torch.Generator().manual_seed(3))[0])
    assert states.tolist() == task.machine.run(first.numpy() - 1).tolist()
    assert first.dtype == states.dtype == torch.int64


@pytest.mark.parametrize("lengths", [(16,), (5, 5), (5, 4)])
def test_test_lengths_begin_with_that_of_training_and_rise(lengths):
    with pytest.raises(ValueError, match="must begin with length=5 and rise"):
        StateTracking(automaton="C2", length=5, test_lengths=lengths)


def test_labels_are_kept_by_chance_of_the_same_words_and_only_in_training():
    tasks = {kept: StateTracking(automaton="S4", kept=kept, **SIZES) for kept in (1.0, 0.5, 0.125)}
    generators = {kept: torch.Generator().manual_seed(5) for kept in tasks}
    whole = [tasks[1.0].draw(4_000, generators[1.0]) for _ in range(2)]
    for kept in (0.5, 0.125):
        for words, states in whole:
            tokens, labels = tasks[kept].draw(4_000, generators[kept])
            assert torch.equal(tokens, words)
            assert set(labels[labels != states].tolist()) == {-1}
            share = (labels == states).double().mean().item()
            assert share == pytest.approx(kept, abs=6 * (kept * (1 - kept) / labels.numel()) ** 0.5)
            # each by itself: a label tells nothing of whether its neighbour is kept
            both = ((labels[:, 1:] >= 0) & (labels[:, :-1] >= 0)).double().mean().item()
            assert both == pytest.approx(kept**2, abs=0.02)
        assert torch.equal(tasks[kept].load()["test"].labels, tasks[1.0].load()["test"].labels)
    assert not (whole[0][1] == -1).any()


def test_what_is_asked_is_read_from_the_states():
    task, whole = (StateTracking(automaton="Grid9", asked=asked, **SIZES) for asked in ("wall", "state"))
    states, walls = whole.load()["test"].labels, task.load()["test"].labels
    wanted = [[-1 if state < 0 else int(state in (0, 8)) for state in word] for word in states.tolist()]
    assert walls.tolist() == wanted
    assert task.dimensions == {"vocabulary": 3, "outputs": 2}
    assert task.load().label_names == ("between", "wall")


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_of_labels_is_above_zero_and_at_most_one(share):
    with pytest.raises(ValueError, match="kept"):
        StateTracking(automaton="C2", kept=share, **SIZES)


def test_an_automaton_is_asked_what_its_states_have():
    with pytest.raises(ValueError, match="there is no 'wall' in a state of S5"):
        StateTracking(automaton="S5", asked="wall", **SIZES)
