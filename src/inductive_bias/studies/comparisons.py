"""Comparisons of cells that the claims of several studies make."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval, difference_interval, mean_interval
from inductive_bias.studies.claims import Finding, Verdict
from inductive_bias.studies.study import Results


def finite(values: list[float]) -> list[float]:
    """Values of the seeds that did not diverge; the tables show those that did."""
    return [value for value in values if np.isfinite(value)]


def interval_of(values: Iterable[float]) -> Interval:
    """The 95 % interval of Student's t of those that are finite; NaN, with n = 0, without any."""
    kept = finite(list(values))
    return mean_interval(kept) if kept else Interval(np.nan, np.nan, np.nan, 0)


def gain(results: Results, cell: str, baseline: str, split: str, metric: str = "accuracy") -> Interval:
    """Mean of ``cell`` minus mean of ``baseline``, with its 95 % Welch interval over seeds."""
    return difference_interval(*(finite(results.values(name, split, metric)) for name in (cell, baseline)))


def finding(verdict: Verdict, interval: Interval, unit: str, note: str = "") -> Finding:
    """The verdict with the interval as its effect."""
    return Finding(verdict, interval.mean, interval.low, interval.high, unit, note)


def spread_ratio(weak: Iterable[float], strong: Iterable[float]) -> Interval | None:
    """log₂ of the ratio of standard deviations weak / strong with its 95 % F interval; None if one has no spread.

    The interval supposes normal seeds; with four of them a ratio must be large to be told from one.
    """
    from scipy.stats import f

    weak, strong = np.array(list(weak)), np.array(list(strong))
    if min(len(weak), len(strong)) < 2 or not weak.var(ddof=1) > 0 or not strong.var(ddof=1) > 0:
        return None
    ratio = weak.var(ddof=1) / strong.var(ddof=1)
    low, high = (ratio / f.ppf(q, len(weak) - 1, len(strong) - 1) for q in (0.975, 0.025))
    return Interval(*(float(np.log2(value) / 2) for value in (ratio, low, high)), n=len(weak) + len(strong))


def bins_change_ranking(results: Results, cells: Sequence[str], split: str) -> Finding:
    """Whether ECE with 20 and with 10⁶ bins orders two cells oppositely, both beyond seed noise."""
    means = pd.DataFrame(
        {
            metric: results.final(metric, split=split).groupby("cell", sort=False)["value"].mean()
            for metric in ("ece_20", "ece_1e6")
        }
    ).loc[list(cells)]

    def opposite(a: str, b: str) -> bool:
        few, many = (gain(results, a, b, split, metric) for metric in ("ece_20", "ece_1e6"))
        return (few.low > 0 and many.high < 0) or (few.high < 0 and many.low > 0)

    swapped = [(a, b) for i, a in enumerate(means.index) for b in means.index[i + 1 :] if opposite(a, b)]
    rank = f"{means.corr(method='spearman').iloc[0, 1]:.2f}".replace("-", "−")
    note = "; ".join(f"{a} against {b}" for a, b in swapped[:3]) or "no pair is ordered oppositely beyond seed noise"
    verdict = "reproduced" if swapped else "not reproduced"
    return Finding(verdict, float(len(swapped)), np.nan, np.nan, "pairs ordered oppositely", f"{note}; Spearman {rank}")
