"""Frame accuracy against a loop and a second library."""

import math

import pytest
import torch
from sklearn.metrics import jaccard_score

from inductive_bias.metrics import frame_accuracy
from tests.hostile import refused


def frames(n, keys, share, seed):
    return torch.rand(n, keys, generator=torch.Generator().manual_seed(seed)) < share


@pytest.mark.parametrize(("n", "keys"), [(1, 1), (1, 7), (5, 1), (13, 88)])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_it_is_the_share_of_right_notes_among_those_that_sound_or_are_said_to(n, keys, share):
    predicted, actual = frames(n, keys, share, 0), frames(n, keys, share, 1)
    hits = wrong = 0
    for says, sounds in zip(predicted.flatten().tolist(), actual.flatten().tolist(), strict=True):
        hits += says and sounds
        wrong += says != sounds
    found = frame_accuracy(predicted, actual)
    if not hits + wrong:
        assert math.isnan(found)
        return
    assert found == hits / (hits + wrong)
    assert found == pytest.approx(jaccard_score(actual.flatten().numpy(), predicted.flatten().numpy()))


def test_right_silence_is_no_merit():
    notes = torch.zeros(4, 88, dtype=torch.bool)
    assert math.isnan(frame_accuracy(notes, notes))
    struck = notes.clone()
    struck[0, 3] = True
    assert frame_accuracy(struck, struck) == 1
    assert frame_accuracy(notes, struck) == frame_accuracy(struck, notes) == 0


NOTES = torch.ones(2, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("predicted", "actual", "message"),
    [
        (NOTES, NOTES[:1], r"of one shape, not \(2, 3\) and \(1, 3\)"),
        (NOTES[0], NOTES[0], r"predicted must be \[n, k\], not \(3,\)"),
        (NOTES.int(), NOTES, r"predicted must be a tensor of bool, not torch\.int32"),
        (NOTES, NOTES.tolist(), "actual must be a tensor of bool, not list"),
    ],
)
def test_what_does_not_fit_is_refused(predicted, actual, message):
    refused(frame_accuracy, message, predicted, actual)
