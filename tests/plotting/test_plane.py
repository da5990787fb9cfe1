"""Models and paths are drawn at their places, in their order."""

import itertools

import numpy as np
import pytest

from inductive_bias import plotting


def test_embedding_shows_every_model_at_its_place(ax):
    points = np.arange(8.0).reshape(4, 2)
    plotting.embedding_plot(points, ["CNN", "MLP", "CNN", "MLP"], ax=ax)
    np.testing.assert_allclose(sorted(y for dots in ax.collections for y in dots.get_offsets()[:, 1]), points[:, 1])
    assert ax.get_aspect() == 1
    with pytest.raises(ValueError, match=r"got \(4, 2\) and 3 labels"):
        plotting.embedding_plot(points, ["CNN"] * 3, ax=ax)


@pytest.mark.parametrize("length", [1, 2, 11])
def test_path_joins_and_numbers_its_checkpoints(ax, length):
    # far enough apart for every number to have room
    points = np.column_stack([np.arange(length), np.random.default_rng(0).uniform(-1, 1, length)])
    plotting.path_plot(points, label="CNN → MLP", ax=ax, steps=[2**k for k in range(length)])
    arrows = [text for text in ax.texts if not text.get_text()]
    for arrow, (start, end) in zip(arrows, itertools.pairwise(points), strict=True):
        np.testing.assert_allclose([arrow.xyann, arrow.xy], [start, end])
    assert [text.get_text() for text in ax.texts if text.get_text()] == [str(2**k) for k in range(length)]
    with pytest.raises(ValueError, match="n steps"):
        plotting.path_plot(points, label="CNN", ax=ax, steps=range(length + 1))


def test_crowded_checkpoints_are_not_numbered_but_the_last_always_is(ax):
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.01, 0.0], [1.02, 0.0]])
    plotting.path_plot(points, label="CNN", steps=[0, 1, 2, 4], ax=ax)
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["0", "4"]
    assert len(ax.collections[0].get_offsets()) == 4
