from itertools import pairwise
from math import atan2, ceil, cos, floor, log, sin

import numpy as np
import pytest

from inductive_bias.tasks.corruptions.strokes import dotted_line, segment, zigzag, zigzag_corners

BLACK = np.zeros((1, 28, 28))


def naive_segment(c0, r0, c1, r1):
    out = np.zeros((28, 28))
    for column in range(floor(c0), min(ceil(c1), 28)):
        for row in range(28):
            distance = abs(row - (r0 + (r1 - r0) * (column - c0) / (c1 - c0)))
            if distance < 2.3:
                out[row, column] = max(0.0, 1 + log(1 - distance / 2.3))
    return out


@pytest.mark.parametrize(
    "ends",
    [(0, 5, 27, 5), (0, 26, 27, 0), (3.2, 4.7, 5.9, 30.0), (2, -3.5, 4.5, 1)],
    ids=["flat", "falling", "steep", "outside"],
)
def test_segment_is_the_naive_profile(ends):
    c0, r0, c1, r1 = ends
    ours = segment(np.array([[c0, r0]]), np.array([[c1, r1]]))[0]
    np.testing.assert_allclose(ours, naive_segment(*ends), atol=1e-12)


def test_segments_of_a_batch_are_those_of_each_alone(rng):
    start, end = rng.uniform(0, 10, (5, 2)), rng.uniform(15, 27, (5, 2))
    alone = [segment(start[i : i + 1], end[i : i + 1])[0] for i in range(5)]
    np.testing.assert_array_equal(segment(start, end), alone)


def test_dotted_line_leaves_out_every_other_pair_of_columns(rng):
    out = dotted_line(np.zeros((50, 28, 28)), rng)
    inked = out.any(axis=(0, 1))
    assert [int(column) for column in np.flatnonzero(inked)] == [c for c in range(27) if c // 2 % 2]
    rows = dotted_line(np.zeros((1, 28, 28)), np.random.default_rng(3))[0]
    r0, r1 = np.random.default_rng(3).integers(0, 27, size=(1, 2))[0]
    keep = np.arange(28) // 2 % 2 == 1
    np.testing.assert_allclose(rows[:, keep], naive_segment(0, r0, 27, r1)[:, keep], atol=1e-12)
    assert not rows[:, ~keep].any()


def naive_zigzag_corners(row, rise):
    theta = atan2(rise, 23)
    length = 23 / cos(theta)
    local = [(0, 0), *((2 + 4 * i, 2 * (-1) ** i) for i in range(6))]
    local.append((length, local[-1][1] / (2 * (length - 20))))
    return [(2 + a * cos(theta) - b * sin(theta), row + a * sin(theta) + b * cos(theta)) for a, b in local]


@pytest.mark.parametrize("row", [0, 13, 26])
@pytest.mark.parametrize("rise", [-5, 0, 4])
def test_zigzag_corners_lie_two_pixels_from_the_line(row, rise):
    ours = zigzag_corners(np.array([row]), np.array([rise]))[0]
    np.testing.assert_allclose(ours, naive_zigzag_corners(row, rise), atol=1e-12)


def test_zigzag_is_the_sum_of_its_segments():
    ours = zigzag(BLACK, np.random.default_rng(4))[0].clip(0, 1)
    draw = np.random.default_rng(4)
    corners = naive_zigzag_corners(draw.integers(0, 27, 1)[0], draw.integers(-5, 5, 1)[0])
    want = sum(naive_segment(*a, *b) for a, b in pairwise(corners)).clip(0, 1)
    np.testing.assert_allclose(ours, want, atol=1e-12)


@pytest.mark.parametrize("stroke", [dotted_line, zigzag])
def test_strokes_are_added_to_the_digit(floats, stroke):
    on_black = stroke(np.zeros_like(floats), np.random.default_rng(2))
    np.testing.assert_allclose(stroke(floats, np.random.default_rng(2)), floats + on_black)
