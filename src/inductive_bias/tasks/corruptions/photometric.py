"""Corruptions that draw nothing and move nothing: identity, brightness, stripe, edges."""

import numpy as np
from jaxtyping import Float

Images = Float[np.ndarray, "n 28 28"]


def identity(images: Images, rng: np.random.Generator) -> Images:
    """The clean images."""
    return images


def brightness(images: Images, rng: np.random.Generator) -> Images:
    """Half of the range brighter (the release takes the way through HSV value, which is the same for greys)."""
    return images + 0.5


def stripe(images: Images, rng: np.random.Generator) -> Images:
    """The outer quarters, columns 0-6 and 21-27, are inverted."""
    out = images.copy()
    outer = np.r_[0:7, 21:28]
    out[:, :, outer] = 1 - images[:, :, outer]
    return out


def canny_edges(images: Images, rng: np.random.Generator) -> Images:
    """Canny's edge map with sigma 1 and scikit-image's default thresholds."""
    from skimage.feature import canny

    return np.stack([canny(image) for image in images]).astype(images.dtype)
