"""A sentence of a paper that can fail, and what was found."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from inductive_bias.analysis import Interval

if TYPE_CHECKING:
    from inductive_bias.studies.study import Results

Verdict = Literal["reproduced", "not reproduced", "inconclusive"]


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim with its effect size and 95 % interval over seeds, in ``unit``; ``note`` explains."""

    verdict: Verdict
    effect: float
    low: float
    high: float
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """One falsifiable sentence.

    Attributes:
        id: short and stable, such as ``V1``.
        source: paper and section, with the number the reference file gives it.
        statement: in our words.
        paper: what the paper reports, as text for the table.
        check: from a study's results to the finding; its rule is written before the results are seen.
    """

    id: str
    source: str
    statement: str
    paper: str
    check: Callable[["Results"], Finding]


def signed(interval: Interval, decimals: int = 3) -> str:
    """``+0.137 [+0.110, +0.164]``, with true minus signs and without a place for a line to break."""
    mean, low, high = (f"{value:+.{decimals}f}".replace("-", "−") for value in interval[:3])
    return f"{mean}\u00a0[{low},\u00a0{high}]"


def above(interval: Interval, threshold: float = 0.0) -> Verdict:
    """Reproduced if the whole interval lies above ``threshold``, not reproduced if all of it lies below."""
    if math.isnan(interval.mean):
        return "inconclusive"
    if interval.low > threshold:
        return "reproduced"
    return "not reproduced" if interval.high < threshold else "inconclusive"


def below(interval: Interval, threshold: float = 0.0) -> Verdict:
    """The mirror image of :func:`above`."""
    return above(Interval(-interval.mean, -interval.high, -interval.low, interval.n), -threshold)


def within(interval: Interval, margin: float) -> Verdict:
    """Equivalence: reproduced if the interval lies inside ± margin, not reproduced if it lies wholly outside."""
    if math.isnan(interval.mean):
        return "inconclusive"
    if -margin <= interval.low and interval.high <= margin:
        return "reproduced"
    return "not reproduced" if interval.low > margin or interval.high < -margin else "inconclusive"


def both(*verdicts: Verdict) -> Verdict:
    """All parts of a claim must hold: one failed part fails it, one open part leaves it open."""
    for worst in ("not reproduced", "inconclusive"):
        if worst in verdicts:
            return worst
    return "reproduced"
