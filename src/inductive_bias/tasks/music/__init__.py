"""Polyphonic music: which of a piano's 88 keys sound in the next step."""

from inductive_bias.tasks.music.baselines import BASELINES, baseline_nlls, key_frequencies, last_step_rates
from inductive_bias.tasks.music.files import KEYS
from inductive_bias.tasks.music.task import PolyphonicMusic

__all__ = ["BASELINES", "KEYS", "PolyphonicMusic", "baseline_nlls", "key_frequencies", "last_step_rates"]
