"""Spans of words read off their tags, and how many are right: the rules of conlleval (CoNLL-2000 shared task)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Words ``start`` to ``end`` (which is not among them) of a kind."""

    kind: str
    start: int
    end: int


class SpanScores(NamedTuple):
    """How many spans there are, how many are predicted, and how many of these are right: same kind, same ends.

    Shares are in [0, 1], and 0 where they would be of nothing, as conlleval has it.
    """

    actual: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """Share of the predicted spans that are right."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the actual spans that are predicted."""
        return self.right / self.actual if self.actual else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.right / (self.predicted + self.actual) if self.right else 0.0


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of one sentence, from its first to its last.

    A tag is ``O`` (outside), ``B-kind`` (a span begins) or ``I-kind`` (it goes on). An ``I-`` that continues nothing,
    because what is before it is outside or of another kind, begins a span; so every sequence of tags is allowed, as a
    model may give any.

    Raises:
        ValueError: for a tag of another form.
    """
    found: list[Span] = []
    kind, start = None, 0
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, of = tag.partition("-")
        if tag != "O" and (prefix not in ("B", "I") or not of):
            raise ValueError(f"a tag must be O, B-kind or I-kind, not {tag!r}")
        if prefix == "I" and of == kind:
            continue
        if kind is not None:
            found.append(Span(kind, start, place))
        kind, start = (None if tag == "O" else of), place
    return found


def span_scores(actual: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> SpanScores:
    """The spans of all sentences together (micro-average), each sentence given as its tags.

    Raises:
        ValueError: if there are not as many sentences, or tags of one, or a tag is of another form.
    """
    counts = [0, 0, 0]
    for number, (ours, theirs) in enumerate(zip(actual, predicted, strict=True)):
        if len(ours) != len(theirs):
            raise ValueError(f"sentence {number} has {len(ours)} tags, but {len(theirs)} predicted ones")
        first, second = set(spans(ours)), set(spans(theirs))
        counts = [old + new for old, new in zip(counts, map(len, (first, second, first & second)), strict=True)]
    return SpanScores(*counts)
