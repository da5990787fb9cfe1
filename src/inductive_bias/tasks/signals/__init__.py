"""Real-valued sequences: filters and flip-flops, and targets that are recurrent and not in a known proportion."""

from inductive_bias.tasks.signals.filters import GeneratedSignals
from inductive_bias.tasks.signals.mixed import MixedSignal

__all__ = ["GeneratedSignals", "MixedSignal"]
