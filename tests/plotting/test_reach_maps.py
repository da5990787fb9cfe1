"""A map of reach shows zeros as nothing, shares one scale, and names every word."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import LogNorm

from inductive_bias.plotting.reach import LIMITS, reach_grid, reach_map

WORDS = ("BOS", "keys", "EOS")


def test_an_exact_zero_is_left_white_and_the_smallest_reach_is_not(ax):
    reach_map(np.array([[1.0, 0, 0], [1e-9, 1, 0], [0.5, 2, 1]]), WORDS, ax=ax)
    shown = ax.images[0].get_array()
    assert shown.mask.tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert ax.images[0].to_rgba(shown)[0, 1].tolist()[3] == 0  # the white page shows through
    assert ax.images[0].to_rgba(shown)[1, 0].tolist()[3] == 1
    assert [label.get_text() for label in ax.get_yticklabels()] == list(WORDS)


def test_a_map_of_yes_and_no_has_one_colour(ax):
    reach_map(np.tri(3), WORDS, ax=ax)
    colours = ax.images[0].to_rgba(ax.images[0].get_array()).reshape(-1, 4)
    assert len(np.unique(colours[colours[:, 3] > 0], axis=0)) == 1


@pytest.mark.parametrize("reach", [np.ones((2, 3)), np.ones((2, 2)), -np.ones((3, 3))])
def test_a_map_that_does_not_fit_its_words_is_refused(ax, reach):
    with pytest.raises(ValueError, match="must be ≥ 0 and 3 × 3"):
        reach_map(reach, WORDS, ax=ax)


def test_a_grid_has_one_scale_and_names_models_and_measures_once():
    maps = {name: {"direct": np.tri(3), "all": 0.3 * np.tri(3)} for name in ("Sequential Transformer", "LSTM")}
    figure = reach_grid(maps, dict.fromkeys(maps, WORDS))
    panels = figure.axes[:4]
    assert [ax.get_title() for ax in panels] == ["direct", "all", "", ""]
    assert [ax.get_ylabel() for ax in panels] == ["Sequential\nTransformer", "", "LSTM", ""]
    assert [isinstance(ax.images[0].norm, LogNorm) for ax in panels] == [False, True] * 2
    assert {ax.images[0].get_clim() for ax in panels[1::2]} == {LIMITS}
    plt.close(figure)
