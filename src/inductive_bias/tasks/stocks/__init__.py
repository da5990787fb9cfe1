"""Share prices: from the last days to tomorrow's return, its sign, or its size."""

from inductive_bias.tasks.stocks.baselines import BASELINES, baseline_forecasts, price_persistence
from inductive_bias.tasks.stocks.task import Stocks

__all__ = ["BASELINES", "Stocks", "baseline_forecasts", "price_persistence"]
