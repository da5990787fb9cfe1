"""Contrasts from numbers by seed. All take ``name``, ``unit`` and ``failed_value``, what a diverged run counts as.

`relative` alone takes no ``failed_value``: what such a run has lost is a share, and known.

Pair cells wherever they share a seed's data, or a teacher and its student; pairing by seed alone costs little.

``extremes`` are the values of a run that goes wrong, or right, altogether: (chance, 1) for a share of right answers,
(0, 1 − chance) for a gain of such shares. Give them where a run finds the rule or does not find it. The interval then
allows for runs of the kind that the sample did not show, and never leaves the range of a share
(`test_statistics.Extremes`). Without them runs that are all equal tell nothing of their spread, and decide nothing.

Quantities that span orders of magnitude (errors, times, norms) belong on a logarithmic scale (``log2``): for log-normal
values as they are, a rule about the mean says *not reproduced* in up to 19 % of true nulls where 2.5 % are promised.

All raise ValueError where there is no value, a seed occurs twice, a run diverged and ``failed_value`` is not given, or
``failed_value`` is not finite.
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
from inductive_bias.verdicts.numbers import finite
from inductive_bias.verdicts.seeds import aligned, counted, counted_frame, marked
from inductive_bias.verdicts.test_statistics import BrownForsythe, Extremes, Part, Student

Values = Iterable[SupportsFloat]
#: The worst and the best value of a single run.
Ends = tuple[SupportsFloat, SupportsFloat]
#: With fewer items the variance between them is not known well enough: up to 12 % wrong decisions instead of 5 %.
FEWEST_ITEMS = 4


def single(
    values: Values, *, name: str, unit: str, failed_value: SupportsFloat | None = None, extremes: Ends | None = None
) -> Contrast:
    """The mean over seeds with Student's t interval; to be judged against a threshold, or against 0."""
    series, failed = counted(values, failed_value, name)
    return _mean(series, name, unit, failed, extremes)


def paired(
    a: Values,
    b: Values,
    *,
    name: str,
    unit: str,
    failed_value: SupportsFloat | None = None,
    log2: bool = False,
    extremes: Ends | None = None,
) -> Contrast:
    """Mean over seeds of a − b (with ``log2`` of log₂ a/b), paired by index, or by place if they are plain sequences.

    ``failed_value`` is in the unit of ``a`` and ``b``, and is put in before the difference is taken.

    Raises:
        ValueError: if a seed has no partner, a run diverged without ``failed_value``, or a logarithm does not exist.
    """
    cells = _named(a, b)
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    difference = _scale(a, log2) - _scale(aligned(a, b), log2)
    return replace(_mean(difference, name, unit, lost + missing, extremes, bounding=False), compared=cells)


def relative(ours: Values, theirs: Values, *, name: str, unit: str) -> Contrast:
    """Mean over seeds of ours / theirs − 1, two losses paired by index: what we lose against them, as a share.

    A run that diverged has lost everything: the share is 1 where it is ours, −1 where it is theirs, 0 where it is both.

    Raises:
        ValueError: if a seed has no partner, or a loss is not above 0.
    """
    cells = _named(ours, theirs)
    (a, lost), (b, missing) = marked(ours, "ours"), marked(theirs, "theirs")
    a, b = (each.where(np.isfinite(each), math.inf) for each in (a, aligned(a, b)))
    if not (a.gt(0).all() and b.gt(0).all()):
        raise ValueError(f"losses must be above 0, not down to {min(a.min(), b.min()):g}")
    shares = (a / b - 1).where(np.isfinite(a) & np.isfinite(b), np.isinf(a) * 1.0 - np.isinf(b) * 1.0)
    return replace(_mean(shares, name, unit, lost + missing), compared=cells)


def unpaired(
    a: Values, b: Values, *, name: str, unit: str, failed_value: SupportsFloat | None = None, log2: bool = False
) -> Contrast:
    """Mean of a minus mean of b (with ``log2`` of their logarithms) for seeds that share nothing: Welch's interval."""
    cells = _named(a, b)
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    a, b = _scale(a, log2), _scale(b, log2)
    n = min(len(a), len(b))
    pivot = Student(float(a.mean() - b.mean()), n, (_part(a), _part(b)))
    return Contrast(name, unit, n, pivot, failed=lost + missing, compared=cells)


def crossed(
    a: pd.DataFrame,
    b: pd.DataFrame | None = None,
    *,
    name: str,
    unit: str,
    item: str = "items",
    failed_value: SupportsFloat | None = None,
    compared: tuple[str, ...] = (),
) -> Contrast:
    """Mean of a − b over seeds (rows) × items (columns: languages, test sets …), both taken as random.

    The variance is that of the balanced two-way random model, (MS seeds + MS items − MS rest) / cells, each difference
    not below 0, with Satterthwaite's degrees of freedom. A two-way bootstrap estimates the same, but counts the rest
    three times and is too narrow for four seeds. More seeds do not remove the part of the items. Fewer than
    :data:`FEWEST_ITEMS` items decide nothing.

    Args:
        a: seeds × items.
        b: what is taken from it, with the same seeds and items; nothing if None.
        name: of the contrast, in words.
        unit: of the values.
        item: what an item is, in words: "patients".
        failed_value: what a diverged run counts as.
        compared: names of the cells whose difference this is, where they are known.

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
    return Contrast(name, unit, seeds, pivot, values, failed, items, item, compared)


def resampled(
    values: pd.Series, drawn: Float[np.ndarray, "draws seeds"], *, items: int, name: str, unit: str, item: str = "items"
) -> Contrast:
    """A statistic of seeds × items that is no mean over the items, such as an F1: the items are drawn anew (bootstrap).

    The variance is that of the mean over seeds, plus that of the same mean over the drawings. The latter has the
    degrees of freedom of the items, and more seeds do not remove it. For a mean over items it is what :func:`crossed`
    estimates, with the rest counted twice: a little too wide, never too narrow.

    Args:
        values: the statistic of all items, by seed; or a difference of two such statistics, seed by seed.
        drawn: the statistic of every drawing of items, a column a seed in the order of ``values``. A drawing is the
            same for all seeds, and for both statistics of a difference.
        items: how many are drawn from: patients, proteins, blocks of days.
        name: of the contrast, in words.
        unit: of the values.
        item: what an item is, in words: "patients".

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
    of_items = Part(float(drawn.mean(axis=1).var(ddof=1)), float(items - 1), "items")
    pivot = Student(float(series.mean()), len(series), (_part(series), of_items))
    return Contrast(name, unit, len(series), pivot, series, items=items, item=item)


def of_items(contrast: Contrast, item: str) -> Contrast:
    """A mean with one number an item, and not a run: what there may be more of is items (automata, models).

    Raises:
        ValueError: if the contrast has no such numbers, or takes items as random already.
    """
    if contrast.values is None or contrast.items is not None or not isinstance(contrast.pivot, Student):
        raise ValueError(f"{contrast.name} has no mean of one number an item")
    parts = tuple(replace(part, shrinks_with="items") for part in contrast.pivot.parts)
    return replace(contrast, pivot=replace(contrast.pivot, parts=parts), items=contrast.n, item=item)


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
    kinds = dict.fromkeys(each.item for each in contrasts if each.items is not None)
    items = min((each.items for each in contrasts if each.items is not None), default=None)
    return Contrast(name, unit, n, pivot, failed=tuple(failed), items=items, item=" and ".join(kinds) or "items")


def spread(
    a: Values,
    b: Values,
    *,
    name: str,
    unit: str = "log₂ of the ratio of mean distances from the median",
    failed_value: SupportsFloat | None = None,
) -> Contrast:
    """log₂ of the ratio of the spreads of a and b by the mean absolute deviation from the median: Brown–Forsythe.

    For two distributions of one shape this is the ratio of standard deviations. See `test_statistics.BrownForsythe`.
    """
    cells = _named(a, b)
    (a, lost), (b, missing) = counted(a, failed_value, "first"), counted(b, failed_value, "second")
    pivot = BrownForsythe(*((x - x.median()).abs().to_numpy() for x in (a, b)))
    return Contrast(name, unit, pivot.n, pivot, failed=lost + missing, compared=cells)


def rank(
    values: pd.DataFrame,
    against: pd.DataFrame | Sequence[SupportsFloat] | None = None,
    *,
    name: str,
    unit: str = "Spearman’s ρ",
    failed_value: SupportsFloat | None = None,
) -> Contrast:
    """Mean over seeds of Spearman's ρ within each seed (row) over the conditions (columns).

    ``against``: one number a condition, by default the columns themselves (ρ = 0, 0.25, …), or a table like ``values``.
    A seed in which one of the two is the same for all conditions has no order: 0. A correlation lies in ±1, and of few
    conditions it takes few values, so that equal seeds are common: ±1 are its ``extremes``.

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
        if not np.isfinite(order).all():
            raise ValueError(f"{name}: the numbers of the conditions must be finite, not {order.tolist()}")
        if order.shape != (table.shape[1],):
            raise ValueError(f"against must have one number a condition ({table.shape[1]}), not {len(order)}")
        other = pd.DataFrame([order] * len(table), index=table.index, columns=table.columns)
    found = [_spearman(x, y) for x, y in zip(table.to_numpy(), other.to_numpy(), strict=True)]
    return _mean(pd.Series(found, index=table.index), name, unit, failed, (-1, 1))


def difference_of(
    first: Contrast,
    second: Contrast,
    *,
    name: str,
    unit: str | None = None,
    weight: SupportsFloat = 1.0,
    extremes: Ends | None = None,
) -> Contrast:
    """First − ``weight`` · second, seed by seed: two effects compared, or one with a share of another.

    Raises:
        ValueError: if one of them has no value per seed or takes items as random, a seed has no partner, or the weight
            is not finite.
    """
    weight = finite(weight, "weight")
    for each in (first, second):
        if each.values is None or each.items is not None:
            raise ValueError(f"{each.name} has no number per seed of its own: take the difference before the contrast")
    values = first.values - weight * aligned(first.values, second.values)
    failed = tuple(dict.fromkeys(first.failed + second.failed))
    return _mean(values, name, unit or first.unit, failed, extremes, bounding=False)


def _mean(
    series: pd.Series,
    name: str,
    unit: str,
    failed: tuple[str, ...],
    extremes: Ends | None = None,
    *,
    bounding: bool = True,
) -> Contrast:
    ends = None if extremes is None else _extremes(series, extremes, name, bounding)
    pivot = Student(float(series.mean()), len(series), (_part(series),), ends)
    return Contrast(name, unit, len(series), pivot, series, failed)


def _extremes(series: pd.Series, ends: Ends, name: str, bounding: bool) -> Extremes:
    """The extremes with what was seen between them; a run beyond them counts as one at them for what is unseen."""
    worst, best = (finite(end, f"an extreme of {name}") for end in ends)
    if not worst < best:
        raise ValueError(f"{name}: the worst value of a run must be below the best, not {worst:g} and {best:g}")
    low, high = float(series.min()), float(series.max())
    return Extremes(min(worst, low), max(best, high), low, high, bounding)


def _named(*values: Values) -> tuple[str, ...]:
    """Names of the cells that the values are of, where all of them are known."""
    names = tuple(each.name for each in values if isinstance(each, pd.Series) and isinstance(each.name, str))
    return names if len(names) == len(values) and "value" not in names else ()


def _part(series: pd.Series) -> Part:
    n = len(series)
    return Part(float(series.var()) / n, float(n - 1)) if n > 1 else Part(math.inf, 0.0)


def _two_way(table: np.ndarray) -> tuple[Part, ...]:
    seeds, items = table.shape
    if seeds < 2 or items < FEWEST_ITEMS:
        return Part(math.inf, 0.0), Part(math.inf, 0.0, "items")
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    by_seed, by_item = items * rows.var(ddof=1), seeds * columns.var(ddof=1)
    rest = float(((table - rows - columns + table.mean()) ** 2).sum()) / ((seeds - 1) * (items - 1))
    own, theirs = max(by_seed, rest), max(by_item - rest, 0.0)
    return (
        Part(float(own) / table.size, float(seeds - 1)),
        Part(float(theirs) / table.size, float(items - 1), "items"),
    )


def _scale(series: pd.Series, log2: bool) -> pd.Series:
    if not log2:
        return series
    if not (series > 0).all():
        raise ValueError(f"only positive values have a logarithm, not {series[series <= 0].tolist()}")
    return np.log2(series)


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    return 0.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else float(spearmanr(x, y).statistic)
