"""Deterministic finite automata as tables: what they accept, what may follow, and strings drawn from them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int64, Integer, UInt8

#: Where no symbol leads back from. As an index it means the last column, which tables of counts keep at zero.
DEAD = -1


@dataclass(frozen=True, eq=False)
class Automaton:
    """States 0 … s − 1, of which 0 is the start, and for each state and symbol the next one.

    Attributes:
        symbols: the alphabet, one character a symbol.
        moves: next state ``[s, k]``, or `DEAD`.
        accepting: whether a string may end in the state, ``[s]``.
        weights: how often each symbol is drawn relative to the others, ``[k]``; equal if not given, so that all
            strings of one length are equally probable.

    Raises:
        ValueError: if the shapes do not fit, or a move leads to no state.
    """

    symbols: str
    moves: Int64[np.ndarray, "s k"]
    accepting: Bool[np.ndarray, " s"]
    weights: Float[np.ndarray, " k"] = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        states, symbols = self.moves.shape
        if symbols != len(self.symbols) or self.accepting.shape != (states,):
            raise ValueError(
                f"moves of shape {self.moves.shape} need as many symbols and accepting states, not "
                f"{len(self.symbols)} and {self.accepting.shape}"
            )
        if self.moves.min(initial=0) < DEAD or self.moves.max(initial=0) >= states:
            raise ValueError(f"moves must lie in {DEAD} … {states - 1}, not {self.moves.tolist()}")
        if self.weights is None:
            object.__setattr__(self, "weights", np.ones(symbols))

    @classmethod
    def of(cls, symbols: str, moves: Iterable[Iterable[int]], accepting: Iterable[int], **options: object):
        """An automaton from plain lists: rows of next states, and the accepting ones."""
        table = np.array([list(row) for row in moves], np.int64)
        return cls(symbols, table, np.isin(np.arange(len(table)), list(accepting)), **options)

    @property
    def live(self) -> Bool[np.ndarray, " s"]:
        """Whether an accepting state can still be reached."""
        found = self.accepting
        while True:
            more = found | np.append(found, False)[self.moves].any(axis=1)
            if (more == found).all():
                return found
            found = more

    def legal(self, kept: Bool[np.ndarray, " s"]) -> Bool[np.ndarray, "s k"]:
        """Which symbols lead from each state to one of the states ``kept``."""
        return np.append(kept, False)[self.moves]

    def encode(self, strings: Iterable[str]) -> list[UInt8[np.ndarray, " _"]]:
        """Symbols as their numbers 0 … k − 1."""
        return [np.array([self.symbols.index(symbol) for symbol in string], np.uint8) for string in strings]

    def trace(self, strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
        """The state after each symbol of strings of one length; once `DEAD`, always so."""
        moves = np.vstack([self.moves, np.full(self.moves.shape[1], DEAD)])
        states = np.zeros(len(strings), np.int64)
        found = np.empty(strings.shape, np.int64)
        for step in range(strings.shape[1]):
            found[:, step] = states = moves[states, strings[:, step]]
        return found

    def accepts(self, string: str) -> bool:
        """Whether the string belongs to the language."""
        (encoded,) = self.encode([string])
        state = self.trace(encoded[None])[0, -1] if string else 0
        return bool(state != DEAD and self.accepting[state])

    def counts(self, length: int, *, weighted: bool = False) -> Float[np.ndarray, "lengths states"]:
        """How many strings of 0 … ``length`` symbols lead from each state to an accepting one; the last column is 0.

        Args:
            length: of the longest.
            weighted: count a string as often as the product of its symbols' ``weights`` says.

        Raises:
            ValueError: if there are more than a float64 can hold (about 10³⁰⁸).
        """
        table = np.zeros((length + 1, len(self.moves) + 1))
        table[0, :-1] = self.accepting
        weights = self.weights if weighted else np.ones(len(self.symbols))
        with np.errstate(over="ignore"):
            for left in range(1, length + 1):
                table[left, :-1] = table[left - 1][self.moves] @ weights
        if not np.isfinite(table).all():
            raise ValueError(f"length={length} is too long: the strings of this length cannot be counted in float64")
        return table

    def sample(
        self, length: int, count: int, rng: np.random.Generator, ways: Float[np.ndarray, "lengths states"]
    ) -> UInt8[np.ndarray, "n t"]:
        """``count`` strings of the language, independent draws among all of ``length``.

        Args:
            length: symbols of each.
            count: how many.
            rng: decides.
            ways: weighted :meth:`counts` of at least ``length`` symbols.

        Raises:
            ValueError: if the language has no string of this length.
        """
        if not ways[length, 0]:
            raise ValueError(f"the language has no string of length {length}")
        states, strings = np.zeros(count, np.int64), np.empty((count, length), np.uint8)
        for step in range(length):
            # a symbol is as probable as its share of all ways to go on from here to an accepted end
            share = (ways[length - step - 1][self.moves[states]] * self.weights).cumsum(axis=1)
            drawn = (share <= rng.random(count)[:, None] * share[:, -1:]).sum(axis=1)
            states, strings[:, step] = self.moves[states, drawn], drawn
        return strings
