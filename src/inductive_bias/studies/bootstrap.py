"""Scores of the runs of a cell, and of drawings anew of what they were scored on: patients, proteins, functions."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.verdicts import Contrast, partners, resampled, single

#: Drawings of a bootstrap.
DRAWN = 500


@dataclass(frozen=True, eq=False)
class Score:
    """A score of every run of a cell.

    Attributes:
        values: by number of the run.
        drawn: the same on every drawing of the items, ``[draws, runs]``.
        items: how many there are.
        unit: of the score.
        failed: runs that diverged, in words.
        item: what an item is, in words: "patients".
    """

    values: pd.Series
    drawn: Float64[np.ndarray, "draws runs"]
    items: int
    unit: str
    failed: tuple[str, ...] = ()
    item: str = "items"

    def less(self, other: "Score") -> "Score":
        """What this one has more than another, drawing by drawing, of the numbers that both have.

        Raises:
            ValueError: if they have no number in common.
        """
        own, theirs = partners(self.values, other.values)
        if own.empty:
            raise ValueError(f"runs {list(self.values.index)} and {list(other.values.index)} cannot be paired")
        drawn, other_drawn = (each.drawn[:, each.values.index.get_indexer(own.index)] for each in (self, other))
        few, failed = min(self, other, key=lambda each: each.items), (*self.failed, *other.failed)
        return Score(own - theirs, drawn - other_drawn, few.items, self.unit, failed, few.item)

    def contrast(self, name: str) -> Contrast:
        """Contrast that rules judge: runs and items both at random; of one item, runs alone."""
        if self.items == 1:
            return replace(single(self.values, name=name, unit=self.unit), failed=self.failed)
        found = resampled(self.values, self.drawn, items=self.items, name=name, unit=self.unit, item=self.item)
        return replace(found, failed=self.failed)


@lru_cache(maxsize=16)
def drawings(items: int, of: str) -> Float64[Tensor, "draws items"]:
    """How often each item is drawn in each drawing of as many as there are; the same whenever it is asked for.

    ``of`` names what is drawn from: two sets of items are drawn independently of each other.
    """
    rng = np.random.default_rng([len(of), *of.encode()])
    return torch.from_numpy(rng.multinomial(items, np.full(items, 1 / items), DRAWN)).double()
