from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.analysis import distance_matrix, path_distance, path_lengths, path_smoothness


def between(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_lengths_are_those_of_the_consecutive_steps():
    np.testing.assert_allclose(path_lengths(between(np.array([[0.0], [1.0], [4.0], [2.0]]))), [1, 3, 2])


def test_a_straight_line_has_smoothness_one_and_a_detour_more():
    assert path_smoothness(between(np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]))) == pytest.approx(1.0)
    assert path_smoothness(between(np.array([[0.0, 0.0], [0.0, 3.0], [4.0, 3.0]]))) == pytest.approx(7 / 5)
    assert path_smoothness(between(np.array([[0.0], [2.0]]))) == 1.0


def test_a_path_that_returns_to_its_start_is_infinitely_rough():
    assert path_smoothness(between(np.array([[0.0], [1.0], [0.0]]))) == np.inf


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_no_path_in_a_euclidean_distance_is_shorter_than_the_straight_way(checkpoints, seed):
    rng = np.random.default_rng(seed)
    distances = between(rng.normal(size=(checkpoints, 3)))
    assert path_smoothness(distances) >= 1 - 1e-12
    assert path_smoothness(3 * distances) == pytest.approx(path_smoothness(distances))


@pytest.mark.parametrize("steps", [1, 4, 10])
def test_one_minus_similarity_makes_fine_straight_paths_shorter_than_their_ends_are_apart(steps):
    angle = 1e-3 * np.arange(steps + 1)  # equal steps along a tiny, nearly straight arc of the unit circle
    similarity = np.cos(angle[:, None] - angle[None])
    assert path_smoothness(distance_matrix(similarity)) == pytest.approx(1 / steps, rel=1e-3)
    assert path_smoothness(distance_matrix(similarity, kind="chord")) == pytest.approx(1.0, rel=1e-3)


def walks(t, s):
    """Every way from the first pair of two paths to the last, on which neither turns back."""
    if (t, s) == (1, 1):
        return [[(0, 0)]]
    before = [(t - 1, s), (t, s - 1), (t - 1, s - 1)]
    return [[*walk, (t - 1, s - 1)] for a, b in before if a and b for walk in walks(a, b)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6))
def test_the_distance_of_two_paths_is_that_of_the_best_of_all_walks(t, s, seed):
    distances = np.random.default_rng(seed).random((t, s))

    def mean(walk):
        weights = [2, *(i - k + j - m for (k, m), (i, j) in pairwise(walk))]
        assert sum(weights) == t + s
        return np.average([distances[at] for at in walk], weights=weights)

    assert path_distance(distances) == pytest.approx(min(mean(walk) for walk in walks(t, s)))


def test_a_path_has_no_distance_from_itself_walked_slowly_and_one_that_is_moved_has_that_distance():
    points = np.random.default_rng(0).normal(size=(6, 3))
    slowly = np.repeat(points, [1, 3, 1, 2, 1, 1], axis=0)
    to = np.linalg.norm(points[:, None] - slowly[None], axis=-1)
    assert path_distance(to) == 0.0
    assert path_distance(np.full((4, 7), 0.3)) == pytest.approx(0.3)
    assert path_distance(to[::-1]) > 0  # the same places in the other direction are another path


def test_bad_input_is_refused():
    for shape in [(0, 3), (4,)]:
        with pytest.raises((ValueError, TypeError), match=r"with an entry|t s"):
            path_distance(np.zeros(shape))
    with pytest.raises(ValueError, match="at least 2 checkpoints, not 1"):
        path_smoothness(np.zeros((1, 1)))
    with pytest.raises((ValueError, TypeError), match=r"square|2,3"):
        path_lengths(np.zeros((2, 3)))
