"""Real-valued sequences whose target is recurrent and not, in a known proportion."""

from inductive_bias.tasks.signals.task import MixedSignal

__all__ = ["MixedSignal"]
