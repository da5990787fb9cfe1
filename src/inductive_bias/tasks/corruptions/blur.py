"""Glass blur (pixels swapped with near neighbours) and motion blur (a fading trail in one direction)."""

import numpy as np
from jaxtyping import Float, Num

SIDE = 28

Images = Float[np.ndarray, "n 28 28"]


def gaussian(images: Images, sigma: float) -> Images:
    """Gaussian blur of each image; the border repeats its last pixel, as in ``skimage.filters.gaussian``."""
    from scipy.ndimage import gaussian_filter

    return gaussian_filter(images, sigma=(0, sigma, sigma), mode="nearest", truncate=4)


def swap_neighbours(images: Num[np.ndarray, "n 28 28"], rng: np.random.Generator) -> Num[np.ndarray, "n 28 28"]:
    """One pass from the last pixel to the third: swap with a neighbour at offset -1 or 0 on each axis, or do nothing.

    A swap happens with probability 1/2. Later swaps see earlier ones, so pixels go one by one; images go together.
    """
    out = images.copy()
    which = np.arange(len(out))
    steps = range(SIDE - 1, 1, -1)
    # [pixel, (swap?, down, across), image]
    draws = rng.integers(0, 2, size=(len(steps) ** 2, 3, len(out)), dtype=np.int8)
    pixels = ((row, column) for row in steps for column in steps)
    for (row, column), (swap, up, left) in zip(pixels, draws, strict=True):
        other = which, row - up * swap, column - left * swap
        there = out[other]  # a copy: fancy indexing
        out[other] = out[:, row, column]
        out[:, row, column] = there
    return out


def glass_blur(images: Images, rng: np.random.Generator) -> Images:
    """Blur (sigma 0.7), two passes of swapped neighbours, blur again."""
    # the swapped image is 8-bit, cut off and not rounded, as in the release
    seen = (gaussian(images, 0.7) * 255).astype(np.uint8)
    for _ in range(2):
        seen = swap_neighbours(seen, rng)
    return gaussian(seen / 255, 0.7)


def trail(images: Images, degrees: Float[np.ndarray, " n"], *, radius: int = 10, sigma: float = 3.0) -> Images:
    """ImageMagick's motion blur: a one-sided Gaussian mean over ``2 radius + 1`` pixels along each image's direction.

    Tap ``i`` has weight proportional to ``exp(-i^2 / (2 sigma^2))`` and reads the pixel nearest to ``i`` steps at
    ``degrees`` from the row axis (halves go down); outside, the border repeats its last pixel.
    """
    taps = np.arange(2 * radius + 1)
    weights = np.exp(-(taps**2) / (2 * sigma**2))
    weights /= weights.sum()
    angle = np.deg2rad(degrees)
    which, step = np.arange(len(images))[:, None, None], np.arange(SIDE)
    out = np.zeros_like(images)
    for tap, weight in zip(taps, weights, strict=True):
        down = np.ceil(tap * np.sin(angle) - 0.5).astype(int)
        across = np.ceil(tap * np.cos(angle) - 0.5).astype(int)
        rows = np.clip(step + down[:, None], 0, SIDE - 1)[:, :, None]
        columns = np.clip(step + across[:, None], 0, SIDE - 1)[:, None, :]
        out += weight * images[which, rows, columns]
    return out


def motion_blur(images: Images, rng: np.random.Generator) -> Images:
    """A trail of radius 10 and sigma 3 at an angle drawn from -45 to 45 degrees."""
    return trail(images, rng.uniform(-45, 45, len(images)))
