"""Estimates are drawn where they are, with their intervals, the least effect and the paper's marks."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

NAN = float("nan")
TABLE = pd.DataFrame(
    {"claim": ["first", "second"], "estimate": [0.2, -0.5], "low": [0.1, -np.inf], "high": [0.4, np.inf],
     "verdict": ["reproduced", "undecided"], "least": [0.05, NAN], "paper": [0.3, NAN]}
)  # fmt: skip


def points(ax):
    return np.concatenate(
        [np.asarray(drawn.get_offsets()) for drawn in ax.collections if len(drawn.get_offsets()) == 1]
    )


def test_an_estimate_is_a_point_with_its_interval_and_the_papers_mark(ax):
    plotting.forest_plot(TABLE, y="claim", hue="verdict", paper="paper", reference=None, ax=ax)
    np.testing.assert_allclose(points(ax), [[0.2, 0], [-0.5, 1]])
    # an infinite interval and a missing mark are not drawn
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0.1, 0.4], [0.3, 0.3]]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["first", "second"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first claim is on top
    assert ax.lines[0].get_color() == plotting.FAMILIES["reproduced"].colour


@pytest.mark.parametrize(("least", "bands"), [(None, 0), (0.05, 1), ("least", 1)])
def test_the_least_effect_is_a_band_around_the_reference(ax, least, bands):
    plotting.forest_plot(TABLE, y="claim", least=least, reference=0.1, ax=ax)
    drawn = [
        patch.get_extents() for patch in (*ax.patches, *(c.get_paths()[0] for c in ax.collections if "Poly" in repr(c)))
    ]
    assert len(drawn) == bands
    for band in drawn if isinstance(least, str) else ():
        np.testing.assert_allclose([band.x0, band.x1], [0.05, 0.15])


def test_a_band_needs_a_reference(ax):
    with pytest.raises(ValueError, match="needs a reference"):
        plotting.forest_plot(TABLE, y="claim", least=0.1, reference=None, ax=ax)


def test_hues_of_one_row_stand_above_each_other(ax):
    plotting.forest_plot(TABLE.assign(claim="both"), y="claim", hue="verdict", ax=ax)
    assert len(set(points(ax)[:, 1])) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["reproduced", "undecided"]


def test_an_unknown_column_is_refused(ax):
    with pytest.raises(ValueError, match="no column 'effect'; it has claim"):
        plotting.forest_plot(TABLE, y="claim", estimate="effect", ax=ax)
    with pytest.raises(ValueError, match="palette has nothing for verdict = 'undecided'"):
        plotting.forest_plot(TABLE, y="claim", hue="verdict", palette={"reproduced": "red"}, ax=ax)
