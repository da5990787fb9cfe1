"""Pictures that look the same keep their stored bytes; what an eye can see does not."""

import base64
import io

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image
from scipy.ndimage import uniform_filter

from inductive_bias.site.pictures import SAME, SQUARE, keep_stored_pictures, look_the_same


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


@pytest.fixture
def dots():
    """White paper with black dots of five pixels."""
    pixels = np.full((60, 80, 3), 255)
    for y, x in ((10, 12), (30, 40), (47, 70)):
        pixels[y : y + 5, x : x + 5] = 0
    return pixels


def moved(pixels, by):
    """Everything to the right by a fraction of a pixel."""
    return (1 - by) * pixels + by * np.roll(pixels, 1, axis=1)


@pytest.mark.parametrize(("by", "same"), [(0.0, True), (0.1, True), (0.3, True), (0.9, False), (1.0, False)])
def test_a_move_below_half_a_pixel_is_none(dots, by, same):
    assert look_the_same(png(dots), png(moved(dots, by))) == same


def test_a_new_dot_another_colour_and_another_size_are_seen(dots):
    more = dots.copy()
    more[20:23, 20:23] = 0
    assert not look_the_same(png(dots), png(more))
    blue = dots.copy()
    blue[10:15, 12:17, 2] = 120
    assert not look_the_same(png(dots), png(blue))
    assert not look_the_same(png(dots), png(dots[:-1]))


def test_a_pixel_of_noise_is_none_and_a_picture_may_be_smaller_than_a_square(dots):
    noisy = dots.copy()
    noisy[5, 5] = 200
    assert look_the_same(png(dots), png(noisy))
    small = np.full((2, 3, 3), 255)
    assert look_the_same(png(small), png(small))
    assert not look_the_same(png(small), png(small * 0))


def test_squares_are_those_of_scipy():
    rng = np.random.default_rng(0)
    for spread in (10, 40, 70, 100):
        one, other = rng.integers(0, 255, (2, 31, 23, 3))
        other = np.clip(one + spread * (other - 127) / 127, 0, 255).astype(int)
        inner = slice(SQUARE // 2, -(SQUARE // 2))
        means = uniform_filter((one - other).astype(float), (SQUARE, SQUARE, 0))[inner, inner]
        assert look_the_same(png(one), png(other)) == (np.abs(means).max() < SAME)


def test_cells_are_matched_by_identity(dots):
    def notebook(*pictures):
        cells = [
            new_code_cell("draw()", id=name, outputs=[new_output("display_data", {"image/png": picture})])
            for name, picture in pictures
        ]
        return new_notebook(cells=cells)

    nearly, other = png(moved(dots, 0.1)), png(np.roll(dots, 9, axis=0))
    stored = notebook(("a", png(dots)), ("b", png(dots)), ("gone", nearly))
    rendered = notebook(("new", nearly), ("a", nearly), ("b", other))
    assert keep_stored_pictures(stored, rendered) == 1
    shown = [cell.outputs[0].data["image/png"] for cell in rendered.cells]
    assert shown == [nearly, png(dots), other]
