"""Fog (a plasma fractal laid over the digit) and spatter (blots of mud)."""

import numpy as np
from jaxtyping import Float

from inductive_bias.tasks.corruptions.blur import gaussian

SIDE = 28

Images = Float[np.ndarray, "n 28 28"]


def diamond_square(n: int, rng: np.random.Generator, *, size: int, decay: float) -> Float[np.ndarray, "n size size"]:
    """Random height maps on a torus.

    Level k fills the middle of every square and diamond of side ``size / 2^k`` with the mean of its four corners plus
    uniform noise of amplitude ``(100 / decay^k)^2``; squared, because the published generator applies its wibble twice.

    Args:
        n: How many maps.
        rng: Source of the noise.
        size: Side in pixels, a power of two.
        decay: Fall of the wibble from level to level.
    """
    height = np.zeros((n, size, size), np.float32)  # the one corner starts at 0; float32 takes half the time

    def middle_of(total: np.ndarray, amplitude: float) -> np.ndarray:
        noise = rng.random(total.shape, np.float32)
        noise -= 0.5
        noise *= 2 * amplitude
        noise += total / 4
        return noise

    step, wibble = size, 100.0
    while step >= 2:
        half, amplitude = step // 2, wibble**2
        corner = height[:, ::step, ::step].copy()
        right, below = corner + np.roll(corner, -1, axis=2), corner + np.roll(corner, -1, axis=1)
        centre = middle_of(right + np.roll(right, -1, axis=1), amplitude)
        height[:, half::step, half::step] = centre
        height[:, ::step, half::step] = middle_of(right + centre + np.roll(centre, 1, axis=1), amplitude)
        height[:, half::step, ::step] = middle_of(below + centre + np.roll(centre, 1, axis=2), amplitude)
        step, wibble = half, wibble / decay
    return height


def haze(n: int, rng: np.random.Generator) -> Images:
    """The top left of 256 x 256 height maps, each map scaled to 0..1 as a whole."""
    height = diamond_square(n, rng, size=256, decay=1.4)
    lowest, highest = (reduce(height, axis=(1, 2), keepdims=True) for reduce in (np.min, np.max))
    return ((height[:, :SIDE, :SIDE] - lowest) / (highest - lowest)).astype(np.float64)


def fog(images: Images, rng: np.random.Generator, *, thickness: float = 3.0, batch: int = 8) -> Images:
    """Add ``thickness`` times a plasma fractal, then rescale by ``max / (max + thickness)``."""
    # few maps at a time stay in the processor's cache
    sizes = [min(batch, len(images) - start) for start in range(0, len(images), batch)]
    foggy = images + thickness * np.concatenate([haze(size, rng) for size in sizes])
    brightest = images.max(axis=(1, 2), keepdims=True)
    return foggy * brightest / (brightest + thickness)


def spatter(images: Images, rng: np.random.Generator) -> Images:
    """Blots where blurred noise exceeds 0.65, softened, their faint rims cut off at 0.8, painted in grey 63."""
    wet = gaussian(rng.normal(0.65, 0.3, images.shape), 1.0) > 0.65
    mud = gaussian(wet.astype(float), 1.5)
    mud[mud < 0.8] = 0
    return images * (1 - mud) + 63 / 255 * mud
