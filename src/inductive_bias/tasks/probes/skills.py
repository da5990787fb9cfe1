"""Probes of what a model learns from a fixed number of examples: to track a state, to recall, to nest."""

from itertools import permutations

import numpy as np
from jaxtyping import Int64

from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.probes.base import Skill, Words, fading_sums


class FlipFlop(Skill):
    """Two writes, two symbols to be ignored, and a read: which of both was written last?"""

    name, axis = "flip-flop", "state tracking"
    asks = "Which of two symbols was written last, however much came in between?"
    tokens, outputs, length = 5, 2, 32
    source = "Liu et al. 2023, arXiv:2306.00946"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        # 0, 1 write a bit, 2, 3 are noise, 4 reads; the first symbol writes
        actions = rng.choice(5, p=(0.05, 0.05, 0.35, 0.35, 0.2), size=(count, length))
        actions[:, 0] = rng.integers(2, size=count)
        written = _latest(np.where(actions < 2, actions, IGNORED))
        return Words(actions + 1, np.where(actions == 4, written, IGNORED))


class Parity(Skill):
    """Is the number of ones so far odd? A counter with two states, asked after every symbol."""

    name, axis = "parity", "state tracking"
    asks = "Is the number of ones so far odd?"
    tokens, outputs, length = 2, 2, 24
    source = "Hahn 2020, arXiv:1906.06755"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        bits = rng.integers(2, size=(count, length))
        return Words(bits + 1, bits.cumsum(1) % 2)


#: The six orders of three things, and what each of three moves makes of them: nothing, an exchange, a rotation.
ORDERS = list(permutations(range(3)))
MOVES = [(0, 1, 2), (1, 0, 2), (1, 2, 0)]
AFTER = np.array([[ORDERS.index(tuple(order[place] for place in move)) for move in MOVES] for order in ORDERS])


class Permutations(Skill):
    """Which of six orders do three things have after every move? Moves do not commute, unlike those of a counter."""

    name, axis = "permutations", "state tracking"
    asks = "In which order are three things, after moves that exchange or rotate them?"
    tokens, outputs, length = 3, 6, 16
    source = "Liu et al. 2023, arXiv:2210.10749 (S3)"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        moves, order = rng.integers(3, size=(count, length)), np.zeros(count, dtype=np.int64)
        labels = np.empty_like(moves)
        for place in range(length):
            labels[:, place] = order = AFTER[order, moves[:, place]]
        return Words(moves + 1, labels)


class Brackets(Skill):
    """Which kind of bracket is open after a closing one: none, round or square? Depth is at most :attr:`deepest`."""

    name, axis = "brackets", "nesting"
    asks = "Which kind of bracket is open after one was closed?"
    tokens, outputs, length = 4, 3, 32
    source = "Hewitt et al. 2020, arXiv:2010.07515"
    deepest = 6

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        stack, depth = np.zeros((count, self.deepest + 1), dtype=np.int64), np.zeros(count, dtype=np.int64)
        kinds, opens = rng.integers(2, size=(count, length)), rng.random((count, length)) < 0.5
        tokens, labels = np.empty((count, length), dtype=np.int64), np.full((count, length), IGNORED)
        every = np.arange(count)
        for place in range(length):
            opening = (depth == 0) | (opens[:, place] & (depth < self.deepest))
            # 1, 2 open, 3, 4 close; what is on the stack is 1 or 2, and 0 below it
            tokens[:, place] = np.where(opening, kinds[:, place] + 1, stack[every, depth] + 2)
            depth = depth + np.where(opening, 1, -1)
            stack[every[opening], depth[opening]] = kinds[opening, place] + 1
            labels[:, place] = np.where(opening, IGNORED, stack[every, depth])
        return Words(tokens, labels)


class Recall(Skill):
    """Pairs of a key and a value, then keys in any order: which value came with each? It follows its key again."""

    name, axis = "recall", "recall"
    asks = "Which value came with this key?"
    keys, values = 32, 8
    tokens, outputs, length = keys + values, values, 32
    source = "Arora et al. 2023, arXiv:2312.04927 (multi-query associative recall)"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        pairs = min(length // 4, self.keys)
        keys = rng.random((count, self.keys)).argsort(1)[:, :pairs]
        values = rng.integers(self.values, size=(count, pairs))
        asked = rng.integers(pairs, size=(count, length // 2 - pairs))
        rows = np.arange(count)[:, None]
        tokens, labels = np.empty((count, length), dtype=np.int64), np.full((count, length), IGNORED)
        said = np.concatenate((values, values[rows, asked]), 1)
        tokens[:, 0::2] = np.concatenate((keys, keys[rows, asked]), 1) + 1
        tokens[:, 1::2] = said + self.keys + 1
        labels[:, 2 * pairs :: 2] = said[:, pairs:]
        return Words(tokens, labels)


class FadingSum(Skill):
    """Which sign has a sum of ones and minus ones that fades with distance? Asked after every symbol.

    A state of one number solves it, ``s_t = .9 · s_{t−1} ± 1``, and no value has to be looked up. A sum is never 0: a
    polynomial whose coefficients are all 1 or −1 has no rational root but 1 and −1. So the ceiling is 1. Chance is .5,
    because an exchange of all signs exchanges the answers. The last symbol alone gives .72 at the training length and
    .69 at four times of it; all symbols, each counted once, give .85 and .71; the last eleven .89 and .87.
    """

    name, axis = "fading sum", "recurrent signal"
    asks = "Which sign has the sum of all symbols so far, if each one fades with distance?"
    decay = 0.9
    tokens, outputs, length = 2, 2, 32
    source = "after Huang et al. 2023, openreview.net/forum?id=7YfHla7IxBJ (regular recurrence)"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        bits = rng.integers(2, size=(count, length))
        return Words(bits + 1, (fading_sums(2 * bits - 1, self.decay) > 0).astype(np.int64))


class SelectiveCopy(Skill):
    """Some symbols among blanks, then as many questions: which symbols were there, in their order?"""

    name, axis = "selective copy", "recall"
    asks = "Which symbols stood among the blanks, in their order?"
    symbols, share = 8, 8
    #: A blank, and the sign that asks for the next symbol.
    tokens, outputs, length = symbols + 2, symbols, 32
    source = "Gu & Dao 2023, arXiv:2312.00752"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        kept = length // self.share
        seen = length - kept
        places = np.sort(rng.random((count, seen)).argsort(1)[:, :kept], 1)
        symbols = rng.integers(self.symbols, size=(count, kept))
        tokens = np.full((count, length), self.symbols + 1)
        tokens[np.arange(count)[:, None], places] = symbols + 1
        tokens[:, seen:] = self.symbols + 2
        labels = np.full((count, length), IGNORED)
        labels[:, seen:] = symbols
        return Words(tokens, labels)


def _latest(values: Int64[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """The last value that is not −1, at every place; the first of a row must be one."""
    places = np.where(values != IGNORED, np.arange(values.shape[1]), 0)
    return np.take_along_axis(values, np.maximum.accumulate(places, 1), 1)
