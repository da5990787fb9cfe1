"""What a probe for images is: a small generated task that asks one thing of a model, with images of one size."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float32, Int64

from inductive_bias.tasks.probes.base import Question

#: Pixels of a side: what a model is built for is one grey channel of so many.
SIZE = 16
#: The largest value of the noise that is added to every pixel of a drawn image.
NOISE = 0.2


class Images(NamedTuple):
    """Grey images ``[n, 1, 16, 16]`` in 0..1, and their ``labels [n]``."""

    images: Float32[np.ndarray, "n 1 h w"]
    labels: Int64[np.ndarray, " n"]


@dataclass(frozen=True)
class ImageProbe(Question, ABC):
    """One question about images; a subclass draws them.

    Attributes:
        classes: answers to choose from.
    """

    classes: ClassVar[int]

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int) -> Images:
        """Draw ``count`` images as they are in training."""

    def held_out(self, rng: np.random.Generator, count: int, split: str) -> Images:
        """Images of the ``validation`` or the ``test``: drawn as in training, unless a subclass keeps some apart."""
        del split
        return self.draw(rng, count)


class ImageSkill(ImageProbe):
    """A rule to be learnt: every image has one right answer."""


class ImagePreference(ImageProbe):
    """Training images that two rules explain; other images, on which the rules differ, show which one was learnt.

    Attributes:
        rules: the two; a share of 1 means that the first one was learnt.
    """

    rules: ClassVar[tuple[str, str]]

    @abstractmethod
    def conflict(self, rng: np.random.Generator, count: int) -> tuple[Images, Int64[np.ndarray, " n"]]:
        """Images on which the two rules differ, labelled by the first; and what the second rule answers."""


def noisy(rng: np.random.Generator, images: Float32[np.ndarray, "n h w"]) -> Float32[np.ndarray, "n 1 h w"]:
    """Images with noise in every pixel, and a channel."""
    noise = rng.random(images.shape, dtype=np.float32) * np.float32(NOISE)
    return np.minimum(images + noise, np.float32(1.0))[:, None]
