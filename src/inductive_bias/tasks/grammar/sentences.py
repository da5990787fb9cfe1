"""A probabilistic grammar of English-like sentences in the present tense, for the agreement of a verb with its subject.

::

    near my doors ,   the key   to the cabinets   that the dogs chase   often is     old .
    ╰── opening ──╯       head  ╰─── phrase ───╯  ╰─ relative clause ─╯       verb   ╰ continuation
    ╰─────────────────────────── preamble ────────────────────────────────╯

    sentence     = [opening] subject [adverb] verb continuation "."
    opening      = adverb "," | place plain "," | subordinator plain verb "," | plain speech-verb "that"
    subject      = plain modifiers
    plain        = determiner adjective* noun
    modifiers    = [prepositional phrase] [relative clause]
    prepositional phrase = preposition plain modifiers
    relative clause      = "that" [adverb] verb                     (no noun; agrees with the noun before)
                         | "that" [adverb] verb plain modifiers     (subject relative; agrees with the noun before)
                         | "that" plain modifiers [adverb] verb     (object relative; agrees with its own noun)

Whatever is counted is decided before any word is (see ``mixture``): the number of the head noun and, in their order,
the numbers of the nouns that intervene between it and the verb. Half of the sentences have an opening, and most
openings have a noun, of either number: the head need not be the first noun, nor the last.
"""

from bisect import bisect
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inductive_bias.tasks.grammar import lexicon
from inductive_bias.tasks.grammar.lexicon import Forms

SINGULAR, PLURAL = 0, 1  # as the labels VBZ and VBP

Plan = tuple[int, list[int]]  # number of the head noun, numbers of the intervening nouns in their order


class Sentence(NamedTuple):
    """A sentence and what is known of its main clause.

    Attributes:
        words: All of it, full stop included.
        subject: Index of the head noun of the subject.
        verb: Index of the verb that agrees with it.
        wrong_verb: The form of the other number of that verb.
        number: Of the head noun: 0 singular (VBZ), 1 plural (VBP).
        intervening: Nouns between head noun and verb.
        attractors: Those of them that have the other number.
    """

    words: tuple[str, ...]
    subject: int
    verb: int
    wrong_verb: str
    number: int
    intervening: int
    attractors: int

    @property
    def preamble(self) -> tuple[str, ...]:
        """The words before the verb."""
        return self.words[: self.verb]

    @property
    def distance(self) -> int:
        """Index of the verb less that of the head noun; 1 where they are neighbours."""
        return self.verb - self.subject

    @property
    def wrong_words(self) -> tuple[str, ...]:
        """The sentence with the verb in its wrong number: the other half of a minimal pair."""
        return (*self.preamble, self.wrong_verb, *self.words[self.verb + 1 :])


def capacity(depth: int) -> int:
    """How many nouns the modifiers of a noun can hold: one of each of the two kinds a noun, ``depth`` deep."""
    return 2 ** (depth + 1) - 2


def _uniform(rng: np.random.Generator) -> Iterator[float]:
    """Numbers in 0..1; a block at a time, because one at a time costs five times as much."""
    while True:
        yield from rng.random(4096).tolist()


class _Words:
    """A list of words, the first the most frequent."""

    def __init__(self, words: tuple) -> None:
        self._words, self._edges = words, lexicon.zipf_edges(len(words))

    def __call__(self, at: float):
        return self._words[bisect(self._edges, at)]


_NOUNS = (_Words(lexicon.INANIMATE), _Words(lexicon.ANIMATE))
# by whether the subject is animate: somebody can do whatever a thing can
_TRANSITIVE = (_Words(lexicon.TRANSITIVE_ANY), _Words(lexicon.TRANSITIVE + lexicon.TRANSITIVE_ANY))
_INTRANSITIVE = (_Words(lexicon.INTRANSITIVE_ANY), _Words(lexicon.INTRANSITIVE + lexicon.INTRANSITIVE_ANY))
_SPEECH, _ADJECTIVES, _ADVERBS = _Words(lexicon.SPEECH), _Words(lexicon.ADJECTIVES), _Words(lexicon.ADVERBS)
_PREPOSITIONS, _PLACES = _Words(lexicon.PREPOSITIONS), _Words(lexicon.PLACES)
_OPENING_ADVERBS, _SUBORDINATORS = _Words(lexicon.OPENING_ADVERBS), _Words(lexicon.SUBORDINATORS)


class Writer:
    """Writes sentences word by word from a stream of uniform numbers ``self.u()``."""

    def __init__(self, rng: np.random.Generator, max_depth: int) -> None:
        self.u = _uniform(rng).__next__
        self.max_depth = max_depth
        self.words: list[str] = []
        self.numbers: Iterator[int] = iter(())  # of the intervening nouns still to be written

    def write(self, plan: Plan) -> Sentence:
        """A sentence with the nouns of the plan."""
        number, numbers = plan
        self.words, self.numbers = [], iter(numbers)
        self.opening()
        animate = self.plain(number, 0.6)
        subject = len(self.words) - 1
        self.modifiers(number, animate, len(numbers), self.max_depth)
        self.adverb(0.2)
        verb = len(self.words)
        forms = self.main_verb(number, animate)
        self.words.append(lexicon.STOP)
        attractors = sum(other != number for other in numbers)
        return Sentence(tuple(self.words), subject, verb, forms[1 - number], number, len(numbers), attractors)

    def either(self) -> int:
        """Singular or plural, equally likely."""
        return PLURAL if self.u() < 0.5 else SINGULAR

    def opening(self) -> None:
        """What may stand before the subject; three of its four kinds have a noun."""
        kind, words = self.u(), self.words
        if kind < 0.14:
            words += [_OPENING_ADVERBS(self.u()), lexicon.COMMA]
        elif kind < 0.28:
            self.phrase()
            words.append(lexicon.COMMA)
        elif kind < 0.39:
            words.append(_SUBORDINATORS(self.u()))
            number = self.either()
            animate = self.plain(number, 0.6)
            words += [_INTRANSITIVE[animate](self.u())[number], lexicon.COMMA]
        elif kind < 0.50:
            number = self.either()
            self.plain(number, 1.0)
            words += [_SPEECH(self.u())[number], lexicon.THAT]

    def plain(self, number: int, animate: float) -> bool:
        """Determiner, adjectives and noun, animate with the given probability; tells whether it is."""
        u, words = self.u, self.words
        choices = lexicon.DETERMINERS[number]
        determiner = choices[int(u() * len(choices))]
        start = len(words)
        words.append(determiner)
        how_many = u()
        if how_many < 0.4:
            words.append(_ADJECTIVES(u()))
            if how_many < 0.08 and (second := _ADJECTIVES(u())) != words[-1]:
                words.append(second)
        is_animate = u() < animate
        words.append(_NOUNS[is_animate](u())[number])
        if determiner == "a" and words[start + 1][0] in "aeiou":
            words[start] = "an"
        return is_animate

    def adverb(self, probability: float) -> None:
        """An adverb that goes before a verb, perhaps."""
        if self.u() < probability:
            self.words.append(_ADVERBS(self.u()))

    def modifiers(self, number: int, animate: bool, count: int, depth: int) -> None:
        """What follows a noun: phrases and clauses that hold ``count`` nouns, nested at most ``depth`` deep."""
        u = self.u
        if count == 0:
            if depth and u() < 0.1:
                self.clause_without_noun(number, animate)
            return
        most = 1 + capacity(depth - 1)
        if count <= most and (count == 1 or u() < 0.7):
            in_phrase = count if u() < 0.55 else 0
        else:
            low, high = max(1, count - most), min(count - 1, most)
            in_phrase = low + int(u() * (high - low + 1))
        if in_phrase:
            self.words.append(_PREPOSITIONS(u()))
            self.intervening(in_phrase, 0.3, depth)
        if count > in_phrase:
            self.clause(number, animate, count - in_phrase, depth)

    def intervening(self, count: int, animate: float, depth: int) -> tuple[int, bool]:
        """A noun and its modifiers, ``count`` nouns in all; tells the noun's number and whether it is animate."""
        number = next(self.numbers)
        is_animate = self.plain(number, animate)
        self.modifiers(number, is_animate, count - 1, depth - 1)
        return number, is_animate

    def clause(self, number: int, animate: bool, count: int, depth: int) -> None:
        """A relative clause with ``count`` nouns, of a noun that is its subject or its object."""
        self.words.append(lexicon.THAT)
        if self.u() < 0.5:
            self.adverb(0.1)
            self.words.append(_TRANSITIVE[animate](self.u())[number])
            self.intervening(count, 0.5, depth)
        else:
            number, animate = self.intervening(count, 0.8, depth)
            self.adverb(0.1)
            self.words.append(_TRANSITIVE[animate](self.u())[number])

    def clause_without_noun(self, number: int, animate: bool) -> None:
        """A relative clause of its verb only, or of "to be" and an adjective."""
        self.words.append(lexicon.THAT)
        self.adverb(0.1)
        if self.u() < 0.4:
            self.words += [lexicon.BE[number], _ADJECTIVES(self.u())]
        else:
            self.words.append(_INTRANSITIVE[animate](self.u())[number])

    def main_verb(self, number: int, animate: bool) -> Forms:
        """The verb of the sentence and what follows it; gives both forms of the verb."""
        kind, words = self.u(), self.words
        if kind < 0.3:
            words.append(lexicon.BE[number])
            if self.u() < 0.6:
                words.append(_ADJECTIVES(self.u()))
            else:
                self.phrase()
            return lexicon.BE
        if kind < 0.6:
            forms = _INTRANSITIVE[animate](self.u())
            words.append(forms[number])
            if self.u() < 0.5:
                self.phrase()
            return forms
        forms = lexicon.HAVE if kind < 0.7 else _TRANSITIVE[animate](self.u())
        words.append(forms[number])
        self.plain(self.either(), 0.5)
        if self.u() < 0.2:
            self.phrase()
        return forms

    def phrase(self) -> None:
        """A preposition of place and its noun, before or after the clause."""
        self.words.append(_PLACES(self.u()))
        self.plain(self.either(), 0.3)
