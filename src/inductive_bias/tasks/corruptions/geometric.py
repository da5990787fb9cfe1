"""Translate, scale, rotate, shear: bilinear affine warps about the image centre, zero outside.

A warp of 28 x 28 pixels is linear in the image, so it is one sparse 784 x 784 matrix with at most four weights a row,
applied to all images at once.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float

SIDE = 28
CENTRE = (SIDE - 1) / 2

Images = Float[np.ndarray, "n 28 28"]
Matrix = Float[np.ndarray, "2 2"]


def warp(images: Images, inverse: Matrix) -> Images:
    """Sample ``image(inverse @ p)`` bilinearly for every pixel ``p = (column, row)`` relative to the centre."""
    from scipy.sparse import coo_array

    row, column = np.mgrid[:SIDE, :SIDE].reshape(2, -1)
    x, y = inverse @ np.stack([column - CENTRE, row - CENTRE]) + CENTRE
    left, top = np.floor(x), np.floor(y)
    target, origin, weight = [], [], []
    for dy in (0, 1):
        for dx in (0, 1):
            c, r = left + dx, top + dy
            inside = (c >= 0) & (c < SIDE) & (r >= 0) & (r < SIDE)
            target.append(np.flatnonzero(inside))
            origin.append((r * SIDE + c)[inside].astype(int))
            weight.append(((1 - abs(x - c)) * (1 - abs(y - r)))[inside])
    entries = (np.concatenate(weight), (np.concatenate(target), np.concatenate(origin)))
    matrix = coo_array(entries, shape=(SIDE**2, SIDE**2)).tocsr()
    return (matrix @ images.reshape(-1, SIDE**2).T).T.reshape(images.shape)


def rotation(angle: float) -> Matrix:
    """Inverse map of a rotation by ``angle`` radians."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def shearing(angle: float) -> Matrix:
    """Inverse map of MNIST-C's shear: ``[[1, -sin s], [0, cos s]]``.

    That is scikit-image's matrix of 2019, which the released files carry; since version 0.19 the same call gives
    ``[[1, -tan s], [0, 1]]``.
    """
    return np.array([[1, -np.sin(angle)], [0, np.cos(angle)]])


def _either_way(images: Images, rng: np.random.Generator, matrix: Callable[[float], Matrix], size: float) -> Images:
    positive: Bool[np.ndarray, " n"] = rng.random(len(images)) < 0.5
    out = np.empty_like(images)
    for sign, chosen in ((1, positive), (-1, ~positive)):
        out[chosen] = warp(images[chosen], matrix(sign * size))
    return out


def rotate(images: Images, rng: np.random.Generator) -> Images:
    """0.4 rad about the centre, either way."""
    return _either_way(images, rng, rotation, 0.4)


def shear(images: Images, rng: np.random.Generator) -> Images:
    """Shear 0.4 about the centre, either way."""
    return _either_way(images, rng, shearing, 0.4)


def scale(images: Images, rng: np.random.Generator) -> Images:
    """The digit shrinks to 70 % about the centre; nothing is drawn."""
    return warp(images, np.eye(2) / 0.7)


def translate(images: Images, rng: np.random.Generator, *, pixels: int = 3) -> Images:
    """Exactly ``pixels`` along both axes, each axis either way, so that every digit moves diagonally."""
    padded = np.pad(images, ((0, 0), (pixels, pixels), (pixels, pixels)))
    start = rng.choice([0, 2 * pixels], size=(len(images), 2))
    step = np.arange(SIDE)
    rows, columns = start[:, :1] + step, start[:, 1:] + step
    return padded[np.arange(len(images))[:, None, None], rows[:, :, None], columns[:, None, :]]
