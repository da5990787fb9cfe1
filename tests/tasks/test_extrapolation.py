"""White noise: what is drawn, which state a sequence is in, and that a set stays what it is."""

import numpy as np
import pytest
import torch

from inductive_bias.tasks import ProbeTask
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.probes import PROBES, STATES

PROBE = PROBES["white noise"]
ROWS = PROBE.examples * PROBE.questions


def task(**options):
    return ProbeTask(probe="white noise", **options)


def naive_state(name, tokens):
    """The state of one sequence of tokens, as text."""
    bits = "".join(str(token - 1) for token in tokens[:-1])
    return {"end": bits[-4:], "start": bits[:4], "count": bits.count("1")}[name]


@pytest.mark.parametrize("count", [1, 2, 7, 16])
@pytest.mark.parametrize("length", [2, 5, 17])
def test_every_sequence_comes_with_every_question(count, length):
    words = PROBE.draw(np.random.default_rng(0), count, length)
    assert words.tokens.shape == (count * PROBE.questions, length)
    sequences = words.tokens[:, :-1].reshape(count, PROBE.questions, length - 1)
    assert (sequences == sequences[:, :1]).all()
    assert set(np.unique(sequences)) <= {1, 2}
    assert (words.tokens[:, -1].reshape(count, -1) == np.arange(PROBE.questions) + 3).all()
    assert (words.labels[:, :-1] == IGNORED).all()
    # half of the labels of every question: a model that knows the question alone is right by chance
    assert (words.labels[:, -1].reshape(count, -1).sum(0) == count // 2).all()


def test_labels_know_nothing_of_the_sequences():
    """Over many sets every example has either label as often, and two questions agree by chance."""
    labels = np.stack(
        [PROBE.draw(np.random.default_rng(seed), 16, 17).labels[:, -1].reshape(16, -1) for seed in range(400)]
    )
    assert labels.mean(0) == pytest.approx(np.full((16, PROBE.questions), 0.5), abs=0.12)
    assert (labels[..., 0] == labels[..., 1]).mean() == pytest.approx(0.5, abs=0.02)


def test_the_set_is_one_for_all_that_have_its_number_and_another_for_others():
    one, same, other = (task(data_seed=seed).load()["train"] for seed in (1, 1, 2))
    assert torch.equal(one.inputs, same.inputs)
    assert torch.equal(one.labels, same.labels)
    assert not torch.equal(one.inputs, other.inputs)
    assert not torch.equal(one.labels, other.labels)


def test_steps_draw_passes_over_the_set():
    train = task().load()["train"]
    known = {(*tokens, *labels) for tokens, labels in zip(train.inputs.tolist(), train.labels.tolist(), strict=True)}
    assert len(train) == ROWS
    tokens, labels = task().draw(2 * ROWS + 5, torch.Generator().manual_seed(0))
    drawn = [(*one, *other) for one, other in zip(tokens.tolist(), labels.tolist(), strict=True)]
    assert len(drawn) == 2 * ROWS + 5
    for part in (drawn[:ROWS], drawn[ROWS : 2 * ROWS]):
        assert set(part) == known
    assert drawn[:ROWS] != drawn[ROWS : 2 * ROWS]
    again, _ = task().draw(2 * ROWS + 5, torch.Generator().manual_seed(0))
    assert torch.equal(tokens, again)
    other, _ = task().draw(ROWS, torch.Generator().manual_seed(1))
    assert not torch.equal(tokens[:ROWS], other)
    assert not len(task().draw(0, torch.Generator())[0])


def test_validation_is_what_is_learnt_and_the_test_has_no_labels():
    data = task(test_size=30).load()
    assert torch.equal(data["train"].inputs, data["validation"].inputs)
    assert torch.equal(data["train"].labels, data["validation"].labels)
    test = data["test"]
    assert len(test) == 30 * PROBE.questions
    assert (test.labels == IGNORED).all()
    for name in STATES:
        numbers = test.slices[name].tolist()
        words = [naive_state(name, tokens) for tokens in test.inputs.tolist()]
        # one number a state, and one state a number
        assert len(set(zip(numbers, words, strict=True))) == len(set(numbers)) == len(set(words))


@pytest.mark.parametrize("name", ["end", "start"])
def test_ends_are_as_often_in_every_state(name):
    states = task(test_size=8000).load()["test"].slices[name][:: PROBE.questions].numpy()
    assert np.bincount(states) / len(states) == pytest.approx(np.full(16, 1 / 16), abs=0.012)


@pytest.mark.parametrize("bits", [1, 3])
def test_a_sequence_shorter_than_a_piece_has_states(bits):
    every = np.array([[number >> place & 1 for place in range(bits)] for number in range(2**bits)])
    for name in ("end", "start"):
        assert len(set(STATES[name](every).tolist())) == 2**bits
    assert STATES["count"](every).max() == bits
