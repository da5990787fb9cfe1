"""What the claims compare and the page draws: errors, gains of RSA, gates, and what the paper reports.

Errors are mean squared errors of standardised values over the whole horizon, on the test part. A *gain* is ln(error of
one) − ln(error of the other), run by run of one number: both began with the same weights and read the same windows in
the same order. Over several cells of the paper, seeds and cells are both taken as random. A run that diverged has the
error of the training mean.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from inductive_bias.studies.design import Cell
from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    CONSECUTIVE,
    CONTROLS,
    LANGUAGE_MODEL,
    ONE,
    RSA,
    SEARCHED,
    TEXT,
    WHOLE,
    Place,
    cell,
)
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results
from inductive_bias.tasks import Forecasting
from inductive_bias.tasks.forecasting.baselines import MEAN
from inductive_bias.verdicts import Contrast, crossed

#: What contrasts over cells of the paper take as random besides seeds.
ITEM = "tables and horizons"
#: Bits per character of the test text if only the character before is known: pairs are counted in the training text,
#: and one is added to each count. A text's *forecast without a network*, by scale; a test counts again.
BITS_OF_PAIRS = {"smoke": 3.337, "laptop": 3.391, "paper": 3.420}


def places(results: Results) -> list[Place]:
    """The cells of the paper, by table and horizon."""
    return _places_of(at for at in results.cells if at["data"] != TEXT)


def of_first_table(results: Results) -> list[Place]:
    """The cells of the paper in its first table."""
    return [place for place in places(results) if place[0] == places(results)[0][0]]


def reordered_places(results: Results) -> list[Place]:
    """Where the order of reading is varied."""
    return _places_of(at for at in results.cells if at["order"] == CONSECUTIVE)


def places_with_controls(results: Results) -> list[Place]:
    """Where an Informer has other things in place of RSA."""
    return _places_of(at for at in results.cells if at["mixer"] in CONTROLS)


def _places_of(cells: Iterable[Cell]) -> list[Place]:
    return list(dict.fromkeys((at["data"], at["horizon"]) for at in cells))


def runs_of_a_cell(results: Results) -> int:
    """How many runs every cell has."""
    return results.trials["number"].nunique()


def rows_a_day(results: Results) -> dict[str, int]:
    """Rows of the table that are a day, by id of a forecaster's trial."""
    tasks = {trial.id: trial.task for trials in results.cells.values() for trial in trials}
    return {name: task.day for name, task in tasks.items() if isinstance(task, Forecasting)}


def without_network(results: Results, place: Place, metric: str = "mse") -> dict[str, float]:
    """The error of every forecast without a network over the whole horizon, by name."""
    table = results.table("baselines")
    data, horizon = place
    chosen = (table["data"] == data) & (table["horizon"] == horizon) & (table["position"] == WHOLE)
    found = table[chosen & (table["metric"] == metric)]
    return {str(name): float(value) for name, value in zip(found["baseline"], found["value"], strict=True)}


def baseline(results: Results, place: Place, name: str, metric: str = "mse") -> float:
    """The error of a forecast without a network over the whole horizon."""
    return without_network(results, place, metric)[name]


def errors(results: Results, place: Place, model: str, mixer: str, order: str | None = None) -> pd.Series:
    """Errors of one cell by number; of a run that diverged that of the training mean."""
    found = results.values("mse", split="test", **cell(place, model, mixer, order))
    return found.fillna(baseline(results, place, MEAN))


def ahead_of_naive(
    results: Results, place: Place, model: str, orders: Sequence[str | None] = (None,)
) -> tuple[bool, str]:
    """Whether attention or RSA has a lower error than every forecast without a network; and what both have if not."""
    best = min(float(errors(results, place, model, mixer, order).mean()) for mixer in SEARCHED for order in orders)
    data, horizon = place
    naive = without_network(results, place)
    return beats_naive(best, naive, what=f"{model}, {data}, {horizon} steps", lower_is_better=True)


def text_bits(results: Results) -> float:
    """Bits per character that the language model needs, mean over runs; NaN if one diverged."""
    found = results.values("bpc", split="test", **cell((TEXT, ONE), LANGUAGE_MODEL, RSA))
    return float(found.mean(skipna=False))


def text_is_learnt(results: Results) -> tuple[bool, str]:
    """Whether the language model needs fewer bits than counted pairs of characters; and what both need if not."""
    bits, pairs = text_bits(results), BITS_OF_PAIRS[results.scale]
    words = f"the {LANGUAGE_MODEL} needs {bits:.3f} bits per character, and counted pairs of characters {pairs:.3f}"
    return bits < pairs, words


def gains(
    results: Results, model: str, mixer: str = RSA, order: str | None = None, at: Sequence[Place] | None = None
) -> pd.DataFrame:
    """What a mixer gains on attention: a row a number, a column a cell of the paper."""
    return pd.DataFrame(
        {
            f"{data} {horizon}": np.log(errors(results, (data, horizon), model, ATTENTION, order))
            - np.log(errors(results, (data, horizon), model, mixer, order))
            for data, horizon in (places(results) if at is None else at)
        }
    )


def gain(found: pd.DataFrame, model: str) -> Contrast:
    """The mean gain of RSA over all cells of the paper, from :func:`gains`."""
    return crossed(
        found,
        name=f"{model}: attention against RSA",
        unit="ln of the ratio of errors",
        item=ITEM,
        compared=compared(model),
    )


def compared(model: str) -> tuple[str, str]:
    """The two networks of a gain: a backbone with RSA, and the same with attention."""
    return f"{model} with {RSA}", f"{model} with {ATTENTION}"


def reported_error(results: Results, place: Place, model: str, mixer: str, metric: str = "mse") -> float:
    """The error in the paper; NaN where it has none."""
    data, horizon = place
    found = results.reported(metric, split="test", data=data, horizon=horizon, model=model, mixer=mixer)
    return math.nan if found is None else found[0]


def reported(results: Results, model: str, place: Place) -> float | None:
    """The gain in the paper; None where it has none."""
    base, rsa = (reported_error(results, place, model, mixer) for mixer in (ATTENTION, RSA))
    return None if math.isnan(base) or math.isnan(rsa) else math.log(base / rsa)


def gates(results: Results, place: Place, model: str, mixer: str = RSA) -> pd.Series:
    """Median over layers of the trained gates of one cell, by number."""
    found = results.frame("gate", split="model", by=("layer", "head"), **cell(place, model, mixer))
    return found.groupby("number")["value"].median()
