"""Estimates are drawn where they are, with their intervals, the region of their rule and the paper's marks."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

NAN = float("nan")
TABLE = pd.DataFrame(
    {
        "claim": ["first", "second"],
        "estimate": [0.2, -0.5],
        "low": [0.1, -np.inf],
        "high": [0.4, np.inf],
        "verdict": ["reproduced", "undecided"],
        "paper": [0.3, NAN],
    }
)


def points(ax):
    return np.concatenate(
        [np.asarray(drawn.get_offsets()) for drawn in ax.collections if len(drawn.get_offsets()) == 1]
    )


def test_an_estimate_is_a_point_with_its_interval_and_the_papers_mark(ax):
    plotting.forest_plot(TABLE, y="claim", hue="verdict", paper="paper", references=(), ax=ax)
    np.testing.assert_allclose(points(ax), [[0.2, 0], [-0.5, 1]])
    # an infinite interval and a missing mark are not drawn
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0.1, 0.4], [0.3, 0.3]]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["first", "second"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first claim is on top
    assert ax.lines[0].get_color() == plotting.FAMILIES["reproduced"].colour


def test_a_band_is_where_the_rule_wants_the_estimate(ax):
    regions = [((-np.inf, -1.0), (0.5, np.inf)), ((-0.25, 0.25),)]
    plotting.forest_plot(TABLE.assign(regions=regions), y="claim", bands="regions", limits=(-0.75, 2.0), ax=ax)
    bands = [c.get_paths()[0].get_extents() for c in ax.collections if "Poly" in repr(c)]
    # the first region lies beyond the axis
    np.testing.assert_allclose([[band.x0, band.x1] for band in bands], [[0.5, 2.0], [-0.25, 0.25]])
    assert [round((band.y0 + band.y1) / 2) for band in bands] == [0, 1]
    assert ax.get_xlim() == (-0.75, 2.0)


def test_what_leaves_the_axis_ends_in_an_arrow_and_an_estimate_beyond_it_is_written(ax):
    table = TABLE.assign(estimate=[-11.4, 0.5], low=[-14.0, -0.5], high=[-8.0, np.inf])
    plotting.forest_plot(table, y="claim", references=(), limits=(-2.0, 3.0), ax=ax)
    lines = [line for line in ax.lines if line.get_marker() == "None"]
    assert [line.get_xdata().tolist() for line in lines] == [[-2.0, -2.0], [-0.5, 3.0]]
    assert [line.get_xdata()[0] for line in ax.lines if line.get_marker() != "None"] == [-2.0, 3.0]
    assert [text.get_text() for text in ax.texts] == ["−11"]
    np.testing.assert_allclose(points(ax), [[0.5, 1]])


def test_rows_stand_under_the_heading_of_their_group(ax):
    names = ["a1", "b1", "a2"]
    table = pd.DataFrame({"claim": names, "estimate": 0.0, "low": -1.0, "high": 1.0, "part": ["a", "b", "a"]})
    plotting.forest_plot(table, y="claim", group="part", ax=ax)
    rows = dict(zip([tick.get_text() for tick in ax.get_yticklabels()], ax.get_yticks(), strict=True))
    headings = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert headings["a"] < rows["a1"] < rows["a2"] < headings["b"] < rows["b1"]
    np.testing.assert_allclose(sorted(points(ax)[:, 1]), sorted(rows.values()))


def test_a_row_carries_the_letter_and_the_colour_of_its_verdict(ax):
    letters = {"reproduced": "R", "undecided": "?"}
    plotting.forest_plot(TABLE, y="claim", hue="verdict", letters=letters, ax=ax)
    ticks = ax.get_yticklabels()
    assert [tick.get_text() for tick in ticks] == ["first R", "second ?"]
    assert [tick.get_color() for tick in ticks] == [plotting.FAMILIES[verdict].colour for verdict in letters]
    # the legend's words keep to one line
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["reproduced\u00a0(R)", "undecided\u00a0(?)"]
    with pytest.raises(ValueError, match="letters need a hue"):
        plotting.forest_plot(TABLE, y="claim", letters=letters, ax=ax)


def test_hues_of_one_row_stand_above_each_other(ax):
    plotting.forest_plot(TABLE.assign(claim="both"), y="claim", hue="verdict", ax=ax)
    assert len(set(points(ax)[:, 1])) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["reproduced", "undecided"]


def test_an_unknown_column_is_refused(ax):
    with pytest.raises(ValueError, match="no column 'effect'; it has claim"):
        plotting.forest_plot(TABLE, y="claim", estimate="effect", ax=ax)
    with pytest.raises(ValueError, match="palette has nothing for verdict = 'undecided'"):
        plotting.forest_plot(TABLE, y="claim", hue="verdict", palette={"reproduced": "red"}, ax=ax)
