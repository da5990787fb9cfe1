"""Which strings are trained on and which are held out."""

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, UInt8

from inductive_bias.tasks.formal.automata import Automaton

#: Symbols as numbers; strings of one list have lengths of their own.
String = UInt8[np.ndarray, " _"]


@dataclass(frozen=True, eq=False)
class Source:
    """Strings of a language up to a length, each length as probable as any other that has a string.

    Attributes:
        automaton: of the language.
        longest: symbols of the longest string.
        ways: weighted counts, see :meth:`Automaton.counts`.
        number: how many strings there are of each length.
    """

    automaton: Automaton
    longest: int
    ways: Float[np.ndarray, "lengths states"] = field(init=False)
    number: Float[np.ndarray, " lengths"] = field(init=False)

    def __post_init__(self) -> None:
        ways = self.automaton.counts(self.longest, weighted=True)
        even = bool((self.automaton.weights == 1).all())  # the two tables are one, and large for a counter
        number = ways if even else self.automaton.counts(self.longest)
        object.__setattr__(self, "ways", ways)
        object.__setattr__(self, "number", number[:, 0].copy())

    def lengths(self, shortest: int, longest: int) -> np.ndarray:
        """The lengths in this range of which there is a string.

        Raises:
            ValueError: if there is none.
        """
        found = shortest + np.flatnonzero(self.number[shortest : longest + 1])
        if not len(found):
            raise ValueError(f"the language has no string of {shortest} to {longest} symbols")
        return found

    def single(self, shortest: int, longest: int) -> bool:
        """Whether there is never more than one string of a length in this range."""
        return bool(self.number[shortest : longest + 1].max() <= 1)

    def draw(
        self,
        shortest: int,
        longest: int,
        count: int,
        rng: np.random.Generator,
        *,
        without: AbstractSet[bytes] = frozenset(),
    ) -> list[String]:
        """``count`` strings, the same one perhaps more than once, none of them ``without`` (given as bytes).

        Raises:
            ValueError: if there is no string of these lengths, or nothing of a length is left.
        """
        lengths, found = self.lengths(shortest, longest), []
        for length, held_out in Counter(map(len, without)).items():
            if shortest <= length <= longest and held_out >= self.number[length]:
                raise ValueError(f"no string of {length} symbols is left: all {held_out} are held out")
        wanted = rng.choice(lengths, count)
        while len(wanted):
            drawn = self._of(wanted, rng)
            found += [string for string in drawn if string.tobytes() not in without]
            # what was refused is drawn again of its own length, so that lengths stay even
            wanted = np.array([len(string) for string in drawn if string.tobytes() in without], np.int64)
        return found

    def draw_distinct(
        self, shortest: int, longest: int, count: int, rng: np.random.Generator, *, share: float = 1.0
    ) -> list[String]:
        """Different strings: ``count``, or as many as there are if at most ``share`` of each length may be taken."""
        lengths = self.lengths(shortest, longest)
        room = {int(length): int(self.number[length] * share) for length in lengths}
        taken: Counter[int] = Counter()
        found: dict[bytes, String] = {}
        while len(found) < count:
            free = [length for length in room if taken[length] < room[length]]
            if not free:
                break
            for string in self._of(rng.choice(free, count - len(found)), rng):
                if string.tobytes() not in found and taken[len(string)] < room[len(string)]:
                    found[string.tobytes()] = string
                    taken[len(string)] += 1
        return list(found.values())

    def _of(self, lengths: np.ndarray, rng: np.random.Generator) -> list[String]:
        """One string of each of these lengths, in an order that tells nothing of their length."""
        found: list[String] = []
        for length, count in zip(*np.unique(lengths, return_counts=True), strict=True):
            found += list(self.automaton.sample(int(length), int(count), rng, self.ways))
        return [found[place] for place in rng.permutation(len(found))]
