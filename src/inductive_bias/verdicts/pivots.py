"""What a sample says of any threshold: a studentised distance, the interval that inverts it, and its power.

Two kinds: :class:`Student` for means and their differences, :class:`BrownForsythe` for the ratio of two spreads.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import stdtr, stdtrit

#: Two-sided level of every interval (95 %) and of every verdict.
ALPHA = 0.05
#: The probability with which an effect must be seen to be called visible, or a number of seeds enough.
POWER = 0.8
#: A number of seeds beyond this is called infinite: nobody will train so many.
MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Part:
    """A share of the variance of an estimate, its degrees of freedom, and whether more seeds make it smaller."""

    variance: float
    freedom: float
    shrinks: bool = True


@dataclass(frozen=True)
class Student:
    """A mean of ``n`` seeds; the variance of the estimate is the sum of its parts (Welch–Satterthwaite)."""

    estimate: float
    n: int
    parts: tuple[Part, ...]

    @property
    def silent(self) -> bool:
        """Whether there is but one seed (or item), which tells no spread."""
        return any(math.isinf(part.variance) for part in self.parts)

    def _at(self, n: int) -> tuple[float, float]:
        """Standard error and degrees of freedom, if there were ``n`` seeds of the same spread."""
        times = n / self.n
        parts = [
            Part(part.variance / times, (part.freedom + 1) * times - 1) if part.shrinks else part for part in self.parts
        ]
        if self.silent:
            return math.inf, 1.0
        variance = sum(part.variance for part in parts)
        squares = sum(part.variance**2 / part.freedom for part in parts if part.variance > 0)
        freedom = variance**2 / squares if squares > 0 else sum(part.freedom for part in parts)
        return math.sqrt(variance), freedom

    def statistic(self, threshold: float, n: int | None = None) -> tuple[float, float]:
        """Student's t of the estimate against a threshold, and its degrees of freedom."""
        error, freedom = self._at(n or self.n)
        return _studentised(self.estimate - threshold, error), freedom

    def interval(self, level: float) -> tuple[float, float]:
        """All thresholds from which the estimate does not differ."""
        error, freedom = self._at(self.n)
        half = error * float(stdtrit(freedom, (1 + level) / 2)) if math.isfinite(error) else math.inf
        return self.estimate - half, self.estimate + half

    def visible(self) -> float:
        """The smallest true effect that would be seen with power :data:`POWER`."""
        error, freedom = self._at(self.n)
        return error * detectable(freedom) if 0 < error < math.inf else error


@dataclass(frozen=True, eq=False)
class BrownForsythe:
    """log₂ of the ratio of two spreads, from the absolute deviations of two samples from their medians.

    The statistic is the root of Brown and Forsythe's (`scipy.stats.levene` with ``center="median"``), with the first
    sample divided by the ratio in question; the interval holds the ratios that the test does not reject, so it agrees
    with the test and needs no normality. It may be infinite at either end. An even sample has a degree of freedom less
    than in scipy, which makes the test right at four seeds (simulated: 5 % errors instead of 7). Fewer than three
    values in a sample, whose deviations from the median are all equal, say nothing of spread.
    """

    first: Float[np.ndarray, " a"]
    second: Float[np.ndarray, " b"]

    @property
    def n(self) -> int:
        """Seeds of the smaller sample."""
        return min(len(self.first), len(self.second))

    @property
    def estimate(self) -> float:
        """log₂ of the ratio of the mean deviations; NaN if neither sample has any, infinite if one has none."""
        a, b = self.first.mean(), self.second.mean()
        if a == 0 or b == 0:
            return math.nan if a == b else math.copysign(math.inf, a - b)
        return float(np.log2(a / b))

    @property
    def silent(self) -> bool:
        """Whether the samples are too few, or one has no spread, so that no ratio can be excluded."""
        return self.n < 3 or not math.isfinite(self.estimate)

    def _errors(self) -> tuple[float, float, float]:
        """Shares of the two samples in the pooled variance of the difference of their means; degrees of freedom."""
        sizes = len(self.first), len(self.second)
        unit = sum(1 / size for size in sizes) / (sum(sizes) - 2)
        first, second = (unit * float(((x - x.mean()) ** 2).sum()) for x in (self.first, self.second))
        # the two values next to an even sample's median lie equally far from it: one deviation less
        return first, second, float(sum(size - 2 + size % 2 for size in sizes))

    def statistic(self, threshold: float, n: int | None = None) -> tuple[float, float]:
        """The signed root of Brown and Forsythe's F at this ratio, and its degrees of freedom."""
        if self.silent:
            return 0.0, 1.0
        times, ratio, (first, second, freedom) = (n or self.n) / self.n, 2.0**threshold, self._errors()
        distance = float(self.first.mean()) / ratio - float(self.second.mean())
        error = math.sqrt((first / ratio**2 + second) / times)
        return _studentised(distance, error), times * (freedom + 2) - 2

    def interval(self, level: float) -> tuple[float, float]:
        """Fieller's solution: the ratios at which the statistic is not beyond its quantile."""
        if self.silent:
            return -math.inf, math.inf
        a, b, (first, second, freedom) = float(self.first.mean()), float(self.second.mean()), self._errors()
        quantile = float(stdtrit(freedom, (1 + level) / 2)) ** 2
        left, right = a * a - quantile * first, b * b - quantile * second
        root = math.sqrt(max((a * b) ** 2 - left * right, 0.0))
        low = math.log2(left / (a * b + root)) if left > 0 else -math.inf
        high = -math.log2(right / (a * b + root)) if right > 0 else math.inf
        return low, high

    def visible(self) -> float:
        """The smallest true log₂ ratio above 0 that would be seen with power :data:`POWER`."""
        if self.silent:
            return math.inf
        first, second, freedom = self._errors()
        needed = detectable(freedom) ** 2
        left, right = (1 - needed * e / float(x.mean()) ** 2 for e, x in ((first, self.first), (second, self.second)))
        return math.log2((1 + math.sqrt(max(1 - left * right, 0.0))) / left) if left > 0 else math.inf


def p_above(statistic: float, freedom: float) -> float:
    """One-sided p of a statistic that large if the truth lies at the threshold."""
    return float(stdtr(freedom, -statistic))


def detectable(freedom: float) -> float:
    """The true effect, in standard errors, that a two-sided test at :data:`ALPHA` sees with power :data:`POWER`."""
    from scipy.optimize import brentq
    from statsmodels.stats.power import TTestPower

    def lacking(effect: float) -> float:
        # of the two tails the far one is next to nothing here, and SciPy's is NaN from about 8 errors on
        return float(TTestPower().power(effect, 1, ALPHA / 2, df=freedom, alternative="larger")) - POWER

    upper = 1.0
    while lacking(upper) < 0:
        upper *= 2
    return float(brentq(lacking, 0.0, upper))


def power(statistic: float, freedom: float, alpha: float) -> float:
    """Probability that a one-sided test at ``alpha`` rejects if the truth lies ``statistic`` errors beyond it."""
    from statsmodels.stats.power import TTestPower

    if math.isinf(statistic):
        return float(statistic > 0)
    found = float(TTestPower().power(statistic, 1, alpha, df=freedom, alternative="larger"))
    # so far out (seen from 35 on) SciPy's noncentral t is no number any more: such a test surely rejects
    return float(statistic > 0) if math.isnan(found) else found


def seeds_until(enough: Callable[[int], bool], start: int) -> float:
    """The smallest number of seeds at or after ``start`` at which ``enough(n)`` is true; infinite if none is."""
    if not enough(MOST_SEEDS):
        return math.inf
    return float(start + bisect_left(range(start, MOST_SEEDS), True, key=enough))


def _studentised(distance: float, error: float) -> float:
    if math.isinf(error) or distance == 0:
        return 0.0
    return distance / error if error > 0 else math.copysign(math.inf, distance)
