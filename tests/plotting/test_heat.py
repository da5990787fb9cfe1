"""The numbers of a heat map can be read on every ground."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting


@pytest.mark.parametrize("centre", [None, 0.0])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5)])
def test_numbers_of_a_heat_map_contrast_with_their_ground(ax, shape, centre):
    frame = pd.DataFrame(np.linspace(-1, 1, shape[0] * shape[1]).reshape(shape))
    plotting.heat_map(frame, ax=ax, centre=centre)
    image = ax.images[0]
    for (row, column), value in np.ndenumerate(frame.to_numpy()):
        text = ax.texts[row * shape[1] + column]
        assert text.get_text() == f"{value:.2f}"
        inks = [plotting.relative_luminance(mpl.colors.to_rgb(text.get_color())),
                plotting.relative_luminance(image.cmap(image.norm(value)))]  # fmt: skip
        assert (max(inks) + 0.05) / (min(inks) + 0.05) >= 4.5  # WCAG 2.2, level AA


def test_a_missing_cell_of_a_heat_map_is_a_dash(ax):
    plotting.heat_map(pd.DataFrame([[0.5, float("nan")]]), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["0.50", "–"]
