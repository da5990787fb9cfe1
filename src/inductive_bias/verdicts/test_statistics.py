"""What a sample says of any threshold: a p-value, the interval that inverts it, and its power.

Two kinds: :class:`Student` for means and their differences, :class:`BrownForsythe` for the ratio of two spreads.

Student's interval trusts the spread that the sample shows. Runs that find a rule or do not find it break that trust:
four runs of 1.000 have no spread, and a fifth may still fail. Where the worst and the best value of a run are known,
:class:`Extremes` keeps the interval as wide as unseen runs of that kind allow; where they are not known, runs that are
all equal tell nothing.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import stdtr, stdtrit

#: Two-sided level of every interval (95 %) and of every verdict.
ALPHA = 0.05
#: The probability with which an effect must be seen to be called visible, or a number of seeds enough.
POWER = 0.8
#: A number of seeds beyond this is called infinite: nobody will train so many.
MOST_SEEDS = 100_000
#: A multiple of the items (patients, weeks, languages) beyond this is called infinite.
MOST_TIMES = 1_000
#: Fewer runs of one of two cells tell nothing of the ratio of their spreads.
FEWEST_OF_A_SPREAD = 5


#: What there may be more of: runs (seeds), or the items that a contrast takes as random (patients, languages, weeks).
More = Literal["runs", "items"]
#: Runs whose standard error is below so much of their size are equal: what is left of it is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Part:
    """A share of the variance of an estimate, its degrees of freedom, and what makes it smaller: more runs or items."""

    variance: float
    freedom: float
    shrinks_with: More = "runs"


@dataclass(frozen=True)
class Extremes:
    """What runs may be worth that this sample did not show: the worst and the best value of a single run.

    If the true mean lay at a threshold θ below all that was seen, a share of the runs would have to be worth less. In
    the most favourable case for θ a run is worth ``worst`` or ``highest``, the best value seen, and n runs without one
    of the bad ones have the chance ((θ − worst) / (highest − worst))ⁿ. For runs that are 0 or 1 this is the exact bound
    of Clopper and Pearson (1934).

    Attributes:
        worst: value of a run that goes wrong altogether, such as the score of a guess.
        best: value of a run that goes right altogether.
        lowest: the smallest value in the sample.
        highest: the largest value in the sample.
        bounding: whether nothing lies beyond the two (a share), or they are only the usual ends (a gain, which may turn
            out below 0).
    """

    worst: float
    best: float
    lowest: float
    highest: float
    bounding: bool = True

    def p_above(self, threshold: float, n: int) -> float:
        """The largest chance of a sample without a bad run if the true mean lies at the threshold."""
        return _chance_of_none(threshold - self.worst, self.highest - self.worst, n)

    def p_below(self, threshold: float, n: int) -> float:
        """The mirror image of :meth:`p_above`."""
        return _chance_of_none(self.best - threshold, self.best - self.lowest, n)

    def interval(self, level: float, n: int) -> tuple[float, float]:
        """All means that ``n`` such runs allow."""
        share = ((1 - level) / 2) ** (1 / n)
        low = self.worst + (self.highest - self.worst) * share
        return low, self.best - (self.best - self.lowest) * share


def _chance_of_none(distance: float, whole: float, n: int) -> float:
    if whole <= 0 or distance >= whole:
        return 1.0
    return max(distance / whole, 0.0) ** n


@dataclass(frozen=True)
class Student:
    """A mean of ``n`` seeds; the variance of the estimate is the sum of its parts (Welch–Satterthwaite).

    Where runs and items are both random, the degrees of freedom are never more than those of the larger part: with
    three seeds and nine items Satterthwaite's formula alone decides 7 % of true nulls (simulated) instead of 5 %.
    """

    estimate: float
    n: int
    parts: tuple[Part, ...]
    extremes: Extremes | None = None

    @property
    def silent(self) -> bool:
        """Whether nothing is known of a spread: one seed, or all runs of a cell equal without known extremes."""
        return self._untold or (self._alike and self.extremes is None)

    @property
    def _untold(self) -> bool:
        return any(math.isinf(part.variance) for part in self.parts)

    @property
    def _alike(self) -> bool:
        """Whether runs of one of the cells are all equal: the other cell's scatter says nothing of theirs.

        Where items scatter as well, runs alone may well add nothing to that.
        """
        least = (ROUNDING * max(abs(self.estimate), 1.0)) ** 2
        if all(part.shrinks_with == "runs" for part in self.parts):
            return any(part.variance <= least for part in self.parts)
        return sum(part.variance for part in self.parts) <= least

    def has(self, what: More) -> bool:
        """Whether more of these would make the interval narrower."""
        return any(part.shrinks_with == what for part in self.parts)

    def _at(self, times: float = 1.0, what: More = "runs") -> tuple[float, float]:
        """Standard error and degrees of freedom, with so many times the runs (or items) of the same spread."""
        if self.silent:
            return math.inf, 1.0
        parts = [
            Part(part.variance / times, (part.freedom + 1) * times - 1) if part.shrinks_with == what else part
            for part in self.parts
        ]
        variance = sum(part.variance for part in parts)
        largest = max(parts, key=lambda part: part.variance)
        squares = sum(part.variance**2 / part.freedom for part in parts if part.variance > 0)
        freedom = variance**2 / squares if squares > 0 else largest.freedom
        if len({part.shrinks_with for part in parts}) > 1:
            freedom = min(freedom, largest.freedom)
        return math.sqrt(variance), freedom

    def p_above(self, threshold: float) -> float:
        """One-sided p of *the truth exceeds the threshold*."""
        return self._p(threshold, 1)

    def p_below(self, threshold: float) -> float:
        """One-sided p of *the truth falls below the threshold*."""
        return self._p(threshold, -1)

    def _p(self, threshold: float, sign: int) -> float:
        error, freedom = self._at()
        found = p_above(_studentised(sign * (self.estimate - threshold), error), freedom)
        if self.extremes is None:
            return found
        unseen = self.extremes.p_above if sign > 0 else self.extremes.p_below
        return max(found, unseen(threshold, self.n))

    def power_above(self, threshold: float, times: float, what: More, alpha: float) -> float:
        """Chance that a one-sided test at ``alpha`` shows that the truth exceeds it, with so many times the data."""
        return self._power(threshold, times, what, alpha, 1)

    def power_below(self, threshold: float, times: float, what: More, alpha: float) -> float:
        """The mirror image of :meth:`power_above`."""
        return self._power(threshold, times, what, alpha, -1)

    def _power(self, threshold: float, times: float, what: More, alpha: float, sign: int) -> float:
        if self.extremes is not None:
            runs = round(self.n * times) if what == "runs" else self.n
            unseen = self.extremes.p_above if sign > 0 else self.extremes.p_below
            if unseen(threshold, runs) >= alpha:
                return 0.0
        error, freedom = self._at(times, what)
        return power(_studentised(sign * (self.estimate - threshold), error), freedom, alpha)

    def interval(self, level: float) -> tuple[float, float]:
        """All thresholds from which the estimate does not differ; never beyond what bounds a run."""
        error, freedom = self._at()
        half = error * float(stdtrit(freedom, (1 + level) / 2)) if math.isfinite(error) else math.inf
        low, high = self.estimate - half, self.estimate + half
        if self.extremes is None:
            return low, high
        least, most = self.extremes.interval(level, self.n)
        low, high = min(low, least), max(high, most)
        if self.extremes.bounding:
            low, high = max(low, self.extremes.worst), min(high, self.extremes.best)
        return low, high

    def visible(self) -> float:
        """The smallest true effect that would be seen with power :data:`POWER`."""
        error, freedom = self._at()
        return error * detectable(freedom) if 0 < error < math.inf else error


@dataclass(frozen=True, eq=False)
class BrownForsythe:
    """log₂ of the ratio of two spreads, from the absolute deviations of two samples from their medians.

    The statistic is the root of Brown and Forsythe's (`scipy.stats.levene` with ``center="median"``), with the first
    sample divided by the ratio in question; the interval holds the ratios that the test does not reject, so it agrees
    with the test and needs no normality. It may be infinite at either end. An even sample has a degree of freedom less
    than in scipy. Fewer than :data:`FEWEST_OF_A_SPREAD` values in a sample say nothing of spread: with four, 7 to 8 %
    of true nulls are decided for uniform and skewed values (simulated) where 5 % are promised, with three never one.
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
        return self.n < FEWEST_OF_A_SPREAD or not math.isfinite(self.estimate)

    def has(self, what: More) -> bool:
        """Whether more of these would make the interval narrower: runs."""
        return what == "runs"

    def _errors(self) -> tuple[float, float, float]:
        """Shares of the two samples in the pooled variance of the difference of their means; degrees of freedom."""
        sizes = len(self.first), len(self.second)
        unit = sum(1 / size for size in sizes) / (sum(sizes) - 2)
        first, second = (unit * float(((x - x.mean()) ** 2).sum()) for x in (self.first, self.second))
        # the two values next to an even sample's median lie equally far from it: one deviation less
        return first, second, float(sum(size - 2 + size % 2 for size in sizes))

    def p_above(self, threshold: float) -> float:
        """One-sided p of *the log₂ ratio exceeds the threshold*."""
        return p_above(*self._statistic(threshold))

    def p_below(self, threshold: float) -> float:
        """One-sided p of *the log₂ ratio falls below the threshold*."""
        statistic, freedom = self._statistic(threshold)
        return p_above(-statistic, freedom)

    def power_above(self, threshold: float, times: float, what: More, alpha: float) -> float:
        """Chance that a one-sided test at ``alpha`` shows that the ratio exceeds it, with so many times the runs."""
        return power(*self._statistic(threshold, times if what == "runs" else 1.0), alpha)

    def power_below(self, threshold: float, times: float, what: More, alpha: float) -> float:
        """The mirror image of :meth:`power_above`."""
        statistic, freedom = self._statistic(threshold, times if what == "runs" else 1.0)
        return power(-statistic, freedom, alpha)

    def _statistic(self, threshold: float, times: float = 1.0) -> tuple[float, float]:
        """The signed root of Brown and Forsythe's F at this ratio, and its degrees of freedom."""
        if self.silent:
            return 0.0, 1.0
        ratio, (first, second, freedom) = 2.0**threshold, self._errors()
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


def times_until(enough: Callable[[int], bool]) -> float:
    """The smallest whole multiple of the items, from 2 on, at which ``enough`` is true; infinite if none is."""
    if not enough(MOST_TIMES):
        return math.inf
    return float(2 + bisect_left(range(2, MOST_TIMES), True, key=enough))


def _studentised(distance: float, error: float) -> float:
    if math.isinf(error) or distance == 0:
        return 0.0
    return distance / error if error > 0 else math.copysign(math.inf, distance)
