"""What a rule asks of a contrast, and both in other units: 1 is what the paper reports, or else the rule's margin."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from inductive_bias.verdicts.contrast import Contrast

Region = tuple[float, float]
#: What counts as 1 in :meth:`Asked.relative`.
Unit = Literal["paper", "margin"]


@dataclass(frozen=True, eq=False)
class Asked:
    """A contrast, and where the truth must lie for the sentence to hold.

    Attributes:
        contrast: what is judged.
        regions: pairs of ends in the contrast's unit, from left to right; one of them must hold the truth.
        p: of the side of the judgement that it stands for.
        paper: the effect that the paper reports, where the rule takes its margin from it.
        compared: names of the two cells of the paper whose difference that effect is.
    """

    contrast: Contrast
    regions: tuple[Region, ...]
    p: float
    paper: float | None = None
    compared: tuple[str, ...] = ()

    @property
    def margin(self) -> float:
        """The end that is furthest from no effect: the smallest effect worth the name, or a bound."""
        return max(abs(end) for region in self.regions for end in region if math.isfinite(end))

    @property
    def unit(self) -> Unit:
        """Whether the paper's effect is known; without it the margin serves."""
        return "margin" if self.paper is None else "paper"

    def relative(self) -> "Asked":
        """Hypothesis in units of the paper's effect, or of the margin where the paper has no number."""
        one = self.margin if self.paper is None else self.paper
        words = "of the margin" if self.paper is None else "of the paper’s effect"
        regions = tuple((low / one, high / one) for low, high in self.regions)
        paper = None if self.paper is None else 1.0
        return replace(self, contrast=self.contrast.scaled(1 / one, words), regions=regions, paper=paper)

    def opposite(self) -> "Asked":
        """Hypothesis that asks the opposite of the contrast."""
        ends = [-math.inf, *(end for region in self.regions for end in region), math.inf]
        pairs = zip(ends[::2], ends[1::2], strict=True)
        return replace(self, regions=tuple((low, high) for low, high in pairs if low < high))
