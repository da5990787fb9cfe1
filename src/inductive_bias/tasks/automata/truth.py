"""Which earlier position decides a state: the last write of a memory, the last visit to a wall of a walk.

A memory's state is what was written last. A walk's state is the wall that was visited last, and the steps since then:
between two visits nothing stops them (Liu et al. 2023, theorem 3, builds its two layers on this).
"""

import numpy as np
from jaxtyping import Bool, Int64, Integer

from inductive_bias.tasks.automata.semiautomata import Semiautomaton


def last_visit(marked: Bool[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """The last marked position before or at each; −1 where none is."""
    return np.maximum.accumulate(np.where(marked, np.arange(marked.shape[1]), -1), axis=1)


def last_wall(walk: Semiautomaton, words: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """The position after which the walk last stood at a wall; −1 before it comes to one (it begins at one)."""
    states = walk.run(words)
    return last_visit((states == 0) | (states == len(walk.states) - 1))


def last_write(words: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """The position of the last write of a flip-flop, whose action 0 reads; −1 before the first."""
    return last_visit(words != 0)
