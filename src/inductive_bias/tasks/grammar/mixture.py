"""Sentences of the grammar in the natural mix of attractors, or with exactly as many as asked for.

In the natural mix the head noun is singular half the time, ``INTERVENING`` gives the probability of 0, 1, 2, …
intervening nouns, and each of them is an attractor (a noun of the other number) with probability ``OTHER_NUMBER``,
independently: 0, 1, 2, 3, 4 attractors have probability .8865, .0895, .0195, .0040 and .0005.

Two sentences with two attractors; the wrong form of the verb, and the distance of the verb from the head noun:

>>> for sentence in generate(2, rng=np.random.default_rng(8), attractors=2):
...     print(" ".join(sentence.words), "|", sentence.wrong_verb, sentence.distance)
the keys of a small woman that trusts my door are good . | is 9
the children with a house that some young driver helps travel . | travels 9
"""

from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from inductive_bias.tasks.grammar.sentences import PLURAL, SINGULAR, Plan, Sentence, Writer, capacity

INTERVENING = (0.80, 0.125, 0.045, 0.018, 0.012)
OTHER_NUMBER = 0.45
MAX_DEPTH = 4

_INTERVENING_EDGES = np.cumsum(INTERVENING)[:-1].tolist()
# the same where at least one intervening noun is an attractor
_ATTRACTED = np.array([p * (1 - (1 - OTHER_NUMBER) ** k) for k, p in enumerate(INTERVENING)])
_ATTRACTED_EDGES = (np.cumsum(_ATTRACTED) / _ATTRACTED.sum())[:-1].tolist()

Accept = Callable[[Sentence], bool]


def generate(
    n: int,
    *,
    rng: np.random.Generator,
    attractors: int | None = None,
    number: int | None = None,
    enrichment: float = 0.0,
    max_depth: int = MAX_DEPTH,
) -> list[Sentence]:
    """``n`` sentences of the grammar; fewer sentences from an equal ``rng`` are the first of more.

    Args:
        n: How many.
        rng: Source of all draws, read ahead in blocks.
        attractors: Exactly so many nouns intervene and every one is an attractor; the natural mix if None.
        number: Of the head noun, 0 singular or 1 plural; either, equally likely, if None.
        enrichment: The share of sentences in 0..1 that are drawn from those of the natural mix with an attractor.
        max_depth: How deeply modifiers may be nested; from 2 on.

    Raises:
        ValueError: if an argument is out of its range, or ``attractors`` and ``enrichment`` are both given.
    """
    if n < 0:
        raise ValueError(f"n should be 0 or more, not {n}")
    return list(
        islice(stream(rng, attractors=attractors, number=number, enrichment=enrichment, max_depth=max_depth), n)
    )


def stream(
    rng: np.random.Generator,
    *,
    attractors: int | None = None,
    number: int | None = None,
    enrichment: float = 0.0,
    max_depth: int = MAX_DEPTH,
    accept: Accept | None = None,
) -> Iterator[Sentence]:
    """Sentences without end, as ``generate`` has them.

    One that ``accept`` refuses is drawn again with as many nouns of the same numbers, so that refusing changes nothing
    of the counts.

    Raises:
        ValueError: as ``generate``.
    """
    if max_depth < 2:
        raise ValueError(f"max_depth should be 2 or more, not {max_depth}")
    if attractors is not None and not 0 <= attractors <= capacity(max_depth):
        raise ValueError(
            f"attractors should be 0..{capacity(max_depth)} where max_depth is {max_depth}, not {attractors}"
        )
    if number not in (None, SINGULAR, PLURAL):
        raise ValueError(f"number should be 0 (singular), 1 (plural) or None, not {number}")
    if not 0 <= enrichment <= 1:
        raise ValueError(f"enrichment should be in 0..1, not {enrichment}")
    if attractors is not None and enrichment:
        raise ValueError(f"enrichment belongs to the natural mix; attractors={attractors} leaves nothing to enrich")
    return _stream(Writer(rng, max_depth), attractors, number, enrichment, accept)


def _stream(
    writer: Writer, attractors: int | None, number: int | None, enrichment: float, accept: Accept | None
) -> Iterator[Sentence]:
    while True:
        plan = _plan(writer.u, attractors, number, enrichment)
        sentence = writer.write(plan)
        while accept is not None and not accept(sentence):
            sentence = writer.write(plan)
        yield sentence


def _plan(u: Callable[[], float], attractors: int | None, number: int | None, enrichment: float) -> Plan:
    """Numbers of the head and of the intervening nouns, from uniform numbers ``u()``."""
    head = int(u() < 0.5) if number is None else number
    if attractors is not None:
        return head, [1 - head] * attractors
    if u() >= enrichment:
        count = bisect(_INTERVENING_EDGES, u())
        return head, [1 - head if u() < OTHER_NUMBER else head for _ in range(count)]
    count = bisect(_ATTRACTED_EDGES, u())
    while True:
        numbers = [1 - head if u() < OTHER_NUMBER else head for _ in range(count)]
        if 1 - head in numbers:
            return head, numbers
