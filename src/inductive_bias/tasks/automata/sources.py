"""Automata whose words have ones: how often a one comes is what a distribution is shifted by.

A one flips a parity, writes into a memory, steps to the right on a line, or opens a bracket.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Int64

from inductive_bias.tasks.automata.catalogue import automaton
from inductive_bias.tasks.automata.semiautomata import Semiautomaton, walk

SourceName = Literal["parity", "flip-flop", "Dyck(1, 8)", "Grid9"]
SOURCE_NAMES: tuple[SourceName, ...] = get_args(SourceName)
#: The most brackets that are open at a time.
DEEPEST = 8


@dataclass(frozen=True, eq=False)
class Source:
    """An automaton and the words that it reads.

    Attributes:
        machine: says the state after every action, from state 0.
        ones: actions that are a one, each as often as the others of them; so are those that are none.
        forced: the only action that may come in a state, by state; in all others any may.
    """

    machine: Semiautomaton
    ones: tuple[int, ...]
    forced: Mapping[int, int] = field(default_factory=dict)

    def chances(self, share: float) -> Float[np.ndarray, "s k"]:
        """How often every action comes in every state, where a ``share`` of the free ones is a one.

        Raises:
            ValueError: if the share is not within 0 and 1.
        """
        if not 0 <= share <= 1:
            raise ValueError(f"share must lie in [0, 1], not {share}")
        one = np.isin(np.arange(len(self.machine.actions)), self.ones)
        row = np.where(one, share / one.sum(), (1 - share) / (~one).sum())
        found = np.tile(row, (len(self.machine.states), 1))
        for state, action in self.forced.items():
            found[state] = np.eye(len(row))[action]
        return found

    def words(
        self, uniform: Float[np.ndarray, "n t"], share: float
    ) -> tuple[Int64[np.ndarray, "n t"], Int64[np.ndarray, "n t"]]:
        """Words from numbers in [0, 1), and the state after every action of theirs."""
        # without the last end, of which rounding may leave the sum of the chances short
        ends = self.chances(share).cumsum(axis=1)[:, :-1]
        state = np.zeros(len(uniform), np.int64)
        words, states = np.empty(uniform.shape, np.int64), np.empty(uniform.shape, np.int64)
        for step in range(uniform.shape[1]):
            words[:, step] = action = (uniform[:, step, None] >= ends[state]).sum(axis=1)
            states[:, step] = state = self.machine.moves[state, action]
        return words, states

    def is_one(self, words: Int64[np.ndarray, "n t"]) -> Bool[np.ndarray, "n t"]:
        """Which actions are a one."""
        return np.isin(words, self.ones)

    def best_constant(self, length: int, share: float) -> Float[np.ndarray, " t"]:
        """How often the best answer that knows the position alone is right, after 1 … ``length`` actions, exactly."""
        size, chances = len(self.machine.states), self.chances(share)
        step = np.zeros((size, size))
        for action in range(chances.shape[1]):
            np.add.at(step, (np.arange(size), self.machine.moves[:, action]), chances[:, action])
        now, found = np.eye(size)[0], []
        for _ in range(length):
            now = now @ step
            found.append(now.max())
        return np.array(found)


def brackets(deepest: int = DEEPEST) -> Source:
    """Beginnings of words of one kind of bracket (Dyck(1, ``deepest``)); the state is how many are open.

    Where none is open the next one opens, where ``deepest`` are it closes: what comes then is told by the state.
    """
    line = walk(deepest + 1)
    return Source(Semiautomaton(line.states, ("close", "open"), line.moves), (1,), {0: 1, deepest: 0})


@cache
def source(name: SourceName) -> Source:
    """The source of that name, made once."""
    if name == "Dyck(1, 8)":
        return brackets()
    return Source(
        *{
            "parity": (automaton("C2"), (1,)),
            "flip-flop": (automaton("flip-flop"), (1, 2)),
            "Grid9": (automaton("Grid9"), (1,)),
        }[name]
    )
