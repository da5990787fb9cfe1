"""The verdicts, and a judgement: one verdict with what decides it."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from inductive_bias.verdicts.asked import Asked
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
    """The evidence for one side: a p-value that decides below :data:`ALPHA`, and the seeds that would at a level.

    ``deciding`` is the contrast on which it rests, ``rule`` what is asked of it, in words. ``asked`` is what is asked
    of every contrast in numbers, where these are known: first the one that decides among those with a paper's effect,
    or among all if none has one.
    """

    p: float
    seeds: Callable[[float], float]
    deciding: Contrast
    rule: str
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, eq=False)
class Judgement:
    """A verdict with what decides it; made by the rules.

    Attributes:
        holds: the evidence that the sentence is true.
        fails: the evidence that it is reversed, or smaller than what is worth the name.
        parts: the judgements that this one combines.
        untestable: the precondition that failed, if one did.
    """

    holds: Side | None
    fails: Side | None
    parts: tuple["Judgement", ...] = ()
    untestable: str = ""

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
        return math.nan if side is None else min(each.p for each in self._sides)

    @property
    def deciding(self) -> Contrast | None:
        """The contrast that decides, or that leaves it open; none if not testable."""
        return None if self._side is None else self._side.deciding

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What is asked of its contrasts in numbers, see :class:`Side`; empty if not testable, or without numbers."""
        return () if self._side is None else self._side.asked

    @cached_property
    def seeds(self) -> float:
        """Seeds that would decide an undecided claim with power .8, were the estimates true; infinite if none would.

        NaN if it is decided or not testable, or if one seed tells no spread.
        """
        if self.verdict != "undecided":
            return math.nan
        return fewest(side.seeds(ALPHA) for side in self._sides)

    @property
    def reason(self) -> str:
        """The verdict explained in words."""
        side = self._side
        if side is None:
            return f"not testable here: {self.untestable}"
        contrast, verdict = side.deciding, self.verdict
        words = f"{contrast.name} {contrast} {contrast.unit}, asked: {side.rule}: {verdict}"
        if verdict == "undecided":
            words += f" ({self._open})"
        if contrast.failed:
            words += f"; diverged, counted as failures: {', '.join(contrast.failed)}"
        return words

    @property
    def _open(self) -> str:
        if math.isnan(self.seeds):
            return "too few seeds to know their spread, or a cell has none"
        if math.isinf(self.seeds):
            return "no number of seeds would decide, were the estimate true"
        return f"about {self.seeds:.0f} seeds would decide"

    @property
    def _sides(self) -> list[Side]:
        return [side for side in (self.holds, self.fails) if side is not None]

    @property
    def _side(self) -> Side | None:
        verdict = self.verdict
        if verdict == "not testable here":
            return None
        # an open sentence is shown by what it still lacks
        if verdict == "undecided" and self.holds is not None:
            return self.holds
        return min(self._sides, key=lambda side: side.p)


def fewest(seeds: Iterable[float]) -> float:
    """The smallest number that is known; NaN if none is."""
    return min((each for each in seeds if not math.isnan(each)), default=math.nan)


def most(seeds: Iterable[float]) -> float:
    """The largest number, NaN if one is unknown."""
    found = list(seeds)
    return math.nan if any(map(math.isnan, found)) else max(found)
