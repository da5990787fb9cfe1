"""Paths are drawn in their order, and arrows lead from mean to mean."""

import itertools

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

NAN = float("nan")
RUNS = pd.DataFrame(
    {"model": "MLP", "teacher": ["none", "none", "CNN", "CNN"], "x": [1.0, 3.0, 5.0, 7.0], "y": [0.2, 0.4, 0.6, 0.6]}
)


def path(points, steps, **columns) -> pd.DataFrame:
    return pd.DataFrame(points, columns=["x", "y"]).assign(epoch=list(steps), **columns)


@pytest.mark.parametrize("length", [1, 2, 11])
def test_a_path_joins_and_numbers_its_checkpoints(ax, length):
    # far enough apart for every number to have room
    rows, columns = np.divmod(np.arange(length), 4)
    points = np.column_stack([columns, rows]) + np.random.default_rng(0).uniform(-0.1, 0.1, (length, 2))
    plotting.path_plot(path(points, [2**k for k in range(length)]), x="x", y="y", ax=ax)
    arrows = [text for text in ax.texts if not text.get_text()]
    for arrow, (start, end) in zip(arrows, itertools.pairwise(points), strict=True):
        np.testing.assert_allclose([arrow.xyann, arrow.xy], [start, end])
    assert [text.get_text() for text in ax.texts if text.get_text()] == [str(2**k) for k in range(length)]
    assert ax.get_aspect() == 1


def test_crowded_checkpoints_are_not_numbered_but_the_last_always_is(ax):
    points = [[0.0, 0.0], [1.0, 0.0], [1.01, 0.0], [1.02, 0.0]]
    plotting.path_plot(path(points, [0.0, 1.0, 2.0, 4.0]), x="x", y="y", ax=ax)
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["0", "4"]
    assert len(ax.collections[0].get_offsets()) == 4


def test_paths_are_parted_by_hue(ax):
    both = pd.concat([path([[0, 0], [1, 1]], "ab", model=name) for name in ("LSTM", "RSA")])
    plotting.path_plot(both, x="x", y="y", hue="model", ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["LSTM", "RSA"]
    assert len([text for text in ax.texts if not text.get_text()]) == 2  # no arrow from one path to the other


@pytest.mark.parametrize("lost", [None, NAN, np.inf])
def test_an_arrow_leads_from_mean_to_mean_of_finite_runs_in_the_colour_of_its_end(ax, lost):
    table = RUNS if lost is None else pd.concat([RUNS, RUNS.iloc[:1].assign(y=lost)])
    plotting.mean_arrows(table, x="x", y="y", hue="teacher", start="none", within="model", ax=ax)
    (arrow,) = ax.texts
    np.testing.assert_allclose([arrow.xyann, arrow.xy], [[2.0, 0.3], [6.0, 0.6]])
    assert arrow.arrowprops["color"] == plotting.FAMILIES["CNN"].colour


def test_every_student_has_an_arrow_of_its_own(ax):
    table = pd.concat([RUNS, RUNS.assign(model="LSTM", x=RUNS["x"] + 1)])
    plotting.mean_arrows(table, x="x", y="y", hue="teacher", start="none", within="model", ax=ax)
    assert [arrow.xy[0] for arrow in ax.texts] == [6.0, 7.0]


def test_an_arrow_without_an_end_is_refused(ax):
    with pytest.raises(ValueError, match="'CNN' has no finite run"):
        plotting.mean_arrows(RUNS.assign(y=[1.0, 1.0, NAN, NAN]), x="x", y="y", hue="teacher", start="none", ax=ax)
    with pytest.raises(ValueError, match="no row has teacher = 'MLP' within model = 'MLP'; there are CNN, none"):
        plotting.mean_arrows(RUNS, x="x", y="y", hue="teacher", start="MLP", within="model", ax=ax)
    with pytest.raises(ValueError, match="no column 'z'; it has model"):
        plotting.path_plot(RUNS, x="z", y="y", ax=ax)
