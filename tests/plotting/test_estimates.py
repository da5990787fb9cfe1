"""Estimates are drawn where they are, with their intervals, and means are joined within one level of a design."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

NAN = float("nan")


def estimates():
    return pd.DataFrame(
        [
            {"cell": "LSTM", "set": "test", "std": 0.2, "low": 0.1, "high": 0.4, "paper": 0.3},
            {"cell": "MLP", "set": "test", "std": 0.5, "low": -np.inf, "high": np.inf, "paper": NAN},
        ]
    )


def points(ax):
    return np.concatenate([np.asarray(drawn.get_offsets()) for drawn in ax.collections])


def test_an_estimate_is_a_point_with_its_interval_and_the_papers_mark(ax):
    plotting.interval_plot(estimates(), x="set", y="std", reference="paper", ax=ax)
    np.testing.assert_allclose(points(ax)[:, 1], [0.2, 0.5])
    lines = [line.get_ydata().tolist() for line in ax.lines]
    assert lines == [[0.1, 0.4], [0.3, 0.3]]  # an infinite interval and a missing mark are not drawn
    assert [text.get_text() for text in ax.get_xticklabels()] == ["test"]


def test_cells_of_one_group_stand_side_by_side(ax):
    plotting.interval_plot(estimates(), x="set", y="std", ax=ax)
    assert len(set(points(ax)[:, 0])) == 2
    assert len(ax.lines) == 1


def design():
    cells = {"a": ("back", "own", (1.0, 3.0)), "b": ("both", "own", (2.0, NAN)), "c": ("back", "shared", (5.0, 7.0)),
             "d": ("both", "shared", (9.0, 11.0))}  # fmt: skip
    return pd.DataFrame(
        {"cell": cell, "seed": seed, "reads": reads, "blocks": blocks, "value": value}
        for cell, (reads, blocks, values) in cells.items()
        for seed, value in enumerate(values)
    )


def test_lines_join_the_means_of_one_level_and_every_finite_seed_is_a_point(ax):
    plotting.interaction_plot(design(), x="reads", line="blocks", ax=ax)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[2.0, 2.0], [6.0, 10.0]]
    assert [line.get_label() for line in ax.lines] == ["own", "shared"]
    assert sorted(points(ax)[:, 1]) == [1, 2, 3, 5, 7, 9, 11]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_an_unknown_column_is_refused(ax):
    with pytest.raises(ValueError, match="no column 'accuracy'; it has cell"):
        plotting.interval_plot(estimates(), x="set", y="accuracy", ax=ax)
    with pytest.raises(ValueError, match="no column 'depth'"):
        plotting.interaction_plot(design(), x="reads", line="depth", ax=ax)
