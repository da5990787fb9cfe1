"""Contrasts from numbers by seed. All take ``name``, ``unit`` and ``failed_value``, what a diverged run counts as.

`relative` alone takes none: what such a run has lost is a share, and known.

Pair cells wherever they share a seed's data, or a teacher and its student; pairing by seed alone costs little.

All raise ValueError where there is no value, a seed occurs twice, or a run diverged and ``failed_value`` is not given.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import SupportsFloat

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import spearmanr

from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.pivots import BrownForsythe, Part, Student
from inductive_bias.verdicts.seeds import aligned, counted, counted_frame

Values = Iterable[SupportsFloat]


def single(values: Values, *, name: str, unit: str, failed_value: SupportsFloat | None = None) -> Contrast:
    """The mean over seeds with Student's t interval; to be judged against a threshold, or against 0."""
    series, failed = counted(values, failed_value, name)
    return _mean(series, name, unit, failed)


def paired(
    a: Values, b: Values, *, name: str, unit: str, failed_value: SupportsFloat | None = None, log2: bool = False
) -> Contrast:
    """Mean over seeds of a − b (with ``log2`` of log₂ a/b), paired by index, or by place if they are plain sequences.

    ``failed_value`` is in the unit of ``a`` and ``b``, and is put in before the difference is taken.

    Raises:
        ValueError: if a seed has no partner, a run diverged without ``failed_value``, or a logarithm does not exist.
    """
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    return _mean(_scale(a, log2) - _scale(aligned(a, b), log2), name, unit, lost + missing)


def relative(ours: Values, theirs: Values, *, name: str, unit: str) -> Contrast:
    """Mean over seeds of ours / theirs − 1, two losses paired by index: what we lose against them, as a share.

    A run that diverged has lost everything: the share is 1 where it is ours, −1 where it is theirs, 0 where it is both.

    Raises:
        ValueError: if a seed has no partner, or a loss is not above 0.
    """
    (a, lost), (b, missing) = counted(ours, math.inf, "ours"), counted(theirs, math.inf, "theirs")
    b = aligned(a, b)
    if not (a.gt(0).all() and b.gt(0).all()):
        raise ValueError(f"losses must be above 0, not down to {min(a.min(), b.min()):g}")
    shares = (a / b - 1).where(np.isfinite(a) & np.isfinite(b), np.isinf(a) * 1.0 - np.isinf(b) * 1.0)
    return _mean(shares, name, unit, lost + missing)


def unpaired(
    a: Values, b: Values, *, name: str, unit: str, failed_value: SupportsFloat | None = None, log2: bool = False
) -> Contrast:
    """Mean of a minus mean of b (with ``log2`` of their logarithms) for seeds that share nothing: Welch's interval."""
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    a, b = _scale(a, log2), _scale(b, log2)
    n = min(len(a), len(b))
    pivot = Student(float(a.mean() - b.mean()), n, (_part(a), _part(b)))
    return Contrast(name, unit, n, pivot, failed=lost + missing)


def crossed(
    a: pd.DataFrame, b: pd.DataFrame | None = None, *, name: str, unit: str, failed_value: SupportsFloat | None = None
) -> Contrast:
    """Mean of a − b over seeds (rows) × items (columns: languages, test sets …), both taken as random.

    The variance is that of the balanced two-way random model, (MS seeds + MS items − MS rest) / cells, each difference
    not below 0, with Satterthwaite's degrees of freedom. A two-way bootstrap estimates the same, but counts the rest
    three times and is too narrow for four seeds. More seeds do not remove the part of the items.

    Raises:
        ValueError: if the tables have different seeds or items, or a run diverged without ``failed_value``.
    """
    table, failed = counted_frame(a, failed_value, "first")
    if b is not None:
        other, missing = counted_frame(b, failed_value, "second")
        for words, own, theirs in (("seeds", table.index, other.index), ("items", table.columns, other.columns)):
            if set(own) != set(theirs):
                raise ValueError(f"{words} differ: {own.tolist()} and {theirs.tolist()}")
        table, failed = table - other.reindex(index=table.index, columns=table.columns), failed + missing
    seeds, items = table.shape
    values = table.mean(axis=1)
    pivot = Student(float(values.mean()), seeds, _two_way(table.to_numpy()))
    return Contrast(name, unit, seeds, pivot, values, failed, items)


def resampled(
    values: pd.Series, drawn: Float[np.ndarray, "draws seeds"], *, items: int, name: str, unit: str
) -> Contrast:
    """A statistic of seeds × items that is no mean over the items, such as an F1: the items are drawn anew (bootstrap).

    The variance is that of the mean over seeds, plus that of the same mean over the drawings. The latter has the
    degrees of freedom of the items, and more seeds do not remove it. For a mean over items it is what :func:`crossed`
    estimates, with the rest counted twice: a little too wide, never too narrow.

    Args:
        values: the statistic of all items, by seed; or a difference of two such statistics, seed by seed.
        drawn: the same of every drawing of items, a column a seed in the order of ``values``. A drawing is the same
            for all seeds, and for both statistics of a difference.
        items: how many are drawn from: patients, proteins, blocks of days.
        name: as of every contrast.
        unit: the same.

    Raises:
        ValueError: if the drawings do not fit the seeds, there are fewer than two of them or of the items, or a number
            is not finite.
    """
    series, drawn = values.astype(float), np.asarray(drawn, dtype=float)
    if drawn.ndim != 2 or drawn.shape[1] != len(series) or len(drawn) < 2 or items < 2:
        raise ValueError(
            f"{name}: {len(series)} seeds and {items} items need at least 2 items and drawings [draws, {len(series)}], "
            f"not {drawn.shape}"
        )
    if not (np.isfinite(series).all() and np.isfinite(drawn).all()):
        raise ValueError(f"{name}: a number is not finite; say beforehand what a diverged run counts as")
    of_items = Part(float(drawn.mean(axis=1).var(ddof=1)), float(items - 1), shrinks=False)
    pivot = Student(float(series.mean()), len(series), (_part(series), of_items))
    return Contrast(name, unit, len(series), pivot, series, items=items)


def average(contrasts: Sequence[Contrast], *, name: str, unit: str) -> Contrast:
    """The mean of contrasts that share nothing, such as those of different data; their variances add up.

    Raises:
        ValueError: if there is none, or one is not of means (:func:`spread`).
    """
    if not contrasts or not all(isinstance(each.pivot, Student) for each in contrasts):
        raise ValueError(f"{name}: there must be contrasts of means, not {[each.name for each in contrasts]}")
    count = len(contrasts)
    parts = tuple(
        replace(part, variance=part.variance * (each.factor / count) ** 2)
        for each in contrasts
        for part in each.pivot.parts
    )
    n, failed = min(each.n for each in contrasts), dict.fromkeys(run for each in contrasts for run in each.failed)
    pivot = Student(float(np.mean([each.estimate for each in contrasts])), n, parts)
    return Contrast(name, unit, n, pivot, failed=tuple(failed))


def spread(a: Values, b: Values, *, name: str, unit: str = "log₂ of the ratio of mean distances from the median",
           failed_value: SupportsFloat | None = None) -> Contrast:  # fmt: skip
    """log₂ of the ratio of the spreads of a and b by the mean absolute deviation from the median: Brown–Forsythe.

    For two distributions of one shape this is the ratio of standard deviations. See `pivots.BrownForsythe`.
    """
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    pivot = BrownForsythe(*((x - x.median()).abs().to_numpy() for x in (a, b)))
    return Contrast(name, unit, pivot.n, pivot, failed=lost + missing)


def rank(
    values: pd.DataFrame, against: pd.DataFrame | Sequence[SupportsFloat] | None = None, *, name: str,
    unit: str = "Spearman’s ρ", failed_value: SupportsFloat | None = None,
) -> Contrast:  # fmt: skip
    """Mean over seeds of Spearman's ρ within each seed (row) over the conditions (columns).

    ``against``: one number a condition, by default the columns themselves (ρ = 0, 0.25, …), or a table like ``values``.
    A seed in which one of the two is the same for all conditions has no order: 0.

    Raises:
        ValueError: if a table has a seed or a condition twice or none, or ``against`` has others than ``values``.
    """
    table, failed = counted_frame(values, failed_value, "first")
    if isinstance(against, pd.DataFrame):
        other, missing = counted_frame(against, failed_value, "second")
        if set(other.index) != set(table.index) or set(other.columns) != set(table.columns):
            raise ValueError("values and against must have the same seeds and conditions")
        other, failed = other.reindex(index=table.index, columns=table.columns), failed + missing
    else:
        order = np.array(table.columns if against is None else list(against), dtype=float)
        if order.shape != (table.shape[1],):
            raise ValueError(f"against must have one number a condition ({table.shape[1]}), not {len(order)}")
        other = pd.DataFrame([order] * len(table), index=table.index, columns=table.columns)
    found = [_spearman(x, y) for x, y in zip(table.to_numpy(), other.to_numpy(), strict=True)]
    return _mean(pd.Series(found, index=table.index), name, unit, failed)


def difference_of(
    first: Contrast, second: Contrast, *, name: str, unit: str | None = None, weight: SupportsFloat = 1.0
) -> Contrast:
    """First − ``weight`` · second, seed by seed: two effects compared, or one with a share of another.

    Raises:
        ValueError: if one of them has no value per seed or takes items as random, or a seed has no partner.
    """
    for each in (first, second):
        if each.values is None or each.items is not None:
            raise ValueError(f"{each.name} has no number per seed of its own: take the difference before the contrast")
    values = first.values - float(weight) * aligned(first.values, second.values)
    return _mean(values, name, unit or first.unit, tuple(dict.fromkeys(first.failed + second.failed)))


def _mean(series: pd.Series, name: str, unit: str, failed: tuple[str, ...]) -> Contrast:
    pivot = Student(float(series.mean()), len(series), (_part(series),))
    return Contrast(name, unit, len(series), pivot, series, failed)


def _part(series: pd.Series) -> Part:
    n = len(series)
    return Part(float(series.var()) / n, float(n - 1)) if n > 1 else Part(math.inf, 0.0)


def _two_way(table: np.ndarray) -> tuple[Part, ...]:
    seeds, items = table.shape
    if min(seeds, items) < 2:
        return (Part(math.inf, 0.0),)
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    by_seed, by_item = items * rows.var(ddof=1), seeds * columns.var(ddof=1)
    rest = float(((table - rows - columns + table.mean()) ** 2).sum()) / ((seeds - 1) * (items - 1))
    own, theirs = max(by_seed, rest), max(by_item - rest, 0.0)
    return (
        Part(float(own) / table.size, float(seeds - 1)),
        Part(float(theirs) / table.size, float(items - 1), shrinks=False),
    )


def _scale(series: pd.Series, log2: bool) -> pd.Series:
    if not log2:
        return series
    if not (series > 0).all():
        raise ValueError(f"only positive values have a logarithm, not {series[series <= 0].tolist()}")
    return np.log2(series)


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    return 0.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else float(spearmanr(x, y).statistic)
