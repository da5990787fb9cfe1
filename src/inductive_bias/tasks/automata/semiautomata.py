"""Semiautomata: states, actions, and the state that each action leads to. No state accepts: the state is the answer."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int64, Integer

from inductive_bias.tasks.automata.groups import Group, permutations


@dataclass(frozen=True, eq=False)
class Semiautomaton:
    """Q, Σ and δ of Liu et al. (2023, section 2): q_t = δ(q_{t−1}, σ_t), from state 0.

    Attributes:
        states: what each state is, in words.
        actions: what each action is, in words.
        moves: ``moves[q, a]`` is δ(q, a), ``[s, k]``.
        chances: how often each action is drawn, ``[k]``; they sum to 1. Equal if not given.
        group: whose elements the states are, where every action is a product with a generator on the right.

    Raises:
        ValueError: if the shapes do not fit, a move leads to no state, or chances are none.
    """

    states: tuple[str, ...]
    actions: tuple[str, ...]
    moves: Int64[np.ndarray, "s k"]
    chances: Float[np.ndarray, " k"] | None = None
    group: Group | None = None

    def __post_init__(self) -> None:
        if self.moves.shape != (len(self.states), len(self.actions)):
            raise ValueError(
                f"moves must be {len(self.states)} states × {len(self.actions)} actions, not {self.moves.shape}"
            )
        if self.moves.min() < 0 or self.moves.max() >= len(self.states):
            raise ValueError(f"moves must lie in 0 … {len(self.states) - 1}, not {self.moves.tolist()}")
        if self.chances is None:
            object.__setattr__(self, "chances", np.full(len(self.actions), 1 / len(self.actions)))
        if (
            self.chances.shape != (len(self.actions),)
            or self.chances.min() < 0
            or not np.isclose(self.chances.sum(), 1)
        ):
            raise ValueError(f"chances must be one for each action and sum to 1, not {self.chances.tolist()}")

    def drawn(self, uniform: Float[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
        """Words from numbers in [0, 1), each action as often as its chance."""
        # without the last end, of which rounding may leave the sum of the chances short
        return np.searchsorted(self.chances.cumsum()[:-1], uniform, side="right")

    def run(self, words: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
        """The state after every action of words of one length."""
        states, found = np.zeros(len(words), np.int64), np.empty(words.shape, np.int64)
        for step in range(words.shape[1]):
            found[:, step] = states = self.moves[states, words[:, step]]
        return found

    def joined(self, word: Integer[np.ndarray, " t"]) -> list[Int64[np.ndarray, "n s"]]:
        """What a word does to every state, joined in pairs, in ⌈log₂ t⌉ rounds (Liu et al. 2023, theorem 1).

        The first table has a row an action, in each later one a row is what two neighbours of the one before do one
        after the other (a last one without a neighbour stays alone), and the last has one row, which is what the whole
        word does: ``out[-1][0, q]`` is the state after the word from state q.

        Raises:
            ValueError: if the word is empty.
        """
        if not len(word):
            raise ValueError("word must have an action, but it is empty")
        rounds = [self.moves.T[word]]
        while len(rounds[-1]) > 1:
            last = rounds[-1]
            pairs = np.take_along_axis(last[1::2], last[: len(last) // 2 * 2 : 2], axis=1)
            rounds.append(np.concatenate((pairs, last[len(last) // 2 * 2 :])))
        return rounds

    def distribution(self, length: int) -> Float[np.ndarray, "t s"]:
        """The chance of every state after 1 … ``length`` actions, exactly."""
        step = np.zeros((len(self.states), len(self.states)))
        for action, chance in enumerate(self.chances):
            np.add.at(step, (np.arange(len(self.states)), self.moves[:, action]), chance)
        now, found = np.eye(len(self.states))[0], []
        for _ in range(length):
            now = now @ step
            found.append(now)
        return np.array(found).reshape(length, len(self.states))

    def best_constant(self, length: int, classes: Int64[np.ndarray, " s"] | None = None) -> Float[np.ndarray, " t"]:
        """How often the best answer that knows the position alone is right, after 1 … ``length`` actions.

        Args:
            length: how many actions.
            classes: what is asked of every state; the state itself if None.
        """
        asked = np.eye(len(self.states)) if classes is None else np.eye(classes.max() + 1)[classes]
        return (self.distribution(length) @ asked).max(axis=1, initial=0)

    @cached_property
    def monoid(self) -> frozenset[tuple[int, ...]]:
        """Every map of states that some word makes; the empty word makes the identity."""
        identity = tuple(range(len(self.states)))
        found, seen = [identity], {identity}
        for each in found:
            for action in range(len(self.actions)):
                after = tuple(int(self.moves[state, action]) for state in each)
                if after not in seen:
                    seen.add(after)
                    found.append(after)
        return frozenset(seen)

    @property
    def permutes(self) -> bool:
        """Whether every action only exchanges states: nothing is ever forgotten."""
        return all(len(set(column)) == len(self.states) for column in self.moves.T.tolist())

    @cached_property
    def permutations(self) -> Group:
        """The group of permutations of the states that words make; of a group's elements it is that group again.

        Raises:
            ValueError: if some action is no permutation.
        """
        if not self.permutes:
            raise ValueError("some action leads two states to one, and is no permutation of the states")
        return permutations(self.moves.T.tolist())

    @property
    def aperiodic(self) -> bool:
        """Whether no map of states, done again and again, goes round in a circle of more than one (no group within)."""
        return all(_settles(each) for each in self.monoid)


def _settles(image: tuple[int, ...]) -> bool:
    power = image
    for _ in image:
        power = tuple(image[state] for state in power)
    return power == tuple(image[state] for state in power)


def cayley(group: Group, actions: Mapping[str, Hashable], names: tuple[str, ...] | None = None) -> Semiautomaton:
    """The states are the elements of a group, and every action multiplies by an element on the right.

    Args:
        group: whose identity is the start.
        actions: by name, the element.
        names: of the states; those of the elements unless given.
    """
    moves = np.stack([group.table[:, group.index(element)] for element in actions.values()], axis=1)
    return Semiautomaton(names or tuple(map(str, group.elements)), tuple(actions), moves, group=group)


def walk(cells: int) -> Semiautomaton:
    """Steps to the left and to the right on a line of cells, from the left end; walls at both ends stop them."""
    cell = np.arange(cells)
    moves = np.stack([np.maximum(cell - 1, 0), np.minimum(cell + 1, cells - 1)], axis=1)
    return Semiautomaton(tuple(str(place) for place in range(cells)), ("left", "right"), moves)


def flip_flop(writes: int = 2, reads: float = 0.5) -> Semiautomaton:
    """A memory of one symbol: action 0 reads and changes nothing, the others write theirs; empty at first."""
    moves = np.tile(np.arange(writes + 1), (writes + 1, 1))
    moves[:, 0] = np.arange(writes + 1)
    chances = np.array([reads, *[(1 - reads) / writes] * writes])
    symbols = tuple(str(symbol) for symbol in range(1, writes + 1))
    return Semiautomaton(("empty", *symbols), ("read", *(f"write {symbol}" for symbol in symbols)), moves, chances)


def product(first: Semiautomaton, second: Semiautomaton) -> Semiautomaton:
    """Two semiautomata side by side: a state, or an action, is a pair of theirs."""
    left, right = len(first.states), len(second.states)
    pairs = first.moves[:, None, :, None] * right + second.moves[None, :, None, :]
    return Semiautomaton(
        tuple(f"{a} {b}" for a in first.states for b in second.states),
        tuple(f"{a} {b}" for a in first.actions for b in second.actions),
        pairs.reshape(left * right, -1),
        np.outer(first.chances, second.chances).reshape(-1),
    )
