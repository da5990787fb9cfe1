"""Further tables: errors of forecasts without a network, a few windows with their forecasts, and position matrices.

The windows are what the explorer of the page shows. Their values are those of the target alone, the last column, as
they stand in the file. ETT is under CC BY-ND 4.0, which allows to share unchanged parts of it (section 2a) with its
authors' names, but nothing adapted from it: so the parts are neither scaled nor rounded, and forecasts are brought back
to the file's unit. WTH holds public measurements of NOAA, without terms of its own.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from inductive_bias.models.informer import EncoderDecoder
from inductive_bias.protocols.forecasting import by_part
from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    BACKBONES,
    INFORMER,
    MODEL,
    NAIVE,
    RSA,
    TOEPLITZ,
    TRAINED,
    TRUTH,
    UNTRAINED,
    WHOLE,
    cell,
    lags_at,
    places,
)
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import Forecasting
from inductive_bias.tasks.forecasting import baseline_errors, baseline_forecasts
from inductive_bias.tasks.forecasting.task import borders
from inductive_bias.trials import Trial

#: Lags that are kept of a position matrix, in days.
LAG_DAYS = 5
#: Decimals of a kept weight: those below are 0.
LAG_DECIMALS = 4
#: Windows of each table, at equal distances in its test part, so that nobody chooses them.
WINDOWS_SHOWN: dict[Scale, int] = {"smoke": 2, "laptop": 4, "paper": 4}
#: The horizon for which they are placed, at most: the last of four has room for a week and for two weeks as well.
MOST_PLACED = 48
#: Steps that are kept of a horizon, at most: of 168 and 336 hours every third and every sixth, so that days stay whole.
MOST_STEPS = 56
#: Days that the ridge regression looks back; what a model reads is not longer at laptop scale.
BASELINE_DAYS = 7
#: Decimals of a forecast, in the file's unit: .01 degrees.
FORECAST_DECIMALS = 2


def baselines(runs: Runs) -> pd.DataFrame:
    """Errors of every baseline: ``trial, baseline, metric, position, value``, a trial for each table and horizon.

    ``position`` is the last step of a part of the horizon as in the rows of the models, 0 for all of it.
    """
    rows = []
    for trial in _first_informers(runs):
        for name, errors in baseline_errors(with_days(trial.task).load(runs.root), day=trial.task.day).items():
            for metric, found in (("mse", errors.squared), ("mae", errors.absolute)):
                for position, value in [(WHOLE, found.mean().item()), *by_part(found)]:
                    rows.append(
                        {"trial": trial.id, "baseline": name, "metric": metric, "position": position, "value": value}
                    )
    return pd.DataFrame(rows)


def _first_informers(runs: Runs) -> list[Trial]:
    """The first Informer with attention of every table and horizon: its task says which windows are scored."""
    return [trial for place in places(runs.scale) for trial in runs.trials(**cell(place, INFORMER, ATTENTION))[:1]]


@torch.no_grad()
def lags(runs: Runs) -> pd.DataFrame:
    """What position matrices add to a row from the row so many before, σ(μ) fₙ, of every head, trained and untrained.

    Columns ``trial, when, layer, head, kind, lag, value``, of one cell of the paper alone: RSA in all
    backbones, and the free matrix. Layers and heads count from 1; ``kind`` is ``real``, ``cos``, ``sin`` or ``free``,
    of a dilated head ``dilated real`` and so on. A lag is in rows of the table, of which a layer after a distilling
    one sees every second.
    """
    rows = []
    for trial in _runs_with_lags(runs):
        most = LAG_DAYS * trial.task.day
        for when, model in ((TRAINED, runs.model(trial)), (UNTRAINED, runs.untrained(trial))):
            for layer, (block, every) in enumerate(zip(model.blocks, spacing(model), strict=True), start=1):
                for head, (kind, weights) in enumerate(_weights(block.mixer, most // every + 1), start=1):
                    at = {"trial": trial.id, "when": when, "layer": layer, "head": head, "kind": kind}
                    rows += [
                        at | {"lag": place * every, "value": round(value, LAG_DECIMALS)}
                        for place, value in enumerate(weights)
                    ]
    return pd.DataFrame(rows)


def _runs_with_lags(runs: Runs) -> list[Trial]:
    shown = [(model, RSA) for model in BACKBONES] + [(INFORMER, TOEPLITZ)]
    return [trial for each in shown for trial in runs.trials(**cell(lags_at(runs.scale), *each))]


def spacing(model: nn.Module) -> list[int]:
    """How many rows of the table lie between two rows that a block reads."""
    if not isinstance(model, EncoderDecoder):
        return [1] * len(model.blocks)
    encoder = [2 ** min(place, len(model.halvings)) for place in range(len(model.encoder))]
    return encoder + [1] * len(model.decoder)


def _weights(mixer: nn.Module, count: int) -> list[tuple[str, list[float]]]:
    """Kind and weights of every head; a free matrix ends with the longest sequence, and a lag beyond is left out."""
    rem = getattr(mixer, "rem", None)
    if rem is None:
        length = min(count, mixer.length)
        kinds = ["free"] * mixer.mixed
    else:
        length, kinds = (
            count,
            ["dilated " * (far > 1) + kind for kind, far in zip(rem.kinds, rem.dilations, strict=True)],
        )
    matrix = (mixer if rem is None else rem).matrix(length)
    # the last row of a Toeplitz matrix holds all lags, the largest first
    weights = mixer.gate[:, None] * matrix[:, -1].flip(-1)
    return list(zip(kinds, weights.tolist(), strict=True))


class ShownWindow(NamedTuple):
    """The row of its last known value, and its place among all windows of the test part."""

    known: int
    place: int


def forecasts(runs: Runs) -> pd.DataFrame:
    """Truth, baselines and the first run of every model with attention and RSA: ``trial, what, known, step, value``.

    ``known`` is the time of the last known row, in quarters of an hour since 1 January 2007; steps count from there,
    and those up to 0 are known. Truth and baselines stand with an Informer with attention. What is not finite has no
    row.
    """
    rows = []
    for trial in forecasters(runs):
        series = trial.task.series(runs.root)
        windows = chosen_windows(runs.scale, trial.task, len(series.values))
        scale = _Units.of(trial.task, series.values)
        for what, told in _forecasts_of(runs, trial, [window.place for window in windows]):
            for window, values in zip(windows, scale.in_units(told).tolist(), strict=True):
                at = {"trial": trial.id, "what": what, "known": int(series.quarters[window.known])}
                rows += [
                    at | {"step": step, "value": round(values[step - 1], FORECAST_DECIMALS)}
                    for step in kept_steps(trial.task.horizon)
                    if math.isfinite(values[step - 1])
                ]
        if _has_truth(runs, trial):
            for window in windows:
                at = {"trial": trial.id, "what": TRUTH, "known": int(series.quarters[window.known])}
                rows += [
                    at | {"step": step, "value": float(series.values[window.known + step, -1])}
                    for step in (*kept_steps_before(trial.task), *kept_steps(trial.task.horizon))
                ]
    return pd.DataFrame(rows, columns=["trial", "what", "known", "step", "value"])


def forecasters(runs: Runs) -> list[Trial]:
    """The first run of each backbone with attention and with RSA, of every table and horizon."""
    members = runs.design.members(runs.scale)
    found = [
        trial
        for place in places(runs.scale)
        for model in BACKBONES
        for mixer in (ATTENTION, RSA)
        for trial in runs.trials(**cell(place, model, mixer))
    ]
    return [trial for trial in found if members[trial.id][1] == 0]


def with_days(task: Forecasting) -> Forecasting:
    """A forecasting task, changed to show as much of the past as the baselines read."""
    days = 2 if task.day > 24 or task.data == "generated" else BASELINE_DAYS
    return task.model_copy(update={"past": days * task.day})


def kept_steps(horizon: int) -> range:
    """The steps that are kept of a horizon, from 1 on."""
    every = -(-horizon // MOST_STEPS)
    return range(every, horizon + 1, every)


def kept_steps_before(task: Forecasting) -> range:
    """The known steps that are kept: a day, or a quarter of the horizon, as far apart as those after."""
    every = kept_steps(task.horizon).step
    return range(-every * (max(task.day, task.horizon // 4) // every), 1, every)


class _Units(NamedTuple):
    """Mean and standard deviation of the target over the training rows."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, task: Forecasting, values: Float64[np.ndarray, "t c"]) -> "_Units":
        known = values[: borders(task, len(values)).train, -1]
        return cls(known.mean().item(), known.std().item())

    def in_units(self, told: Float[Tensor, "n h"]) -> Float64[Tensor, "n h"]:
        return told.double() * self.deviation + self.mean


def _has_truth(runs: Runs, trial: Trial) -> bool:
    """Whether truth and baselines stand with this run."""
    at = runs.design.members(runs.scale)[trial.id][0]
    return (at["model"], at["mixer"]) == (INFORMER, ATTENTION)


def chosen_windows(scale: Scale, task: Forecasting, rows: int) -> list[ShownWindow]:
    """The windows that figures show of a table with so many rows, alike for every horizon."""
    ends, count = borders(task, rows), WINDOWS_SHOWN[scale]
    longest = max(horizon for data, horizon in places(scale) if data == task.data)
    room = ends.test - ends.validation - min(longest, MOST_PLACED) + 1
    found = [(2 * number + 1) * room // (2 * count) for number in range(count)]
    return [ShownWindow(ends.validation + place - 1, place) for place in found]


@torch.no_grad()
def _forecasts_of(runs: Runs, trial: Trial, chosen: Sequence[int]) -> Iterator[tuple[str, Float[Tensor, "n h"]]]:
    """Forecasts of the target, standardised, of the chosen windows."""
    whole = trial.task.model_copy(update={"scored": None})
    yield MODEL, runs.model(trial)(whole.load(runs.root)["test"].inputs[list(chosen)])[..., -1]
    if _has_truth(runs, trial):
        data = with_days(whole).load(runs.root)
        inputs = data["test"].inputs[list(chosen)][..., :-1]
        every = baseline_forecasts(data, day=whole.day)
        yield from ((name, every[name](inputs)[..., -1]) for name in NAIVE)


TABLES = {
    "baselines": Table(baselines, uses=_first_informers, group=lambda cell, number: (cell, number)),
    **{
        make.__name__: Table(make, uses=uses, group=lambda cell, number: (cell, number))
        for make, uses in ((forecasts, forecasters), (lags, _runs_with_lags))
    },
}
