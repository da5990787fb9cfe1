"""A contrast: how much one thing exceeds another over seeds, and what that says of any threshold."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import SupportsFloat

import pandas as pd

from inductive_bias.names import number
from inductive_bias.verdicts.pivots import ALPHA, POWER, BrownForsythe, Student, p_above, power, seeds_until


@dataclass(frozen=True, eq=False)
class Contrast:
    """An effect in ``unit`` with its 95 % interval; made by the constructors (`paired`, `unpaired`, `single` …).

    Attributes:
        name: in words, such as "RSA − Attention".
        unit: of the estimate, such as "accuracy".
        n: replicates: seeds of a cell or pairs; the smaller number if two cells differ.
        values: one number per seed or pair, indexed by seed, where that exists.
        failed: names of the diverged runs that were counted as failures (intention to treat).
        items: number of items, if they were taken as random too.
        pivot: what the sample says of a threshold; in its own unit, ``(value − offset) / factor``.
    """

    name: str
    unit: str
    n: int
    pivot: Student | BrownForsythe
    values: pd.Series | None = None
    failed: tuple[str, ...] = ()
    items: int | None = None
    factor: float = 1.0
    offset: float = 0.0

    @property
    def estimate(self) -> float:
        """The effect found."""
        return self.factor * self.pivot.estimate + self.offset

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval; infinite with too few seeds."""
        return self.interval()[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval; infinite with too few seeds."""
        return self.interval()[1]

    @cached_property
    def visible(self) -> float:
        """The smallest true effect that so many seeds of this spread see with power .8 (two-sided, 5 %)."""
        return abs(self.factor) * self.pivot.visible()

    def interval(self, level: float = 1 - ALPHA) -> tuple[float, float]:
        """The two-sided interval at another level."""
        low, high = sorted(self.factor * end + self.offset for end in self.pivot.interval(level))
        return low, high

    def p_above(self, threshold: SupportsFloat) -> float:
        """One-sided p of *the truth exceeds the threshold*: small if it surely does."""
        return p_above(*self._statistic(threshold))

    def p_below(self, threshold: SupportsFloat) -> float:
        """One-sided p of *the truth falls below the threshold*."""
        return self.reversed().p_above(-float(threshold))

    def seeds_above(self, threshold: SupportsFloat, alpha: float = ALPHA / 2) -> float:
        """Seeds with which a one-sided test would show, with power .8, that the truth exceeds the threshold.

        The estimate and the spread found are taken as true. Infinite if the estimate is not above the threshold, or if
        what is uncertain is not the seeds (few items); NaN if nothing is known of the spread.
        """
        if self.pivot.silent:
            return float("nan")
        if not self.estimate > float(threshold):
            return float("inf")
        return seeds_until(lambda n: power(*self._statistic(threshold, n), alpha) >= POWER, self.n + 1)

    def seeds_below(self, threshold: SupportsFloat, alpha: float = ALPHA / 2) -> float:
        """The mirror image of :meth:`seeds_above`."""
        return self.reversed().seeds_above(-float(threshold), alpha)

    def scaled(self, factor: SupportsFloat, unit: str | None = None, name: str | None = None) -> "Contrast":
        """Every number times ``factor``: another unit, or a known share (of an estimated whole see `difference_of`)."""
        factor = float(factor)
        if factor == 0:
            raise ValueError("factor must not be 0")
        return self._moved(factor, 0.0, unit, name)

    def minus(self, threshold: SupportsFloat, name: str | None = None) -> "Contrast":
        """The distance from a fixed number."""
        return self._moved(1.0, -float(threshold), None, name)

    def reversed(self, name: str | None = None) -> "Contrast":
        """The other sign, where lower is better."""
        return self._moved(-1.0, 0.0, None, name or f"−({self.name})")

    def __str__(self) -> str:
        """``+0.137 [+0.110, +0.164]``, with true minus signs and without a place for a line to break."""
        estimate, low, high = (_signed(value) for value in (self.estimate, self.low, self.high))
        return f"{estimate}\u00a0[{low},\u00a0{high}]"

    def _moved(self, factor: float, offset: float, unit: str | None, name: str | None) -> "Contrast":
        return replace(
            self,
            name=name or self.name,
            unit=unit or self.unit,
            values=None if self.values is None else self.values * factor + offset,
            factor=self.factor * factor,
            offset=self.offset * factor + offset,
        )

    def _statistic(self, threshold: SupportsFloat, n: int | None = None) -> tuple[float, float]:
        statistic, freedom = self.pivot.statistic((float(threshold) - self.offset) / self.factor, n)
        return (statistic if self.factor > 0 else -statistic), freedom


def _signed(value: float) -> str:
    """Three places, or three figures where those would show zero."""
    form = "+.3f" if value == 0 or abs(value) >= 0.01 else "+.2g"
    return number(value, form).replace("inf", "∞")
