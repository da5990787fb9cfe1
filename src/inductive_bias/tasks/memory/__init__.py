"""Generated tasks that only a long memory solves: copying, adding, and a flip-flop among distractors."""

from inductive_bias.tasks.memory.adding import Adding
from inductive_bias.tasks.memory.copying import Copying
from inductive_bias.tasks.memory.flip_flop import FlipFlop

__all__ = ["Adding", "Copying", "FlipFlop"]
