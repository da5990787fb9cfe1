"""Two measures against each other: no run is lost, and arrows lead from mean to mean."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

NAN = float("nan")
TABLE = pd.DataFrame(
    {"cell": ["LSTM", "LSTM", "MLP", "MLP"], "x": [1.0, 3.0, 5.0, 7.0], "y": [0.2, 0.4, 0.6, 0.6]}
)  # fmt: skip


def places(ax) -> list[list[float]]:
    return [list(map(float, point)) for drawn in ax.collections for point in drawn.get_offsets()]


def test_every_run_is_a_point_and_every_cell_has_its_mean(ax):
    plotting.seed_scatter(TABLE, x="x", y="y", ax=ax)
    found = places(ax)
    assert len(found) == 4 + 2
    assert all(any(np.allclose(point, row) for point in found) for row in TABLE[["x", "y"]].to_numpy())
    assert any(np.allclose(point, [2.0, 0.3]) for point in found)
    assert ax.get_legend_handles_labels()[1] == ["LSTM", "MLP"]


def test_means_can_be_left_out(ax):
    plotting.seed_scatter(TABLE, x="x", y="y", ax=ax, means=False)
    assert len(places(ax)) == 4


@pytest.mark.parametrize("lost", [NAN, np.inf])
def test_a_run_that_is_not_finite_is_counted_and_not_in_the_mean(ax, lost):
    table = pd.concat([TABLE, pd.DataFrame({"cell": ["LSTM"], "x": [2.0], "y": [lost]})])
    plotting.seed_scatter(table, x="x", y="y", ax=ax)
    assert any(np.allclose(point, [2.0, 0.3]) for point in places(ax))
    assert [text.get_text() for text in ax.texts] == ["1 not finite"]


def test_an_arrow_leads_from_mean_to_mean_in_the_colour_of_its_end(ax):
    plotting.mean_arrows(TABLE, [("LSTM", "MLP")], x="x", y="y", ax=ax)
    (arrow,) = ax.texts
    np.testing.assert_allclose([arrow.xyann, arrow.xy], [[2.0, 0.3], [6.0, 0.6]])
    assert plotting.cell_style("MLP").colour == arrow.arrowprops["color"]


def test_an_arrow_with_a_diverged_end_is_refused(ax):
    with pytest.raises(ValueError, match="'MLP' has no finite run"):
        plotting.mean_arrows(TABLE.assign(y=[1.0, 1.0, NAN, NAN]), [("LSTM", "MLP")], x="x", y="y", ax=ax)


def test_unknown_columns_and_cells_are_named(ax):
    with pytest.raises(ValueError, match="no column 'z'; it has cell, x, y"):
        plotting.seed_scatter(TABLE, x="z", y="y", ax=ax)
    with pytest.raises(ValueError, match="no row has cell = 'CNN'; there are LSTM, MLP"):
        plotting.mean_arrows(TABLE, [("LSTM", "CNN")], x="x", y="y", ax=ax)
