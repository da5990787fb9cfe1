"""Generated tasks that only a memory solves: copying, adding, a flip-flop among distractors, and parity."""

from inductive_bias.tasks.memory.adding import Adding
from inductive_bias.tasks.memory.copying import Copying
from inductive_bias.tasks.memory.flip_flop import FlipFlop
from inductive_bias.tasks.memory.last_parity import LastParity

__all__ = ["Adding", "Copying", "FlipFlop", "LastParity"]
