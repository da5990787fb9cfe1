"""Intervals over seeds. The unit is always one training run; every function is deterministic."""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, SupportsFloat

import numpy as np
from jaxtyping import Float
from scipy.special import stdtrit


class Interval(NamedTuple):
    """An estimate with its interval, in the unit of the values; ``n`` counts the runs behind it.

    Too few runs for an interval give infinite ends: nothing can be excluded.
    """

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Iterable[SupportsFloat], *, level: float = 0.95) -> Interval:
    """Student's t interval of the mean over seeds. One value gives infinite ends.

    Raises:
        ValueError: if there is no value, one is not finite, or ``level`` is outside (0, 1).
    """
    values = finite_values("values", values)
    n = len(values)
    return _t_interval(values.mean(), values.var(ddof=1) / n if n > 1 else math.inf, float(n - 1), n, level)


def difference_interval(a: Iterable[SupportsFloat], b: Iterable[SupportsFloat], *, level: float = 0.95) -> Interval:
    """Welch's t interval of mean(a) − mean(b) for independent runs of unequal variance; ``n`` counts both samples.

    Raises:
        ValueError: if a sample is empty, a value is not finite, or ``level`` is outside (0, 1).
    """
    a, b = finite_values("a", a), finite_values("b", b)
    n, difference = len(a) + len(b), a.mean() - b.mean()
    if min(len(a), len(b)) < 2:
        return _t_interval(difference, math.inf, 0.0, n, level)
    parts = [x.var(ddof=1) / len(x) for x in (a, b)]
    variance = sum(parts)
    # Welch–Satterthwaite; without any variance the interval is a point whatever the degrees of freedom
    spread = sum(part**2 / (len(x) - 1) for part, x in zip(parts, (a, b), strict=True))
    return _t_interval(difference, variance, variance**2 / spread if spread > 0 else float(n - 2), n, level)


def paired_difference_interval(
    a: Iterable[SupportsFloat], b: Iterable[SupportsFloat], *, level: float = 0.95
) -> Interval:
    """Student's t interval of mean(a − b) for runs that belong together in pairs; ``n`` counts the pairs.

    Raises:
        ValueError: if the lengths differ, there is no pair, a value is not finite, or ``level`` is outside (0, 1).
    """
    a, b = finite_values("a", a), finite_values("b", b)
    if len(a) != len(b):
        raise ValueError(f"paired values must have equal numbers, not {len(a)} and {len(b)}")
    return mean_interval(a - b, level=level)


def bootstrap_interval(
    values: Iterable[SupportsFloat],
    statistic: Callable[[Float[np.ndarray, " n"]], SupportsFloat] = np.mean,
    *,
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap interval of a statistic of one sample; ``mean`` is the statistic of the values themselves.

    Too narrow for a handful of seeds (a resample of 4 repeats its values): prefer `mean_interval` for means there.
    One value gives infinite ends.

    Raises:
        ValueError: if there is no value, one is not finite, ``samples`` < 1 or ``level`` is outside (0, 1).
    """
    values = finite_values("values", values)
    _check_level(level)
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    estimate, n = float(statistic(values)), len(values)
    if n == 1:
        return Interval(estimate, -math.inf, math.inf, n)
    drawn = np.random.default_rng(seed).integers(n, size=(samples, n))
    resampled = np.array([float(statistic(row)) for row in values[drawn]])
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, float(low), float(high), n)


def _t_interval(mean: float, variance: float, freedom: float, n: int, level: float) -> Interval:
    _check_level(level)
    half = math.sqrt(variance) * float(stdtrit(freedom, (1 + level) / 2)) if math.isfinite(variance) else math.inf
    return Interval(float(mean), float(mean) - half, float(mean) + half, n)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie in (0, 1), not {level}")


def finite_values(name: str, values: Iterable[SupportsFloat]) -> Float[np.ndarray, " n"]:
    """The values as a float64 array, refused if there is none or one is not finite."""
    array = np.array([float(value) for value in values], dtype=np.float64)
    if len(array) == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold at least one value and only finite ones, not {array.tolist()}")
    return array
