import numpy as np
import pytest
from scipy.ndimage import correlate1d
from skimage.filters import gaussian as skimage_gaussian

from inductive_bias.tasks.corruptions.blur import gaussian, glass_blur, motion_blur, swap_neighbours, trail


def test_gaussian_is_that_of_scikit_image(floats):
    want = [skimage_gaussian(image, sigma=0.7) for image in floats]
    np.testing.assert_allclose(gaussian(floats, 0.7), want, atol=1e-12)


def naive_swaps(image, draws):
    out, place = image.copy(), 0
    for row in range(27, 1, -1):
        for column in range(27, 1, -1):
            swap, up, left = draws[place]
            place += 1
            if swap:
                here, there = (row, column), (row - up, column - left)
                out[here], out[there] = out[there], out[here]
    return out


def test_swaps_are_those_of_one_image_after_the_other(rng):
    images = rng.integers(0, 256, (5, 28, 28)).astype(np.uint8)
    draws = np.random.default_rng(7).integers(0, 2, size=(26 * 26, 3, 5), dtype=np.int8)
    ours = swap_neighbours(images, np.random.default_rng(7))
    want = np.stack([naive_swaps(image, draws[:, :, i]) for i, image in enumerate(images)])
    np.testing.assert_array_equal(ours, want)


def test_swaps_lose_no_pixel_and_leave_the_first_row_and_column(rng):
    image = np.arange(784).reshape(1, 28, 28)
    out = swap_neighbours(image, rng)
    assert sorted(out.ravel()) == list(range(784))
    np.testing.assert_array_equal(out[0, 0], image[0, 0])
    np.testing.assert_array_equal(out[0, :, 0], image[0, :, 0])
    assert (out != image).mean() > 0.3  # each pixel starts a real swap with probability 3 in 8


def test_glass_blur_keeps_the_ink_and_softens(floats, rng):
    out = glass_blur(floats, rng)
    np.testing.assert_allclose(out.sum((1, 2)), floats.sum((1, 2)), rtol=0.05)
    assert (out.std((1, 2)) < floats.std((1, 2))).all()


WEIGHTS = np.exp(-(np.arange(21) ** 2) / 18) / np.exp(-(np.arange(21) ** 2) / 18).sum()


@pytest.mark.parametrize(("degrees", "axis"), [(0.0, 2), (90.0, 1)])
def test_trail_along_an_axis_is_a_one_sided_correlation(rng, degrees, axis):
    images = rng.random((2, 28, 28))
    two_sided = np.concatenate([np.zeros(20), WEIGHTS])
    want = correlate1d(images, two_sided, axis=axis, mode="nearest")
    np.testing.assert_allclose(trail(images, np.full(2, degrees)), want, atol=1e-12)


@pytest.mark.parametrize("degrees", [-45.0, -20.5, 13.0, 45.0])
def test_trail_is_the_naive_sum_over_taps(rng, degrees):
    image = rng.random((28, 28))
    want = np.zeros((28, 28))
    for row in range(28):
        for column in range(28):
            for tap in range(21):
                # halves go down, so a tie is decided by the rule and not by the last bit of the sine
                down = np.ceil(tap * np.sin(np.deg2rad(degrees)) - 0.5)
                right = np.ceil(tap * np.cos(np.deg2rad(degrees)) - 0.5)
                r, c = min(max(row + down, 0), 27), min(max(column + right, 0), 27)
                want[row, column] += WEIGHTS[tap] * image[int(r), int(c)]
    np.testing.assert_allclose(trail(image[None], np.array([degrees]))[0], want, atol=1e-12)


def test_motion_blur_smears_along_rows_more_than_along_columns(floats, rng):
    out = motion_blur(floats, rng)
    change = [np.abs(np.diff(out, axis=axis)).sum() / np.abs(np.diff(floats, axis=axis)).sum() for axis in (1, 2)]
    assert change[1] < change[0] < 1
    np.testing.assert_allclose(motion_blur(np.full((3, 28, 28), 0.4), rng), 0.4)
