"""Every seed is a line, and the thick line is their mean."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting

TABLE = pd.DataFrame(
    {"cell": ["MLP"] * 4 + ["CNN"] * 2, "seed": [0, 0, 1, 1, 0, 0], "x": [2, 1, 1, 2, 1, 2],
     "value": [4.0, 2.0, 0.0, 2.0, 1.0, 1.0]}
)  # fmt: skip


def test_each_seed_is_a_thin_line_and_the_mean_a_thick_one(ax):
    plotting.seed_curves(TABLE, x="x", ax=ax)
    thin = [line for line in ax.lines if line.get_linewidth() < 1]
    thick = [line for line in ax.lines if line.get_linewidth() > 1]
    assert len(thin) == 3
    np.testing.assert_array_equal(thin[0].get_xydata(), [[1, 2], [2, 4]])  # in order of x, whatever the rows' order
    assert [line.get_label() for line in thick] == ["MLP", "CNN"]
    np.testing.assert_array_equal(thick[0].get_xydata(), [[1, 1], [2, 3]])
    assert thick[1].get_color() == plotting.cell_style("CNN").colour


def test_a_column_that_is_not_there_is_named(ax):
    with pytest.raises(ValueError, match="no column 'epoch'; it has cell, seed, x, value"):
        plotting.seed_curves(TABLE, x="epoch", ax=ax)


def test_the_legend_can_be_left_out(ax):
    assert plotting.seed_curves(TABLE, x="x", ax=ax, legend=False).get_legend() is None
