"""Forecasting of several series at once: from the last rows of a table to the next ones."""

from inductive_bias.tasks.forecasting.baselines import BASELINES, Errors, baseline_errors, baseline_forecasts
from inductive_bias.tasks.forecasting.task import Forecasting

__all__ = ["BASELINES", "Errors", "Forecasting", "baseline_errors", "baseline_forecasts"]
