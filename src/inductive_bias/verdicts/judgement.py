"""The verdicts, and a judgement: one verdict with what decides it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.pivots import ALPHA

Verdict = Literal["reproduced", "not reproduced", "undecided", "not testable here"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "undecided", "not testable here")

#: The same verdicts for a question that no paper asks.
OWN_WORDS: Mapping[Verdict, str] = MappingProxyType(
    {
        "reproduced": "confirmed",
        "not reproduced": "refuted",
        "undecided": "undecided",
        "not testable here": "not testable here",
    }
)


@dataclass(frozen=True, eq=False)
class Side:
    """The evidence for one side: a p-value that decides below :data:`ALPHA`, and the seeds that would at a level."""

    p: float
    seeds: Callable[[float], float]
    deciding: Contrast | None


@dataclass(frozen=True, eq=False)
class Judgement:
    """A verdict with what decides it; made by the rules.

    Attributes:
        holds: the evidence that the sentence is true.
        fails: the evidence that it is reversed, or smaller than what is worth the name.
        rule: the rule in words.
        parts: the judgements that this one combines.
        untestable: the precondition that failed, if one did.
    """

    holds: Side | None
    fails: Side | None
    rule: str
    parts: tuple["Judgement", ...] = ()
    untestable: str = field(default="")

    @property
    def verdict(self) -> Verdict:
        """One of :data:`VERDICTS`."""
        if self.holds is not None and self.holds.p < ALPHA:
            return "reproduced"
        if self.fails is not None and self.fails.p < ALPHA:
            return "not reproduced"
        return "not testable here" if self.untestable else "undecided"

    @property
    def p(self) -> float:
        """Of the verdict reached; of the nearer one if undecided, NaN if not testable."""
        side = self._side
        return math.nan if side is None else side.p

    @property
    def deciding(self) -> Contrast | None:
        """The contrast that decides, or that leaves it open; none if not testable."""
        side = self._side
        if side is None:
            return None
        # what leaves a sentence open is the part that it still lacks
        return self.holds.deciding if self.verdict == "undecided" and self.holds is not None else side.deciding

    @cached_property
    def seeds(self) -> float:
        """Seeds that would decide an undecided claim with power .8, were the estimates true; infinite if none would.

        NaN if it is decided or not testable, or if one seed tells no spread.
        """
        if self.verdict != "undecided":
            return math.nan
        return min(side.seeds(ALPHA) for side in (self.holds, self.fails) if side is not None)

    @property
    def reason(self) -> str:
        """The verdict explained in words."""
        if self.verdict == "not testable here":
            return f"not testable here: {self.untestable}"
        contrast = self.deciding
        effect = f"{contrast.name} {contrast} {contrast.unit}; " if contrast is not None else ""
        words = f"{effect}{self.rule}: {self.verdict}"
        if self.verdict == "undecided":
            words += f" ({self._open})"
        if contrast is not None and contrast.failed:
            words += f"; diverged, counted as failures: {', '.join(contrast.failed)}"
        return words

    @property
    def _open(self) -> str:
        if math.isnan(self.seeds):
            return "too few seeds to know their spread"
        if math.isinf(self.seeds):
            return "no number of seeds would decide, were the estimate true"
        return f"about {self.seeds:.0f} seeds would decide"

    @property
    def _side(self) -> Side | None:
        if self.verdict == "not testable here":
            return None
        sides = [side for side in (self.holds, self.fails) if side is not None]
        return min(sides, key=lambda side: side.p)
