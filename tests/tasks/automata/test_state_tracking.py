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
