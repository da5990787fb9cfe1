"""A figure of the book has one ground and no warning of seaborn's own making."""

import warnings

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from inductive_bias import plotting


def test_the_ground_of_a_figure_is_opaque_white(tmp_path):
    figure, _ = plt.subplots()
    figure.savefig(tmp_path / "f.png")
    corner = plt.imread(tmp_path / "f.png")[0, 0]
    plt.close(figure)
    assert tuple(corner) == (1, 1, 1, 1)


def test_seaborns_grids_lay_themselves_out_without_a_word():
    with warnings.catch_warnings(record=True) as said:
        plotting.use_book_style()
        grid = sns.FacetGrid(pd.DataFrame({"a": [1, 2]}), col="a")
    plt.close(grid.figure)
    assert not [str(word.message) for word in said if "layout" in str(word.message)]
