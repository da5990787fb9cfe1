"""Forecasts that need no network: no change, the mean, the more frequent direction, and a fading mean of sizes.

What is foretold is the return of a day over the share's deviation on the days to learn from. That prices seem to be
easy is a trap: yesterday's price explains nearly all of today's, and nothing of what one could earn.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float64

from inductive_bias.tasks.stocks.files import TICKERS
from inductive_bias.tasks.stocks.task import SPLITS, Stocks, prepared

#: Names of the baselines, in the order of the pages: of returns and sizes, of sizes, and of directions.
ZERO, MEAN, EWMA, MAJORITY = BASELINES = ("zero", "training mean", "EWMA", "more frequent direction")
#: What a day keeps of the fading mean of the days before (RiskMetrics).
DECAY = 0.94


def fading_mean(values: Float64[np.ndarray, "d s"], decay: float = DECAY) -> Float64[np.ndarray, "d s"]:
    """m_t = decay · m_{t−1} + (1 − decay) · x_t from m_0 = x_0 on: an exponentially weighted moving average."""
    import pandas as pd

    return pd.DataFrame(values).ewm(alpha=1 - decay, adjust=False).mean().to_numpy()


def baseline_forecasts(task: Stocks, split: str = "test", **where: object) -> Mapping[str, Float64[np.ndarray, " n"]]:
    """What each baseline that fits the task's target says of a split, in the order of its examples.

    Of a direction they are answers, 1 for up.

    Args:
        task: whose split.
        split: which.
        where: ``root`` and ``download``, as of :meth:`Stocks.load`.
    """
    days = prepared(task.prices(**where), task.past)
    place = SPLITS.index(split)
    foretold = np.arange(task.past if place == 0 else days.ends[place - 1], days.ends[place])
    learnt, shape = slice(task.past, days.ends[0]), (len(foretold), len(TICKERS))
    if task.target == "direction":
        return {MAJORITY: np.full(shape, float((days.returns[learnt] > 0).mean() > 0.5)).ravel()}
    values = np.abs(days.returns) if task.target == "size" else days.returns
    found = {ZERO: np.zeros(shape), MEAN: np.broadcast_to(values[learnt].mean(0), shape)}
    if task.target == "size":
        # of the days up to the one before
        found[EWMA] = fading_mean(values)[foretold - 1]
    return {name: forecast.ravel() for name, forecast in found.items()}


def price_persistence(task: Stocks, **where: object) -> dict[str, float]:
    """R² of *tomorrow's price is today's* over the test days, share by share: what a chart of prices seems to show."""
    prices = task.prices(**where)
    days = prepared(prices, task.past)
    # prices have a day more than returns have
    close = prices.values[days.ends[1] :, :, 0]
    today, before = close[1:], close[:-1]
    unexplained = ((today - before) ** 2).sum(0) / ((today - today.mean(0)) ** 2).sum(0)
    return dict(zip(TICKERS, (1 - unexplained).tolist(), strict=True))
