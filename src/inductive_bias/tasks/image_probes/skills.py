"""Probes of what a model of images learns from a fixed number of examples: a number, sameness."""

import numpy as np

from inductive_bias.tasks.image_probes.base import SIZE, Images, ImageSkill, noisy
from inductive_bias.tasks.image_probes.shapes import OUTLINES, pixels, placed

#: Cells of a side, in each of which a dot may stand.
CELLS = 4


class HowMany(ImageSkill):
    """How many dots are there? Each has a brightness of its own, so that the sum does not tell."""

    name, axis = "how many", "number"
    asks = "How many dots are there, one to six?"
    most = classes = 6
    source = "after Trick & Pylyshyn 1994, doi:10.1037/0033-295X.101.1.80"

    def draw(self, rng: np.random.Generator, count: int) -> Images:
        """Images as in training."""
        labels = rng.integers(self.most, size=count)
        # the cells of a row in random order: so many of the first ones have a dot
        ranks = rng.random((count, CELLS**2)).argsort(1).argsort(1)
        bright = np.where(ranks <= labels[:, None], rng.uniform(0.4, 1.0, size=ranks.shape), 0.0).astype(np.float32)
        down, right = rng.integers(2, size=(2, count, CELLS**2))
        side, images = SIZE // CELLS, np.zeros((count, SIZE, SIZE), dtype=np.float32)
        cell = np.arange(CELLS**2)
        for dy in range(2):
            for dx in range(2):
                rows, columns = cell // CELLS * side + down + dy, cell % CELLS * side + right + dx
                images[np.arange(count)[:, None], rows, columns] = bright
        return Images(noisy(rng, images), labels)


class Sameness(ImageSkill):
    """Are the shapes on the left and on the right the same?"""

    name, axis = "same or different", "sameness"
    asks = "Are two shapes the same, wherever they stand?"
    classes = 2
    source = "after Fleuret et al. 2011, doi:10.1073/pnas.1109168108, and Kim et al. 2018, arXiv:1802.03390"

    def draw(self, rng: np.random.Generator, count: int) -> Images:
        """Images as in training."""
        outlines = pixels(OUTLINES)
        kinds, side, half = len(outlines), outlines.shape[1], SIZE // 2
        labels = rng.integers(2, size=count)
        first = rng.integers(kinds, size=count)
        second = np.where(labels == 1, first, (first + rng.integers(1, kinds, size=count)) % kinds)
        drawn = [
            placed(
                outlines,
                which,
                rng.integers(SIZE - side + 1, size=count),
                start + rng.integers(half - side + 1, size=count),
            )
            for which, start in ((first, 0), (second, half))
        ]
        return Images(noisy(rng, drawn[0] + drawn[1]), labels)
