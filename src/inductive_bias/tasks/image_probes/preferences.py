"""Probes of which rule a model of images prefers where two rules explain the training images equally well."""

from abc import abstractmethod

import numpy as np
from jaxtyping import Int64

from inductive_bias.tasks.image_probes.base import SIZE, ImagePreference, Images, noisy
from inductive_bias.tasks.image_probes.shapes import OUTLINES, SOLIDS, pixels, placed, textures

KINDS = 4
#: A quarter of an image, in pixels, and how far a shape may stand from its upper left corner.
QUARTER, LEEWAY = SIZE // 2, 3
#: How bright the shape of each class is in training.
LEVELS = np.array([0.4, 0.6, 0.8, 1.0], dtype=np.float32)


class CuePreference(ImagePreference):
    """Four shapes, each with one value of another cue in training; in the conflict the cue is another shape's."""

    classes = KINDS

    def draw(self, rng: np.random.Generator, count: int) -> Images:
        """Images as in training: both cues say the same."""
        which = rng.integers(KINDS, size=count)
        return self._drawn(rng, which, which)

    def conflict(self, rng: np.random.Generator, count: int) -> tuple[Images, Int64[np.ndarray, " n"]]:
        """Images on which the two cues differ, labelled by the shape; and what the other cue says."""
        which = rng.integers(KINDS, size=count)
        other = (which + rng.integers(1, KINDS, size=count)) % KINDS
        return self._drawn(rng, which, other), other

    @abstractmethod
    def _drawn(self, rng: np.random.Generator, shape: Int64[np.ndarray, " n"], cue: Int64[np.ndarray, " n"]) -> Images:
        """Images of these shapes with these values of the other cue, labelled by the shape."""


class ShapeOrPlace(CuePreference):
    """What is it, or where is it? In training every shape has a quarter of the image to itself."""

    name, axis = "shape or place", "shape over place"
    asks = "Is an image told by its shape, or by the quarter in which the shape stands?"
    rules = "the shape", "the quarter"
    source = "after Kayhan & van Gemert 2020, arXiv:2003.07064"

    def _drawn(self, rng: np.random.Generator, shape: Int64[np.ndarray, " n"], cue: Int64[np.ndarray, " n"]) -> Images:
        top, left = (QUARTER * each + rng.integers(LEEWAY, size=len(shape)) for each in (cue // 2, cue % 2))
        return Images(noisy(rng, placed(pixels(OUTLINES), shape, top, left)), shape)


class ShapeOrTexture(CuePreference):
    """The outline of a thing, or what fills it? In training every shape has a texture to itself."""

    name, axis = "shape or texture", "shape over texture"
    asks = "Is an image told by its shape, or by the texture that fills it?"
    rules = "the shape", "the texture"
    source = "after Geirhos et al. 2019, arXiv:1811.12231, and Feinman & Lake 2018, arXiv:1802.02745"

    def _drawn(self, rng: np.random.Generator, shape: Int64[np.ndarray, " n"], cue: Int64[np.ndarray, " n"]) -> Images:
        solids, count = pixels(SOLIDS), len(shape)
        top, left = rng.integers(SIZE - solids.shape[1] + 1, size=(2, count))
        filled = placed(solids, shape, top, left) * textures(cue, rng.integers(4, size=count))
        return Images(noisy(rng, filled), shape)


class ShapeOrBrightness(CuePreference):
    """What is it, or how bright is it? In training every shape has a brightness to itself."""

    name, axis = "shape or brightness", "shape over brightness"
    asks = "Is an image told by its shape, or by how bright the shape is?"
    rules = "the shape", "the brightness"
    source = "after Hermann & Lampinen 2020, arXiv:2006.12433"

    def _drawn(self, rng: np.random.Generator, shape: Int64[np.ndarray, " n"], cue: Int64[np.ndarray, " n"]) -> Images:
        outlines, count = pixels(OUTLINES), len(shape)
        top, left = rng.integers(SIZE - outlines.shape[1] + 1, size=(2, count))
        drawn = placed(outlines, shape, top, left) * LEVELS[cue][:, None, None]
        return Images(noisy(rng, drawn), shape)
