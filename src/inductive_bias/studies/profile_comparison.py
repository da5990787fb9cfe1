"""A profile beside the population: differences by axis with intervals, places, words and the nearest relatives.

Runs with one number saw the same sequences, so that a model is compared with the population run by run. Three runs say
little about their own spread. The spread of the population's models on an axis is used as well, by the moderated
t-statistic of Smyth 2004 (doi:10.2202/1544-6115.1027): variances of all models are taken for draws of one distribution,
and the variance of one model is the weighted mean of its own and of what is usual. A model whose runs scatter far more
than that is no draw of the distribution (Phipson, Lee, Majewski, Alexander & Smyth 2016, doi:10.1214/16-AOAS920): its
interval is that of its own runs.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float64
from scipy import special, stats

from inductive_bias.studies.image_axes import EVERY_AXIS
from inductive_bias.studies.profile_axes import Axis

MORE, LESS, ALIKE, CANNOT_TELL, NOTHING = WORDS = "more", "less", "alike", "cannot tell", "not learnt"
Word = Literal["more", "less", "alike", "cannot tell", "not learnt"]
#: Of all axes together, so many of a hundred profiles without a difference may show one.
LEVEL = 0.05
#: A variance below this is rounding: scores are shares of some hundred sequences.
SMALLEST_VARIANCE = 1e-5
#: A variance as large as this share of models would have by chance is not usual.
UNUSUAL = 0.01


class Usual(NamedTuple):
    """What variances are like: a scaled inverse χ² with mean about ``variance``, worth ``freedom`` degrees of it."""

    variance: float
    freedom: float


#: Where nobody knows what is usual, a variance is that of the runs alone.
UNKNOWN = Usual(0.0, 0.0)


@dataclass(frozen=True)
class Compared:
    """One axis of a profile beside others.

    Attributes:
        axis: its name.
        value, low, high: mean over runs, and its interval.
        others: the median of the models that it stands beside.
        difference, difference_low, difference_high: mean over runs of what the model has more than that median.
        visible: differences below this are not seen with so many runs.
        place, of: how many models have less, and how many there are.
        word: what the difference amounts to.
    """

    axis: str
    value: float
    low: float
    high: float
    others: float
    difference: float
    difference_low: float
    difference_high: float
    visible: float
    place: int
    of: int
    word: Word


def compare(
    own: pd.DataFrame,
    others: pd.DataFrame,
    usual: pd.DataFrame | None = None,
    *,
    further: int = 0,
    unknown: bool = False,
) -> list[Compared]:
    """Every axis of a model beside others, which have runs with the same numbers on the same probes.

    Intervals of differences are corrected for the number of axes (Bonferroni), those of values are not.

    Args:
        own: ``axis, number, value`` of one model, a row a run; NaN where nothing was learnt.
        others: ``model, axis, number, value``.
        usual: models by whose spread variances are judged; the others if None.
        further: axes that are compared elsewhere, and count in the correction.
        unknown: whether nobody knows what spread is usual: intervals are then those of the runs alone.
    """
    usual = others if usual is None else usual
    there = dict.fromkeys(own["axis"])
    # those of probes of one's own come last
    axes = [axis for axis in EVERY_AXIS if axis in there] + [axis for axis in there if axis not in EVERY_AXIS]
    return [
        _on_axis(
            axis,
            *(table[table["axis"] == axis] for table in (own, others, usual)),
            axes=len(axes) + further,
            unknown=unknown,
        )
        for axis in axes
    ]


def alone(own: pd.DataFrame) -> list[Compared]:
    """Every axis of a model that nothing can be put beside: its value, with the interval of its runs alone.

    Args:
        own: ``axis, number, value`` of one model, a row a run; NaN where nothing was learnt.
    """
    found = []
    for axis, table in own.groupby("axis", sort=False):
        values = table["value"].astype(float)
        blank = _alone(axis, values, NOTHING if values.isna().any() else CANNOT_TELL)
        if blank.word != NOTHING:
            half = half_width(values.to_numpy(), UNKNOWN, level=LEVEL)
            blank = replace(blank, low=max(0.0, blank.value - half), high=min(1.0, blank.value + half))
        found.append(blank)
    return found


def axis_of(row: str) -> Axis:
    """What a row of a profile says: ``recall (my probe)`` is of the axis ``recall``; of a new one the margin is .1."""
    return EVERY_AXIS.get(row) or EVERY_AXIS.get(row.partition(" (")[0]) or Axis(row, "")


def _on_axis(
    axis: str, own: pd.DataFrame, others: pd.DataFrame, usual: pd.DataFrame, *, axes: int, unknown: bool
) -> Compared:
    values = own.set_index("number")["value"].astype(float)
    table, whole = (each.pivot_table(index="number", columns="model", values="value") for each in (others, usual))
    shared = [number for number in values.index if number in table.index and number in whole.index]
    table, whole, ours = table.loc[shared], whole.loc[shared].dropna(axis="columns"), values.loc[shared]
    if values.isna().any():
        return _alone(axis, values, NOTHING)
    if len(shared) < 2 or whole.empty or table.dropna(how="all").empty:
        return _alone(axis, values, CANNOT_TELL)
    middle = table.median(axis=1)
    differences, freedom = ours - middle, len(shared) - 1
    spread = _no_spread if unknown else usual_variance
    of_differences = spread(whole.sub(middle, axis=0).var(axis=0).to_numpy(), freedom)
    half = half_width(differences.to_numpy(), of_differences, level=LEVEL / axes)
    own_half = half_width(ours.to_numpy(), spread(whole.var(axis=0).to_numpy(), freedom), level=LEVEL)
    mean, difference = float(ours.mean()), float(differences.mean())
    low, high = difference - half, difference + half
    return Compared(
        axis=axis,
        value=mean,
        # a score is a share
        low=max(0.0, mean - own_half),
        high=min(1.0, mean + own_half),
        others=float(middle.mean()),
        difference=difference,
        difference_low=low,
        difference_high=high,
        visible=half,
        place=int((table.mean() < mean).sum()),
        of=table.shape[1],
        word=word(low, high, axis_of(axis).margin),
    )


def _alone(axis: str, values: pd.Series, said: Word) -> Compared:
    """An axis with nothing to stand beside, or where nothing was learnt."""
    blank = dict.fromkeys(
        ("low", "high", "others", "difference", "difference_low", "difference_high", "visible"), math.nan
    )
    return Compared(axis, float(values.mean()), place=0, of=0, word=said, **blank)


def word(low: float, high: float, margin: float) -> Word:
    """What an interval of a difference says: inside the margins it is no difference, beyond 0 it is one."""
    if -margin < low and high < margin:
        return ALIKE
    if low > 0:
        return MORE
    return LESS if high < 0 else CANNOT_TELL


def usual_variance(variances: Float64[np.ndarray, " m"], freedom: int) -> Usual:
    """The distribution of which these variances, of ``freedom`` degrees each, are draws (Smyth 2004, section 6.2).

    Its two moments are those of the logarithms. Where variances differ no more than chance has it, they are one
    variance, known as well as all of them together.
    """
    floored = np.maximum(variances, SMALLEST_VARIANCE)
    logs = np.log(floored) - special.digamma(freedom / 2) + math.log(freedom / 2)
    spread = float(logs.var(ddof=1)) - special.polygamma(1, freedom / 2) if len(logs) > 1 else 0.0
    if spread <= 0:
        return Usual(float(np.exp(logs.mean())), float(freedom * max(1, len(logs))))
    prior = 2 * _trigamma_inverse(spread)
    variance = math.exp(float(logs.mean()) + special.digamma(prior / 2) - math.log(prior / 2))
    return Usual(variance, prior)


def _no_spread(variances: Float64[np.ndarray, " m"], freedom: int) -> Usual:
    return UNKNOWN


def half_width(values: Float64[np.ndarray, " n"], usual: Usual, *, level: float) -> float:
    """Half the width of the interval of a mean whose variance is shrunk towards what is usual (Smyth 2004, eq. 1).

    A variance that is not usual (:data:`UNUSUAL`, by the F distribution) is not shrunk.
    """
    own = len(values) - 1
    variance = max(float(np.var(values, ddof=1)), SMALLEST_VARIANCE)
    if usual.freedom and stats.f.sf(variance / usual.variance, own, usual.freedom) < UNUSUAL:
        usual = UNKNOWN
    shrunk = (usual.freedom * usual.variance + own * variance) / (usual.freedom + own)
    return float(stats.t.ppf(1 - level / 2, usual.freedom + own) * math.sqrt(shrunk / len(values)))


def _trigamma_inverse(value: float) -> float:
    """The y with trigamma(y) = value, by Newton's method (Smyth 2004, appendix)."""
    y = 0.5 + 1 / value
    for _ in range(50):
        change = special.polygamma(1, y) * (1 - special.polygamma(1, y) / value) / special.polygamma(2, y)
        y += change
        if abs(change) < 1e-8 * y:
            break
    return float(y)
