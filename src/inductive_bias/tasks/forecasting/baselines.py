"""Forecasts that need no network: the mean, the last row, the same hour of yesterday, and a line through the past.

A model that does not beat them has learnt nothing of use. Values are standardised, so that the mean of the training
rows is 0.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from inductive_bias import checks
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.forecasting.errors import Errors, window_errors

#: Names of the baselines, in the order of the pages.
MEAN, LAST, YESTERDAY, LINEAR = BASELINES = ("training mean", "last value", "same hour yesterday", "ridge regression")
#: Of the squares of the ridge regression's weights, per training window and column.
PENALTY = 1e-4
#: Windows that are scored at a time.
CHUNK = 512


class Line(NamedTuple):
    """What is to come, less the last value, as a linear function of the past less the last value; all columns alike."""

    weights: Float64[Tensor, "lags h"]

    def forecast(self, past: Float[Tensor, "n t c"]) -> Float[Tensor, "n h c"]:
        """The next rows after each of n windows."""
        last = past[:, -1:]
        return last + torch.einsum("ntc,th->nhc", past[:, -len(self.weights) :] - last, self.weights.to(past.dtype))


def last_value(past: Float[Tensor, "n t c"], horizon: int) -> Float[Tensor, "n h c"]:
    """The last row again and again."""
    return past[:, -1:].expand(-1, horizon, -1)


def same_hour_yesterday(past: Float[Tensor, "n t c"], horizon: int, day: int) -> Float[Tensor, "n h c"]:
    """The last ``day`` rows again and again.

    Raises:
        ValueError: if there are fewer.
    """
    if past.shape[1] < checks.whole("day", day, least=1):
        raise ValueError(f"past must have a day of {day} rows, not {past.shape[1]}")
    return past[:, past.shape[1] - day + torch.arange(horizon, device=past.device) % day]


def fit_line(split: Split, *, penalty: float = PENALTY) -> Line:
    """The ridge regression of a split's labels on its inputs, both less the last value, from the normal equations.

    Args:
        split: of a :class:`Forecasting` task; the last channel of its inputs, the time, is not used.
        penalty: λ of λ n ‖w‖², for n windows times columns.

    Raises:
        ValueError: if ``penalty`` is not positive.
    """
    checks.number("penalty", penalty, low=0, above=True)
    lags, horizon, columns = split.inputs.shape[1], split.labels.shape[1], split.labels.shape[2]
    squares, products = torch.zeros(lags, lags).double(), torch.zeros(lags, horizon).double()
    for past, wanted in _chunks(split):
        last = past[:, -1:]
        x, y = ((part - last).transpose(1, 2).flatten(0, 1).double() for part in (past, wanted))
        squares += x.T @ x
        products += x.T @ y
    squares.diagonal().add_(penalty * len(split) * columns)
    return Line(torch.linalg.solve(squares, products))


def baseline_forecasts(data: TaskData, *, day: int) -> dict[str, Callable[[Tensor], Tensor]]:
    """Every baseline as a function from windows ``[n, t, c]`` without time to forecasts ``[n, h, c]``.

    The inputs of the task say how many lags the regression has; it learns from ``train``.

    Args:
        data: of a :class:`Forecasting` task whose past has a day at least.
        day: steps of a day.
    """
    line, horizon = fit_line(data["train"]), data["train"].labels.shape[1]
    return {
        MEAN: lambda past: torch.zeros(len(past), horizon, past.shape[2]),
        LAST: lambda past: last_value(past, horizon),
        YESTERDAY: lambda past: same_hour_yesterday(past, horizon, day),
        LINEAR: line.forecast,
    }


def baseline_errors(data: TaskData, *, day: int, split: str = "test") -> dict[str, Errors]:
    """Errors of :func:`baseline_forecasts` on a split."""
    forecasts = baseline_forecasts(data, day=day)
    return {name: errors_of(forecast, data[split]) for name, forecast in forecasts.items()}


def errors_of(forecast: Callable[[Tensor], Tensor], split: Split) -> Errors:
    """Errors of a function from windows ``[n, t, c]`` without time to forecasts ``[n, h, c]``."""
    return window_errors(lambda rows: forecast(rows[..., :-1]), split, chunk=CHUNK)


def _chunks(split: Split) -> Iterator[tuple[Tensor, Tensor]]:
    for first in range(0, len(split), CHUNK):
        yield split.inputs[first : first + CHUNK, :, :-1], split.labels[first : first + CHUNK]
