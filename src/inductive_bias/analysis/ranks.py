"""Do two measures rank the same runs alike? Spearman's rank correlation over training runs."""

from collections.abc import Hashable, Iterable, Sequence
from typing import SupportsFloat

import numpy as np
from jaxtyping import Float
from scipy.stats import rankdata

from inductive_bias.analysis.statistics import Interval, finite_values


def rank_correlation(
    x: Iterable[SupportsFloat],
    y: Iterable[SupportsFloat],
    groups: Sequence[Hashable],
    *,
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Spearman's ρ over runs with a percentile bootstrap interval; ties share their mean rank.

    Runs are redrawn within their group (the seeds of one model), because which models are compared was chosen and not
    drawn: the interval tells what other seeds might give, not what other models might. Both ends are infinite if a
    group has a single run. ρ is NaN if a measure is the same for all runs, and so are both ends then.

    Raises:
        ValueError: if the lengths differ, there is no run, a value is not finite, or an option is out of range.
    """
    x, y = finite_values("x", x), finite_values("y", y)
    if not len(x) == len(y) == len(groups):
        raise ValueError(f"x, y and groups must have equal lengths, not {len(x)}, {len(y)} and {len(groups)}")
    if samples < 1 or not 0 < level < 1:
        raise ValueError(f"samples must be at least 1 and level lie in (0, 1), not {samples} and {level}")
    estimate = float(_spearman(x[None], y[None])[0])
    if np.isnan(estimate):
        return Interval(estimate, np.nan, np.nan, len(x))
    members = [np.flatnonzero([group == name for group in groups]) for name in dict.fromkeys(groups)]
    if min(map(len, members)) < 2:
        return Interval(estimate, -np.inf, np.inf, len(x))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([places[rng.integers(len(places), size=(samples, len(places)))] for places in members], 1)
    low, high = np.nanquantile(_spearman(x[drawn], y[drawn]), [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, float(low), float(high), len(x))


def _spearman(x: Float[np.ndarray, "k n"], y: Float[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
    """Pearson's correlation of the ranks of each row; NaN where a row has no spread."""
    a, b = (ranks - ranks.mean(1, keepdims=True) for ranks in (rankdata(x, axis=1), rankdata(y, axis=1)))
    spread = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    return np.divide((a * b).sum(1), spread, out=np.full(len(a), np.nan), where=spread > 0)
