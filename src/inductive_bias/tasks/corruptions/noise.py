"""Noise drawn for every pixel on its own."""

import numpy as np
from jaxtyping import Float

Images = Float[np.ndarray, "n 28 28"]


def shot_noise(images: Images, rng: np.random.Generator) -> Images:
    """Photon counting with 3 photons at full brightness: ``Poisson(3 x) / 3``."""
    return rng.poisson(3 * images) / 3


def impulse_noise(images: Images, rng: np.random.Generator) -> Images:
    """Salt and pepper: 17 % of all pixels, half of them to 1 and half to 0."""
    draw = rng.random(images.shape)
    return np.where(draw < 0.085, 1.0, np.where(draw < 0.17, 0.0, images))
