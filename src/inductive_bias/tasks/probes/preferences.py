"""Probes of which rule a model prefers where two rules explain the training data equally well."""

from typing import ClassVar

import numpy as np
from jaxtyping import Float64, Int64

from inductive_bias.tasks.probes.base import Preference, Words, asked_once, fading_sums

#: Nouns of each number, and words that say nothing.
NOUNS, FILLERS = 6, 8


class FirstNoun(Preference):
    """A verb agrees with the first noun, or with the nearest one? In training all nouns have one number."""

    name, axis = "first noun or nearest", "first noun"
    asks = "Does the verb follow the first noun of the sentence, or the nearest one?"
    rules = "the first noun", "the nearest noun"
    #: Singular nouns, plural ones, fillers, and the place of the verb, which is last.
    tokens, outputs, length = 2 * NOUNS + FILLERS + 1, 2, 16
    source = "Linzen et al. 2016, doi:10.1162/tacl_a_00115"
    attractors: ClassVar[tuple[int, ...]] = (1, 2)

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        number = rng.integers(2, size=count)
        nouns = 1 + rng.choice(self.attractors, size=count)
        return self._sentences(rng, number, np.stack((number, number), 1), nouns, length)

    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences on which the two rules differ, labelled by the first; and what the second says."""
        number = rng.integers(2, size=count)
        # two nouns: the nearest is not the majority as well
        words = self._sentences(rng, number, np.stack((number, 1 - number), 1), np.full(count, 2), length)
        return words, 1 - number

    def _sentences(
        self,
        rng: np.random.Generator,
        number: Int64[np.ndarray, " n"],
        numbers: Int64[np.ndarray, "n 2"],
        nouns: Int64[np.ndarray, " n"],
        length: int,
    ) -> Words:
        """The first noun has ``numbers[:, 0]``, all others ``numbers[:, 1]``; the label is ``number``."""
        count = len(number)
        tokens = 2 * NOUNS + 1 + rng.integers(FILLERS, size=(count, length))
        tokens[:, -1] = self.tokens
        # places of the nouns, the first of them among the first three words
        first = rng.integers(3, size=count)
        scores = rng.random((count, length - 1))
        scores[np.arange(length - 1) <= first[:, None]] = 2.0
        rest = scores.argsort(1)
        for which in range(max(self.attractors) + 1):
            place = first if which == 0 else rest[:, which - 1]
            there = which < nouns
            of = numbers[:, min(which, 1)]
            noun = of * NOUNS + rng.integers(NOUNS, size=count) + 1
            tokens[np.arange(count)[there], place[there]] = noun[there]
        return asked_once(tokens, length - 1, number)


class Recency(Preference):
    """The last symbol, or the most frequent one? In training they are one."""

    name, axis = "recency or majority", "recency"
    asks = "Does the answer follow the last symbol, or the most frequent one?"
    rules = "the last symbol", "the most frequent symbol"
    tokens, outputs, length = 3, 2, 16
    source = "after McCoy et al. 2020, arXiv:2001.03632"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        majority = rng.integers(2, size=count)
        return self._asked(rng, majority, majority, length, majority)

    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences on which the two rules differ, labelled by the first; and what the second says."""
        majority = rng.integers(2, size=count)
        return self._asked(rng, majority, 1 - majority, length, 1 - majority), majority

    def _asked(
        self,
        rng: np.random.Generator,
        majority: Int64[np.ndarray, " n"],
        last: Int64[np.ndarray, " n"],
        length: int,
        answers: Int64[np.ndarray, " n"],
    ) -> Words:
        """Bits with a majority of three at least, their last one, and the sign that asks."""
        bits = length - 1
        most = rng.integers((bits + 3) // 2, bits - 1, size=len(majority))
        # of the bits before the last one so many are the majority's, in random places
        before = most - (last == majority)
        ranks = rng.random((len(majority), bits - 1)).argsort(1).argsort(1)
        tokens = np.empty((len(majority), length), dtype=np.int64)
        tokens[:, : bits - 1] = np.where(ranks < before[:, None], majority[:, None], 1 - majority[:, None]) + 1
        tokens[:, bits - 1], tokens[:, bits] = last + 1, self.tokens
        return asked_once(tokens, bits, answers)


class Content(Preference):
    """The symbol after a marker, or the one at a place? In training the marker stands before that place."""

    name, axis = "content or position", "content"
    asks = "Is the answer found by what stands before it, or by its place?"
    rules = "the symbol after the marker", "the symbol at the place"
    symbols = 8
    #: Symbols, the marker, and the sign that asks.
    tokens, outputs, length = symbols + 2, symbols, 16
    source = "after Abnar et al. 2020, arXiv:2006.00555"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        tokens, _ = self._marked(rng, np.full(count, self._place(length)), length)
        return asked_once(tokens, length - 1, tokens[:, self._place(length) + 1] - 1)

    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences on which the two rules differ, labelled by the first; and what the second says."""
        usual = self._place(length)
        # neither at the place itself, nor where the marker or its symbol would be the one at the place
        elsewhere = [place for place in range(length - 2) if abs(place - usual) > 1]
        marker = rng.choice(elsewhere, size=count)
        tokens, after = self._marked(rng, marker, length)
        at_place = tokens[:, usual + 1] - 1
        # the two rules differ
        other = (at_place + 1 + rng.integers(self.symbols - 1, size=count)) % self.symbols
        after = np.where(after == at_place, other, after)
        tokens[np.arange(count), marker + 1] = after + 1
        return asked_once(tokens, length - 1, after), at_place

    @staticmethod
    def _place(length: int) -> int:
        """Where the marker stands in training."""
        return length // 3

    def _marked(
        self, rng: np.random.Generator, marker: Int64[np.ndarray, " n"], length: int
    ) -> tuple[Int64[np.ndarray, "n t"], Int64[np.ndarray, " n"]]:
        """Symbols with a marker at a place, and the symbol after it."""
        rows = np.arange(len(marker))
        tokens = rng.integers(self.symbols, size=(len(marker), length)) + 1
        tokens[rows, marker], tokens[:, -1] = self.symbols + 1, self.tokens
        return tokens, tokens[rows, marker + 1] - 1


class Counting(Preference):
    """Do n symbols of one kind follow n of another, or as many as always? In training n is one number.

    The label after each symbol of the second kind says whether another one follows.
    """

    name, axis = "count or memorise", "counting"
    asks = "Does the model count as far as the sequence says, or as far as it always went?"
    rules = "as many as came before", "as many as in training"
    letters = 4
    #: Letters of the first kind, and the second kind.
    tokens, outputs, length = letters + 1, 2, 20
    source = "Kharitonov & Chaabouni 2021, arXiv:2006.14953"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        usual = length // 2
        tokens = self._counted(rng, np.full(count, usual), length)
        labels = np.full((count, length), -1)
        labels[:, usual:] = np.arange(usual) == usual - 1
        return Words(tokens, labels)

    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences on which the two rules differ, labelled by the first; and what the second says."""
        usual = length // 2
        # as often fewer as more: an answer that is always the same is right in half of the sequences
        fewer = rng.integers(2, size=count).astype(bool)
        told = np.where(fewer, usual - rng.integers(2, 6, size=count), usual + rng.integers(2, 6, size=count))
        # asked where one rule stops for the first time, and the other goes on
        asked = np.minimum(told, usual)
        tokens = self._counted(rng, told, 2 * usual + 5)
        return asked_once(tokens, told + asked - 1, fewer.astype(np.int64)), (~fewer).astype(np.int64)

    def _counted(
        self, rng: np.random.Generator, told: Int64[np.ndarray, " n"], length: int
    ) -> Int64[np.ndarray, "n t"]:
        """``told`` times one letter, then the second kind to the end."""
        letters = rng.integers(self.letters, size=(len(told), 1)) + 1
        return np.where(np.arange(length) < told[:, None], letters, self.tokens)


class Decay(Preference):
    """A sum that fades with distance, or the values at multiples of a period? In training both have one sign.

    The first rule weighs the value ``n`` steps before the question by ``decay ** (n - 1)``. The second one takes the
    majority of three: the values one, two and three periods before the question. All values are fair coins, but for
    the condition that the rules agree (training) or differ (test). Both answers are equally frequent, because an
    exchange of all signs exchanges them: chance is .5, and either rule is right in all of training.

    No shorter way counts as learnt, which takes .95. Of all training sequences the last value gives .71, the most
    frequent value .90, one value at a period .81 at most, and the most frequent of the last values, of any number of
    them, .93. In conflicts the last value follows the first rule in .80.
    """

    name, axis = "decay or period", "decay"
    asks = "Does the answer follow a sum that fades with distance, or the values at multiples of a period?"
    rules = "the sum that fades", "the values one, two and three periods ago"
    decay, period = 0.85, 5
    #: A sum is at least so far from 0: a model need not know the decay to many digits.
    margin = 0.25
    #: Two values, and the sign that asks. One value is older than three periods: the first one is none of the three.
    tokens, outputs, length = 3, 2, 17
    source = "after Huang et al. 2023, openreview.net/forum?id=7YfHla7IxBJ (regular and cyclical recurrence)"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Sequences as in training."""
        words, _ = self._drawn(rng, count, length, agree=True)
        return words

    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences on which the two rules differ, labelled by the first; and what the second says."""
        return self._drawn(rng, count, length, agree=False)

    def _drawn(
        self, rng: np.random.Generator, count: int, length: int, *, agree: bool
    ) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Values that are drawn until the rules agree or differ, and what the second rule says.

        Raises:
            ValueError: if a sequence is too short for three periods and the question.
        """
        if length <= 3 * self.period:
            raise ValueError(f"length={length} must be at least {3 * self.period + 1}: three periods and the question")
        kept = np.empty((0, length - 1), dtype=np.int64)
        while len(kept) < count:
            values = 2 * rng.integers(2, size=(2 * count, length - 1)) - 1
            faded, periodic = self._sums(values)
            wanted = (np.abs(faded) >= self.margin) & ((faded * periodic > 0) == agree)
            kept = np.concatenate((kept, values[wanted]))
        values = kept[:count]
        faded, periodic = self._sums(values)
        tokens = np.concatenate(((values + 3) // 2, np.full((count, 1), self.tokens)), 1)
        return asked_once(tokens, length - 1, (faded > 0).astype(np.int64)), (periodic > 0).astype(np.int64)

    def _sums(self, values: Int64[np.ndarray, "n t"]) -> tuple[Float64[np.ndarray, " n"], Int64[np.ndarray, " n"]]:
        """What the signs of the two rules are taken of; an odd number of values has no tie."""
        return fading_sums(values, self.decay)[:, -1], values[:, [-n * self.period for n in (1, 2, 3)]].sum(1)
