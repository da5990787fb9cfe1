"""Heartbeats: from the course of one beat in an electrocardiogram to its kind."""

from inductive_bias.tasks.heartbeats.baselines import BASELINES, baseline_answers
from inductive_bias.tasks.heartbeats.shifting import shifted
from inductive_bias.tasks.heartbeats.task import Heartbeats

__all__ = ["BASELINES", "Heartbeats", "baseline_answers", "shifted"]
