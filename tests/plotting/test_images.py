"""Small images keep their pixels, and a grid shows every one of them under its name."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from inductive_bias import plotting


def test_an_image_is_drawn_pixel_by_pixel_without_ticks(ax):
    image = np.arange(6.0).reshape(2, 3)
    plotting.show_image(image, ax=ax, title="six")
    np.testing.assert_array_equal(ax.images[0].get_array(), image)
    assert (ax.get_title(), len(ax.get_xticks()), len(ax.get_yticks())) == ("six", 0, 0)
    assert ax.images[0].get_interpolation() == "nearest"


@pytest.mark.parametrize("shape", [(3,), (1, 2, 2)])
def test_what_is_no_image_is_refused(ax, shape):
    with pytest.raises(ValueError, match="two axes, not the shape"):
        plotting.show_image(np.zeros(shape), ax=ax)


@pytest.mark.parametrize("count", [1, 4, 5])
def test_a_grid_has_a_place_for_every_image_and_empty_places_are_blank(count):
    figure = plotting.image_grid({f"image {i}": np.full((2, 2), i) for i in range(count)}, columns=4)
    titles = [ax.get_title() for ax in figure.axes if ax.axison]
    assert titles == [f"image {i}" for i in range(count)]
    assert len(figure.axes) % 4 == 0
    plt.close(figure)


@pytest.mark.parametrize(("images", "columns"), [({}, 4), ({"a": np.zeros((2, 2))}, 0)])
def test_a_grid_of_nothing_is_refused(images, columns):
    with pytest.raises(ValueError, match="a grid needs images and columns"):
        plotting.image_grid(images, columns=columns)
