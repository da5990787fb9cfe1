"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Errors are mean squared errors of standardised values over the whole horizon, on the test part. A *gain* is ln(error of
one) − ln(error of the other), run by run of one number: both began with the same weights and read the same windows in
the same order. Over several cells of the paper, seeds and cells are both taken as random. A run that diverged has the
error of the training mean.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import binom

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    BACKBONES,
    CONSECUTIVE,
    INFORMER,
    LANGUAGE_MODEL,
    LOG_SPARSE,
    ONE,
    PLANS,
    REORDERED,
    RSA,
    SHUFFLED,
    TEXT,
    XL,
    Place,
    cell,
    of_first_table,
    places,
)
from inductive_bias.studies.forecasting.tables import WHOLE
from inductive_bias.studies.results import Results
from inductive_bias.tasks.forecasting.baselines import MEAN, YESTERDAY
from inductive_bias.verdicts import (
    Contrast,
    Judgement,
    Side,
    all_of,
    crossed,
    exceeds,
    half_of,
    paired,
    unpaired,
    untestable,
)

PAGE = "attention/forecasting"
PAPER = "Huang et al. 2023, table of time series"
#: R5b: gates that differ by less are alike.
OPENER = 0.02
#: R5d, R12: errors that differ by less than so many natural logarithms, about 2 %, are alike.
ALIKE = 0.02


def baseline(results: Results, place: Place, name: str, metric: str = "mse") -> float:
    """The error of a forecast without a network over the whole horizon."""
    table = results.table("baselines")
    data, horizon = place
    chosen = (table["data"] == data) & (table["horizon"] == horizon) & (table["position"] == WHOLE)
    return float(table.loc[chosen & (table["baseline"] == name) & (table["metric"] == metric), "value"].iloc[0])


def errors(results: Results, place: Place, model: str, mixer: str, order: str | None = None) -> pd.Series:
    """Errors of one cell by number; of a run that diverged that of the training mean."""
    found = results.values("mse", split="test", **cell(place, model, mixer, order))
    return found.fillna(baseline(results, place, MEAN))


def gains(
    results: Results, model: str, mixer: str = RSA, order: str | None = None, at: Sequence[Place] | None = None
) -> pd.DataFrame:
    """What a mixer gains on attention: a row a number, a column a cell of the paper."""
    return pd.DataFrame(
        {
            f"{data} {horizon}": np.log(errors(results, (data, horizon), model, ATTENTION, order))
            - np.log(errors(results, (data, horizon), model, mixer, order))
            for data, horizon in (places(results.scale) if at is None else at)
        }
    )


def gain(found: pd.DataFrame, model: str) -> Contrast:
    """The mean gain of RSA over all cells of the paper, from :func:`gains`."""
    return crossed(found, name=f"{model}: attention against RSA", unit="ln of the ratio of errors")


def reported_error(results: Results, place: Place, model: str, mixer: str, metric: str = "mse") -> float:
    """The error in the paper; NaN where it has none."""
    data, horizon = place
    found = results.reported(metric, split="test", data=data, horizon=horizon, model=model, mixer=mixer)
    return math.nan if found is None else found[0]


def reported(results: Results, model: str, place: Place) -> float | None:
    """The gain in the paper; None where it has none."""
    base, rsa = (reported_error(results, place, model, mixer) for mixer in (ATTENTION, RSA))
    return None if math.isnan(base) or math.isnan(rsa) else math.log(base / rsa)


def more_often(ahead: pd.Series, deciding: Contrast, what: str) -> Judgement:
    """More often than a coin: an exact sign test over cells of the paper, two-sided; of 16 it takes 13.

    Args:
        ahead: whether each cell is.
        deciding: the contrast that is shown for it.
        what: is counted, in words.
    """
    n, won = len(ahead), int(ahead.sum())
    rule = f"{what} in {won} of {n} cells, more than a coin"
    holds, fails = 2 * binom.sf(won - 1, n, 0.5), 2 * binom.cdf(won, n, 0.5)
    # more seeds do not make more cells
    return Judgement(*(Side(min(1.0, float(p)), lambda alpha, what: math.inf, deciding, rule) for p in (holds, fails)))


def lowers(results: Results, model: str) -> Finding:
    """RSA has the lower error in more cells than a coin would, and by more than half of the mean gain of the paper."""
    found = gains(results, model)
    contrast, ahead = gain(found, model), found.mean() > 0
    note = f"{model}: lower in {int(ahead.sum())} of {len(ahead)} cells, {contrast}"
    known = [reported(results, model, place) for place in places(results.scale)]
    if None in known:
        reason = f"the paper reports nothing of {places(results.scale)[known.index(None)][0]}"
        return Finding(untestable(reason), effect=contrast, note=note)
    often = more_often(ahead, contrast, "a lower error with RSA")
    judgement = all_of([often, exceeds(contrast, half_of(float(np.mean(known))))])
    return Finding(judgement, effect=contrast, note=note)


def rsa_lowers_errors(results: Results) -> Finding:
    """R5: in all three backbones."""
    found = [lowers(results, model) for model in BACKBONES]
    return Finding(all_of(each.judgement for each in found), note="; ".join(each.note for each in found))


def gates(results: Results, place: Place, model: str, mixer: str = RSA) -> pd.Series:
    """Median over layers of the trained gates of one cell, by number."""
    found = results.frame("gate", split="model", by=("layer", "head"), **cell(place, model, mixer))
    return found.groupby("number")["value"].median()


def most_recurrent(results: Results) -> Finding:
    """R5b: gates open further on series than on text, from the same start."""
    every = [gates(results, place, model) for model in BACKBONES for place in places(results.scale)]
    series = pd.concat(every, axis=1).mean(axis=1)
    text = gates(results, (TEXT, ONE), LANGUAGE_MODEL)
    contrast = unpaired(series, text, name="gates on series against text", unit="σ(μ)", failed_value=0.5)
    return Finding(exceeds(contrast, OPENER), note=f"series {series.mean():.3f}, text {text.mean():.3f}")


def better_than_yesterday(results: Results) -> Finding:
    """R5c: each backbone with RSA beats the same hour of yesterday in more cells than a coin would."""
    judged, words = [], []
    for model in BACKBONES:
        ratios = pd.DataFrame(
            {
                f"{data} {horizon}": np.log(baseline(results, (data, horizon), YESTERDAY))
                - np.log(errors(results, (data, horizon), model, RSA))
                for data, horizon in places(results.scale)
            }
        )
        contrast = crossed(ratios, name=f"yesterday against {model} with RSA", unit="ln of the ratio of errors")
        ahead = ratios.mean() > 0
        judged.append(more_often(ahead, contrast, "better than yesterday"))
        words.append(f"{model}: {int(ahead.sum())} of {len(ahead)}, {contrast}")
    return Finding(all_of(judged), note="; ".join(words))


def order_matters(results: Results) -> Finding:
    """R5d: neighbouring windows in a batch raise the error of attention, and what RSA gains is more there."""
    at = PLANS[results.scale].ordered
    harm, more = [], []
    for model in REORDERED:
        inner = pd.DataFrame(
            {
                f"{model} {data} {horizon}": np.log(errors(results, (data, horizon), model, ATTENTION, CONSECUTIVE))
                - np.log(errors(results, (data, horizon), model, ATTENTION, SHUFFLED))
                for data, horizon in at
            }
        )
        harm.append(inner)
        gained = (gains(results, model, order=order, at=at) for order in (CONSECUTIVE, SHUFFLED))
        more.append(next(gained).sub(next(gained)).add_prefix(f"{model} "))
    unit = "ln of the ratio of errors"
    raised = crossed(pd.concat(harm, axis=1), name="attention: consecutive against shuffled", unit=unit)
    larger = crossed(pd.concat(more, axis=1), name="the gain of RSA: consecutive against shuffled", unit=unit)
    note = f"{raised.name} {raised}; {larger.name} {larger}"
    return Finding(all_of([exceeds(raised, ALIKE), exceeds(larger, ALIKE)]), effect=larger, note=note)


def gain_is_replicated(results: Results) -> Finding:
    """R12: with scalars that are trained, at each horizon of ETTh1; the rerun asks whether there is a gain at all."""
    judged, words = [], []
    for place in of_first_table(results.scale):
        contrast = paired(
            np.log(errors(results, place, INFORMER, ATTENTION)), np.log(errors(results, place, INFORMER, RSA)),
            name=f"{place[0]}, {place[1]} steps", unit="ln of the ratio of errors",
        )  # fmt: skip
        judged.append(exceeds(contrast, ALIKE))
        words.append(f"{contrast.name} {contrast}")
    return Finding(all_of(judged), note="; ".join(words))


CLAIMS = (
    Claim("R5", PAGE, PAPER,
          "With RSA in place of attention the error of a forecast falls: in more of 16 cells than a coin would have "
          "it, and by more than half of what is reported, in Informer, LogSparse and Transformer-XL.",
          "lower in 14, 16 and 13 of 16 cells; median −24, −28 and −3 %", rsa_lowers_errors),
    Claim("R5-Informer", PAGE, PAPER, "The same of Informer alone.", "14 of 16, median −24 %",
          partial(lowers, model=INFORMER), primary=False),
    Claim("R5-LogSparse", PAGE, PAPER, "The same of LogSparse alone.", "16 of 16, median −28 %",
          partial(lowers, model=LOG_SPARSE), primary=False),
    Claim("R5-XL", PAGE, PAPER, "The same of Transformer-XL alone.", "13 of 16, median −3 %", partial(lowers, model=XL),
          primary=False),
    Claim("R5b", PAGE, "a walk-through of Huang et al. 2023 (Agency301/301agency.github.io)",
          "Time series are the most recurrent of the tasks: from a gate half open, RSA opens it further for forecasts "
          "than in a language model.", "in words; no numbers found", most_recurrent),
    Claim("R5c", PAGE, "a question of our own",
          "With RSA a backbone forecasts better than a repetition of yesterday, in more cells than a coin would "
          "have it.",
          "not printed; on ETTh2 the best reported error is .705, yesterday’s .266", better_than_yesterday, own=True),
    Claim("R5d", PAGE, "a question of our own",
          "A part of the gain is the order of reading: batches of neighbouring windows raise the error of attention, "
          "and RSA gains more on it than when windows are shuffled.",
          "the series are read in order there", order_matters, own=True),
    Claim("R12", PAGE, "COMP6258 Reproducibility Challenge (github.com/COMP6258-Reproducibility-Challenge)",
          "With trained λ, γ and θ the gain of RSA in Informer is replicated at all four horizons of ETTh1.",
          "with scalars that were not trained: .679/.632, .935/.908, 1.464/1.265, 1.645/1.902", gain_is_replicated),
)  # fmt: skip
