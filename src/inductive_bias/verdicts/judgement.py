"""The verdicts, and a judgement: one verdict with what decides it."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

from inductive_bias.formatting import about, figures
from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.hypothesis import Asked
from inductive_bias.verdicts.test_statistics import ALPHA, More

Verdict = Literal["reproduced", "not reproduced", "undecided", "beyond these data", "not testable here"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "undecided", "beyond these data", "not testable here")
#: Verdicts that answer the question.
DECIDED: tuple[Verdict, ...] = ("reproduced", "not reproduced")

#: The same verdicts for a question that no paper asks.
OWN_WORDS: Mapping[Verdict, str] = MappingProxyType(
    {
        "reproduced": "confirmed",
        "not reproduced": "refuted",
        "undecided": "undecided",
        "beyond these data": "beyond these data",
        "not testable here": "not testable here",
    }
)


@dataclass(frozen=True, eq=False)
class Side:
    """The evidence for one side: a p-value that decides below :data:`ALPHA`, and what more data would decide.

    Attributes:
        p: of the side.
        needed: by level and kind: a number of ``runs``, or a multiple of the ``items`` that were taken as random.
            Infinite where no number would do, NaN where nothing is known of the spread.
        deciding: the contrast on which it rests.
        rule: what is asked of that contrast, in words.
        asked: what is asked of every contrast in numbers, where these are known: first the one that decides among those
            with a paper's effect, or among all if none has one.
        looks: numbers of runs at which the contrast was judged, the last one included, where there were several: each
            look may be wrong in an equal part of :data:`ALPHA` (see :func:`~inductive_bias.verdicts.after_looks`).
        unseen: of a rule about single runs of which none was of the kind that counts: ``none of 8 has``. The reason
            then says which share of such runs is excluded, at the level that the looks leave.
    """

    p: float
    needed: Callable[[float, More], float]
    deciding: Contrast
    rule: str
    asked: tuple[Asked, ...] = ()
    looks: tuple[int, ...] = ()
    unseen: str = ""

    @property
    def level(self) -> float:
        """Level at which each look decides."""
        return ALPHA / max(len(self.looks), 1)

    @property
    def with_next_look(self) -> float:
        """What :attr:`needed` is to be asked for one look more, which leaves less to each: a part of :data:`ALPHA`."""
        made = max(len(self.looks), 1)
        return ALPHA * made / (made + 1)

    @property
    def words(self) -> str:
        """Rule, with the share of runs that is excluded where none of that kind was seen."""
        if not self.unseen:
            return self.rule
        share = 1 - self.level ** (1 / self.deciding.n)
        return f"{self.rule} ({self.unseen}: surely in less than {100 * share:.0f} % of runs)"

    def __getstate__(self) -> dict[str, object]:
        """State to store: what more data would decide is asked now, by these looks and one more; functions stay out."""
        levels = (ALPHA, self.with_next_look)
        known = {(level, more): self.needed(level, more) for level in levels for more in get_args(More)}
        return self.__dict__ | {"needed": _Needed(known)}


@dataclass(frozen=True)
class _Needed:
    """What more data would decide a side that was stored: known at :data:`ALPHA`, and with one look more.

    Attributes:
        known: numbers by level and kind of data.
    """

    known: Mapping[tuple[float, More], float]

    def __call__(self, level: float, more: More) -> float:
        """Number at that level.

        Raises:
            ValueError: at any other level.
        """
        if (level, more) not in self.known:
            told = sorted({at for at, _ in self.known})
            raise ValueError(f"a stored judgement knows what would decide it at a level of {told} alone, not {level}")
        return self.known[level, more]


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

    @cached_property
    def verdict(self) -> Verdict:
        """One of :data:`VERDICTS`."""
        if self.holds is not None and self.holds.p < ALPHA:
            return "reproduced"
        if self.fails is not None and self.fails.p < ALPHA:
            return "not reproduced"
        if self.untestable:
            return "not testable here"
        return "beyond these data" if self._no_run_decides else "undecided"

    @property
    def _no_run_decides(self) -> bool:
        """Whether the items are what is few: patients, languages, weeks of prices."""
        if not any(side.deciding.items is not None for side in self._sides):
            return False
        if any(side.deciding.n < 2 for side in self._sides):  # of one run nobody knows how much runs differ
            return False
        needed = [side.needed(ALPHA, "runs") for side in self._sides]
        return all(math.isinf(each) or math.isnan(each) for each in needed)

    @property
    def open(self) -> bool:
        """Whether the claim could be tested and was not decided."""
        return self.verdict in ("undecided", "beyond these data")

    @property
    def p(self) -> float:
        """The p-value of the verdict reached; of the nearer one if undecided, NaN if not testable."""
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

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of runs at which the deciding contrast was judged, see :class:`Side`; empty if there was one look."""
        return () if self._side is None else self._side.looks

    @cached_property
    def seeds(self) -> float:
        """Seeds that would decide an open claim with power .8, were the estimates true; infinite if none would.

        NaN if it is decided or not testable, or if one seed tells no spread.
        """
        return fewest(side.needed(ALPHA, "runs") for side in self._sides) if self.open else math.nan

    @cached_property
    def seeds_after_a_look(self) -> float:
        """The number of :attr:`seeds` if the added runs are one look more, and pay for it: see :func:`after_looks`."""
        return fewest(side.needed(side.with_next_look, "runs") for side in self._sides) if self.open else math.nan

    @cached_property
    def items(self) -> float:
        """How many times the items would decide a claim beyond these data, with the runs as they are.

        NaN for any other claim, or if the items are so few that nothing is known of their spread; infinite if no number
        would do without more runs.
        """
        if self.verdict != "beyond these data":
            return math.nan
        return fewest(side.needed(ALPHA, "items") for side in self._sides)

    def __str__(self) -> str:
        return self.reason

    @property
    def reason(self) -> str:
        """The verdict explained in words."""
        side = self._side
        if side is None:
            return f"not testable here: {self.untestable}"
        contrast, verdict = side.deciding, self.verdict
        words = f"{contrast.name} {contrast} {contrast.unit}, asked: {side.words}: {verdict}"
        if self.open:
            words += f" ({self._lacking})"
        if len(self.looks) > 1:
            level = 100 * (1 - side.level)
            low, high = contrast.interval(level / 100)
            looked = ", ".join(f"{each:,}" for each in self.looks)
            words += f"; looked at with {looked} runs: {level:.1f} % interval from {figures(low)} to {figures(high)}"
        if contrast.failed:
            words += f"; diverged, counted as failures: {', '.join(contrast.failed)}"
        return words

    @property
    def _lacking(self) -> str:
        if self.verdict == "beyond these data":
            item = next(side.deciding.item for side in self._sides if side.deciding.items is not None)
            if math.isnan(self.items):
                return f"too few {item} to know how much they differ"
            if math.isinf(self.items):
                return f"neither more runs alone nor more {item} alone would decide, were the estimate true"
            return f"no number of runs would decide, {about(self.items)} times as many {item} would"
        if math.isnan(self.seeds):
            return "too few runs to know their spread, or all are equal"
        if math.isinf(self.seeds):
            return "no number of seeds would decide, were the estimate true"
        return f"{about(self.seeds)} seeds would decide"

    @property
    def _sides(self) -> list[Side]:
        return [side for side in (self.holds, self.fails) if side is not None]

    @property
    def _side(self) -> Side | None:
        verdict = self.verdict
        if verdict == "not testable here":
            return None
        # an open sentence is shown by what it still lacks
        if verdict in ("undecided", "beyond these data") and self.holds is not None:
            return self.holds
        return min(self._sides, key=lambda side: side.p)


def fewest(seeds: Iterable[float]) -> float:
    """The smallest number that is known; NaN if none is."""
    return min((each for each in seeds if not math.isnan(each)), default=math.nan)


def most(seeds: Iterable[float]) -> float:
    """The largest number, NaN if one is unknown."""
    found = list(seeds)
    return math.nan if any(map(math.isnan, found)) else max(found)
