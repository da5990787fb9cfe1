"""A few windows of the test part as they went on, and as they were forecast: what the explorer of the page shows.

The values are those of the target alone, the last column, as they stand in the file. ETT is under CC BY-ND 4.0, which
allows to share unchanged parts of it (section 2a) with its authors' names, but nothing adapted from it: so the parts
are neither scaled nor rounded, and forecasts are brought back to the file's unit. WTH holds public measurements of
NOAA, without terms of its own.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from inductive_bias.studies.forecasting.design import ATTENTION, BACKBONES, INFORMER, RSA, cell, places
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import Forecasting
from inductive_bias.tasks.forecasting import baseline_forecasts
from inductive_bias.tasks.forecasting.baselines import LAST, LINEAR, YESTERDAY
from inductive_bias.tasks.forecasting.task import borders
from inductive_bias.trials import Trial

#: Windows of each table, at equal distances in its test part, so that nobody chooses them.
WINDOWS: dict[Scale, int] = {"smoke": 2, "laptop": 4, "paper": 4}
#: The horizon for which they are placed, at most: the last of four has room for a week and for two weeks as well.
PLACED = 48
#: Steps that are kept of a horizon, at most: of 168 and 336 hours every third and every sixth, so that days stay whole.
KEPT = 56
#: What is kept of a window: how it went on, the forecast of a model, and these baselines.
TRUTH, MODEL = "truth", "model"
SHOWN = (LAST, YESTERDAY, LINEAR)
#: Days that the ridge regression looks back; what a model reads is not longer at laptop scale.
DAYS = 7
#: Decimals of a forecast, in the file's unit: .01 degrees.
DECIMALS = 2


class Window(NamedTuple):
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
        scale = _Scale.of(trial.task, series.values)
        for what, told in _told(runs, trial, [window.place for window in windows]):
            for window, values in zip(windows, scale.in_units(told).tolist(), strict=True):
                at = {"trial": trial.id, "what": what, "known": int(series.quarters[window.known])}
                rows += [
                    at | {"step": step, "value": round(values[step - 1], DECIMALS)}
                    for step in steps(trial.task.horizon)
                    if math.isfinite(values[step - 1])
                ]
        if _is_first(runs, trial):
            for window in windows:
                at = {"trial": trial.id, "what": TRUTH, "known": int(series.quarters[window.known])}
                rows += [
                    at | {"step": step, "value": float(series.values[window.known + step, -1])}
                    for step in (*before(trial.task), *steps(trial.task.horizon))
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
    """The same task with as much past as the baselines read."""
    days = 2 if task.day > 24 or task.data == "generated" else DAYS
    return task.model_copy(update={"past": days * task.day})


def steps(horizon: int) -> range:
    """The steps that are kept of a horizon, from 1 on."""
    every = -(-horizon // KEPT)
    return range(every, horizon + 1, every)


def before(task: Forecasting) -> range:
    """The known steps that are kept: a day, or a quarter of the horizon, as far apart as those after."""
    every = steps(task.horizon).step
    return range(-every * (max(task.day, task.horizon // 4) // every), 1, every)


class _Scale(NamedTuple):
    """Mean and standard deviation of the target over the training rows."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, task: Forecasting, values: Float64[np.ndarray, "t c"]) -> "_Scale":
        known = values[: borders(task, len(values)).train, -1]
        return cls(known.mean().item(), known.std().item())

    def in_units(self, told: Float[Tensor, "n h"]) -> Float64[Tensor, "n h"]:
        return told.double() * self.deviation + self.mean


def _is_first(runs: Runs, trial: Trial) -> bool:
    """Whether truth and baselines stand with this run."""
    at = runs.design.members(runs.scale)[trial.id][0]
    return (at["model"], at["mixer"]) == (INFORMER, ATTENTION)


def chosen_windows(scale: Scale, task: Forecasting, rows: int) -> list[Window]:
    """The same windows for every horizon of a table of so many rows."""
    ends, count = borders(task, rows), WINDOWS[scale]
    longest = max(horizon for data, horizon in places(scale) if data == task.data)
    room = ends.test - ends.validation - min(longest, PLACED) + 1
    found = [(2 * number + 1) * room // (2 * count) for number in range(count)]
    return [Window(ends.validation + place - 1, place) for place in found]


@torch.no_grad()
def _told(runs: Runs, trial: Trial, chosen: Sequence[int]) -> Iterator[tuple[str, Float[Tensor, "n h"]]]:
    """Forecasts of the target, standardised, of the chosen windows."""
    whole = trial.task.model_copy(update={"scored": None})
    yield MODEL, runs.model(trial)(whole.load(runs.root)["test"].inputs[list(chosen)])[..., -1]
    if _is_first(runs, trial):
        data = with_days(whole).load(runs.root)
        inputs = data["test"].inputs[list(chosen)][..., :-1]
        every = baseline_forecasts(data, day=whole.day)
        yield from ((name, every[name](inputs)[..., -1]) for name in SHOWN)
