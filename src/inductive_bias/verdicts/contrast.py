"""A contrast: how much one thing exceeds another over seeds, and what that says of any threshold."""

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import SupportsFloat

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.verdicts.numbers import finite
from inductive_bias.verdicts.test_statistics import ALPHA, POWER, BrownForsythe, More, Student, seeds_until, times_until


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
        item: what an item is, in words: "patients", "weeks".
        compared: names of the cells whose difference this is, where they are known.
        pivot: what the sample says of a threshold; in its own unit, ``(value − offset) / factor``.
    """

    name: str
    unit: str
    n: int
    pivot: Student | BrownForsythe
    values: pd.Series | None = None
    failed: tuple[str, ...] = ()
    items: int | None = None
    item: str = "items"
    compared: tuple[str, ...] = ()
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
        place = self._place(threshold)
        return self.pivot.p_above(place) if self.factor > 0 else self.pivot.p_below(place)

    def p_below(self, threshold: SupportsFloat) -> float:
        """One-sided p of *the truth falls below the threshold*."""
        return self.reversed().p_above(-float(threshold))

    def needed_above(self, threshold: SupportsFloat, alpha: float = ALPHA / 2, what: More = "runs") -> float:
        """Runs, or times as many items, with which a one-sided test would show with power .8 that the truth exceeds it.

        The estimate and the spread found are taken as true. Infinite if the estimate is not above the threshold, or if
        no number would do (of runs, where items are few; of items, where none was taken as random); NaN if nothing is
        known of the spread.
        """
        if self.pivot.silent:
            return float("nan")
        if not (self.estimate > float(threshold) and self.pivot.has(what)):
            return float("inf")
        place = self._place(threshold)
        chance = self.pivot.power_above if self.factor > 0 else self.pivot.power_below
        if what == "items":
            return times_until(lambda times: chance(place, float(times), what, alpha) >= POWER)
        return seeds_until(lambda n: chance(place, n / self.n, what, alpha) >= POWER, self.n + 1)

    def needed_below(self, threshold: SupportsFloat, alpha: float = ALPHA / 2, what: More = "runs") -> float:
        """The mirror image of :meth:`needed_above`."""
        return self.reversed().needed_above(-float(threshold), alpha, what)

    def scaled(self, factor: SupportsFloat, unit: str | None = None, name: str | None = None) -> "Contrast":
        """Every number times ``factor``: another unit, or a known share (of an estimated whole see `difference_of`).

        Raises:
            ValueError: if ``factor`` is 0 or not finite.
        """
        factor = finite(factor, "factor")
        if factor == 0:
            raise ValueError("factor must not be 0")
        return self._moved(factor, 0.0, unit, name)

    def minus(self, threshold: SupportsFloat, name: str | None = None) -> "Contrast":
        """The distance from a fixed number."""
        return self._moved(1.0, -finite(threshold, "threshold"), None, name)

    def reversed(self, name: str | None = None) -> "Contrast":
        """Contrast of the opposite sign, for a number of which lower is better."""
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

    def _place(self, threshold: SupportsFloat) -> float:
        """The threshold in the pivot's own unit."""
        return (finite(threshold, "threshold") - self.offset) / self.factor


_RAISED = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _signed(value: float) -> str:
    """Three places, or two figures where these would show little: ``−0.000048``; below a millionth ``+9.6·10⁻⁹``."""
    if value == 0 or not abs(value) < 0.01:
        return number(value, "+.3f").replace("inf", "∞")
    if abs(value) >= 1e-6:
        return number(Decimal(f"{value:.2g}"), "+f")
    mantissa, power = f"{value:+.1e}".split("e")
    return f"{number(float(mantissa), '+.1f')}·10{str(int(power)).translate(_RAISED)}"
