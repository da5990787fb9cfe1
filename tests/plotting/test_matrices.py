import matplotlib.pyplot as plt
import numpy as np
import pytest

from inductive_bias.plotting import cell_style, lag_plot, matrix_map


def test_zero_is_white_and_the_ends_are_symmetric():
    image = matrix_map(np.array([[0.0, 0.3], [-2.0, 2.0]]), limit=2.0)
    colours = image.cmap(image.norm(image.get_array()))
    assert colours[0, 0][:3].min() > 0.95
    assert colours[1, 0][2] > colours[1, 0][0]  # below 0 is blue
    assert colours[1, 1][0] > colours[1, 1][2]
    assert image.get_clim() == (-2.0, 2.0)
    plt.close("all")


def test_every_lag_is_a_marker_at_its_weight():
    lags = np.array([0.0, 0.9, -0.4])
    ax = lag_plot(lags, cell_style("cos head"), label="here")
    (line,) = [line for line in ax.lines if line.get_label() == "here"]
    np.testing.assert_array_equal(line.get_xydata(), [[0, 0.0], [1, 0.9], [2, -0.4]])
    plt.close("all")


def test_no_scale_is_refused():
    with pytest.raises(ValueError, match="limit must be positive, not 0"):
        matrix_map(np.eye(2), limit=0.0)
