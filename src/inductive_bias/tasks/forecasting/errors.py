"""Errors of forecasts by step of the horizon, whoever makes them."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.tasks.data import Split


class Errors(NamedTuple):
    """Mean squared and mean absolute error by step of the horizon, ``[h]`` each."""

    squared: Float64[Tensor, " h"]
    absolute: Float64[Tensor, " h"]


@torch.no_grad()
def window_errors(forecast: Callable[[Tensor], Tensor], split: Split, *, chunk: int) -> Errors:
    """Over all windows and series of a split, of a function from windows ``[n, t, c]`` to forecasts ``[n, h, s]``.

    Args:
        forecast: is given the inputs of the split as they are, and answers on the CPU.
        split: of a :class:`Forecasting` task.
        chunk: windows at a time.
    """
    squared, absolute = (torch.zeros(split.labels.shape[1]).double() for _ in range(2))
    for first in range(0, len(split), chunk):
        away = (forecast(split.inputs[first : first + chunk]) - split.labels[first : first + chunk]).double()
        squared += away.square().mean(2).sum(0)
        absolute += away.abs().mean(2).sum(0)
    return Errors(squared / len(split), absolute / len(split))
