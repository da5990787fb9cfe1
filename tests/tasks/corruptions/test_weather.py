import numpy as np
import pytest

from inductive_bias.tasks.corruptions.weather import diamond_square, fog, haze, spatter


def naive_diamond_square(size, decay, rng):
    """One map, point by point; the noise of each kind of point is drawn as one square, as ours is for one map."""
    height = np.zeros((size, size))
    step, wibble = size, 100.0
    while step >= 2:
        half, cells = step // 2, size // step
        kinds = [
            ((half, half), [(-half, -half), (-half, half), (half, -half), (half, half)]),
            ((0, half), [(0, -half), (0, half), (-half, 0), (half, 0)]),
            ((half, 0), [(0, -half), (0, half), (-half, 0), (half, 0)]),
        ]
        for (down, right), corners in kinds:
            noise = (rng.random((1, cells, cells), np.float32)[0].astype(float) - 0.5) * 2 * wibble**2
            for i in range(cells):
                for j in range(cells):
                    r, c = i * step + down, j * step + right
                    mean = sum(height[(r + dr) % size, (c + dc) % size] for dr, dc in corners) / 4
                    height[r, c] = mean + noise[i, j]
        step, wibble = half, wibble / decay
    return height


@pytest.mark.parametrize("size", [2, 4, 32])
def test_diamond_square_is_the_naive_one(size):
    ours = diamond_square(1, np.random.default_rng(5), size=size, decay=1.4)
    want = naive_diamond_square(size, 1.4, np.random.default_rng(5))
    np.testing.assert_allclose(ours[0], want, rtol=1e-4, atol=0.05)  # float32 of heights up to 10,000


def test_haze_lies_between_0_and_1_and_is_smoother_than_noise(rng):
    maps = haze(20, rng)
    assert maps.shape == (20, 28, 28)
    assert maps.min() >= 0
    assert maps.max() <= 1
    assert np.abs(np.diff(maps, axis=1)).mean() < 0.2 * maps.std(axis=(1, 2)).mean()
    assert maps.mean((1, 2)).std() > 0.05  # some thick, some thin


@pytest.mark.parametrize("n", [1, 8, 9])
def test_fog_rescales_to_the_brightest_pixel(rng, n):
    images = rng.random((n, 28, 28)) * 0.8
    foggy = fog(images, np.random.default_rng(1))
    brightest = images.max((1, 2), keepdims=True)
    veil = foggy * (brightest + 3) / brightest - images
    assert veil.min() > -1e-12
    assert veil.max() <= 3 + 1e-12
    np.testing.assert_allclose(veil[:1] / 3, haze(min(n, 8), np.random.default_rng(1))[:1], atol=1e-12)


def test_fog_leaves_black_black(rng):
    assert not fog(np.zeros((1, 28, 28)), rng).any()


def test_spatter_lays_grey_63_over_the_digit_where_it_is_wet():
    mud = spatter(np.zeros((200, 28, 28)), np.random.default_rng(0))
    grey = 63 / 255
    assert mud.max() <= grey
    assert mud[mud > 0].min() >= 0.8 * grey  # no faint rims
    assert 0.1 < (mud > 0).mean() < 0.5
    # the same blots over white: what they cover is gone
    np.testing.assert_allclose(spatter(np.ones((200, 28, 28)), np.random.default_rng(0)), 1 - mud / grey + mud)
