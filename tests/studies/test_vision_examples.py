"""The pictures that explain are true: the edge map moves with the digit, soft targets are a softmax."""

import math

import numpy as np
import pytest
import torch

from inductive_bias.analysis import shift
from inductive_bias.studies.vision import examples


def test_the_edge_map_moves_with_the_digit_and_keeps_its_mean():
    digit = torch.from_numpy(examples.example_digit(examples.SHIFTABLE))[None, None]
    assert digit[..., -8:].max() == 0  # room for the shift
    before, after = examples.edge_map(digit), examples.edge_map(shift(digit, 0, 6))
    torch.testing.assert_close(after, shift(before, 0, 6))
    torch.testing.assert_close(after.mean(), before.mean())
    assert before.max() > 0


def test_the_edge_map_answers_where_ink_begins():
    stroke = torch.zeros(1, 1, 5, 7)
    stroke[..., 3] = 1
    edges = examples.edge_map(stroke)[0, 0]
    assert edges[:, 2].min() > 0
    assert edges[:, [0, 1, 3, 4, 5, 6]].max() == 0


def test_the_gallery_has_the_clean_digit_and_one_of_every_corruption():
    shown = examples.gallery(("translate", "dotted_line"))
    assert list(shown) == ["as it is", "translate", "dotted line"]
    assert all(image.shape == (28, 28) and 0 <= image.min() < image.max() <= 1 for image in shown.values())
    assert not np.array_equal(shown["as it is"], shown["translate"])


@pytest.mark.parametrize("temperature", [0.5, 1.0, 5.0])
def test_soft_targets_are_the_softmax_of_the_logits_over_the_temperature(temperature):
    logits = [-2.0, 0.0, 3.0]
    powers = [math.exp(z / temperature) for z in logits]
    np.testing.assert_allclose(examples.soft_targets(logits, temperature), np.array(powers) / sum(powers))


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.inf])
def test_a_temperature_that_is_none_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be positive"):
        examples.soft_targets([0.0, 1.0], temperature)
