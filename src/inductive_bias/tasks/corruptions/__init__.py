"""The corruptions of MNIST-C (Mu & Gilmer 2019, arXiv:1906.02337), made from clean digits at its severities.

Every generator is ``generator(images, rng)``: images ``[n, 28, 28]`` as float64 in 0..1 come in, new ones go out;
values may leave 0..1, the caller clips and rounds. All draws come from ``rng``. Written from the published parameters.
"""

from collections.abc import Callable

import numpy as np

from inductive_bias.tasks.corruptions.blur import glass_blur, motion_blur
from inductive_bias.tasks.corruptions.geometric import rotate, scale, shear, translate
from inductive_bias.tasks.corruptions.noise import impulse_noise, shot_noise
from inductive_bias.tasks.corruptions.photometric import brightness, canny_edges, identity, stripe
from inductive_bias.tasks.corruptions.strokes import dotted_line, zigzag
from inductive_bias.tasks.corruptions.weather import fog, spatter

Generator = Callable[[np.ndarray, np.random.Generator], np.ndarray]

# in the order of the benchmark
GENERATORS: dict[str, Generator] = {
    "identity": identity,
    "shot_noise": shot_noise,
    "impulse_noise": impulse_noise,
    "glass_blur": glass_blur,
    "motion_blur": motion_blur,
    "shear": shear,
    "scale": scale,
    "rotate": rotate,
    "brightness": brightness,
    "translate": translate,
    "stripe": stripe,
    "fog": fog,
    "spatter": spatter,
    "dotted_line": dotted_line,
    "zigzag": zigzag,
    "canny_edges": canny_edges,
}

__all__ = ["GENERATORS", "Generator"]
