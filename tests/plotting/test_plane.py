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
    points = np.random.default_rng(0).normal(size=(length, 2))
    plotting.path_plot(points, label="CNN → MLP", ax=ax, steps=[2**k for k in range(length)])
    arrows = [text for text in ax.texts if not text.get_text()]
    for arrow, (start, end) in zip(arrows, itertools.pairwise(points), strict=True):
        np.testing.assert_allclose([arrow.xyann, arrow.xy], [start, end])
    assert [text.get_text() for text in ax.texts if text.get_text()] == [str(2**k) for k in range(length)]
    with pytest.raises(ValueError, match="n steps"):
        plotting.path_plot(points, label="CNN", ax=ax, steps=range(length + 1))
