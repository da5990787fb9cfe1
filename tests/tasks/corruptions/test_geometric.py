from functools import partial

import numpy as np
import pytest
from skimage.transform import AffineTransform
from skimage.transform import warp as skimage_warp

from inductive_bias.tasks.corruptions.geometric import rotation, scale, shearing, translate, warp
from inductive_bias.tasks.mnist_c import corrupt

CENTRE = np.array([[1, 0, 13.5], [0, 1, 13.5], [0, 0, 1]])


def about_the_centre(matrix):
    return CENTRE @ np.block([[matrix, np.zeros((2, 1))], [np.zeros((1, 2)), 1]]) @ np.linalg.inv(CENTRE)


@pytest.mark.parametrize(
    "matrix",
    [np.eye(2), rotation(0.4), rotation(-1.3), shearing(0.4), np.eye(2) / 0.7, np.eye(2) / 1.7, np.eye(2) * 99],
    ids=["identity", "rotate", "rotate back", "shear", "shrink", "grow", "far outside"],
)
@pytest.mark.parametrize("n", [1, 3])
def test_warp_is_that_of_scikit_image(rng, matrix, n):
    images = rng.random((n, 28, 28))
    want = [skimage_warp(image, AffineTransform(about_the_centre(matrix)), order=1, cval=0) for image in images]
    np.testing.assert_allclose(warp(images, matrix), want, atol=1e-12)


def test_rotation_is_that_of_scikit_image_and_shear_is_not():
    np.testing.assert_allclose(rotation(0.4), AffineTransform(rotation=0.4).params[:2, :2])
    today = AffineTransform(shear=0.4).params[:2, :2]
    np.testing.assert_allclose(today, [[1, -np.tan(0.4)], [0, 1]])  # ours is the matrix of 2019
    np.testing.assert_allclose(shearing(0.4)[:, 1], [-np.sin(0.4), np.cos(0.4)])


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_quarter_turns_are_exact(rng, turns):
    images = rng.random((2, 28, 28))
    np.testing.assert_allclose(
        warp(images, rotation(turns * np.pi / 2)), np.rot90(images, turns, axes=(1, 2)), atol=1e-9
    )


def test_scale_shrinks_the_digit_to_70_percent(rng):
    blob = np.exp(-(((np.arange(28) - 13.5) / 6) ** 2))
    images = blob[None, :, None] * blob[None, None, :]
    small = scale(images, rng)[0]
    step = np.arange(28) - 13.5

    def spread(image):
        return np.sqrt((image.sum(0) * step**2).sum() / image.sum())

    assert spread(small) / spread(images[0]) == pytest.approx(0.7, abs=0.02)


def shifted(image, down, right):
    out = np.zeros_like(image)
    for row in range(28):
        for column in range(28):
            if 0 <= row - down < 28 and 0 <= column - right < 28:
                out[row, column] = image[row - down, column - right]
    return out


def test_translate_is_an_exact_diagonal_shift_each_sign_about_as_often(rng):
    image = rng.random((28, 28))
    moved = translate(np.stack([image] * 400), rng)
    counts = [
        sum(np.array_equal(one, shifted(image, down, right)) for one in moved) for down in (-3, 3) for right in (-3, 3)
    ]
    assert sum(counts) == 400
    assert min(counts) > 60  # a quarter is 100, its standard deviation 9


def test_released_translations_are_exact_diagonal_shifts(clean, released):
    corners = [np.stack([shifted(x, down, right) for x in clean[:100]]) for down in (-3, 3) for right in (-3, 3)]
    hits = np.stack([(corner == released("translate")[:100]).all((1, 2)) for corner in corners])
    assert (hits.sum(0) == 1).all()
    assert hits.any(1).all()
    ours = corrupt(clean[:100], "translate", seed=0)
    assert all(any(np.array_equal(x, corner[i]) for corner in corners) for i, x in enumerate(ours))


@pytest.mark.parametrize(("name", "matrix"), [("rotate", rotation), ("shear", shearing)])
def test_released_images_have_our_bytes_for_one_of_the_two_signs(clean, released, name, matrix):
    files, ours = released(name), corrupt(clean, name, seed=0)
    as_bytes = partial(np.rint, casting="unsafe", dtype=np.float32)
    both = [as_bytes(warp(clean / 255, matrix(sign * 0.4)).clip(0, 1) * 255) for sign in (1, -1)]
    for images in (files, ours):
        hits = np.stack([(images == one).all((1, 2)) for one in both])
        assert (hits.sum(0) == 1).all()
        assert 0.4 < hits[0].mean() < 0.6
