"""One example of number prediction, and how sets of them are kept apart."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from inductive_bias.tasks.data import stratified_order

VBZ, VBP = 0, 1  # singular, plural
LABELS = {"VBZ": VBZ, "VBP": VBP}
UNKNOWN = -1


class Row(NamedTuple):
    """The words before a verb, joined by single spaces, and the number of the verb.

    ``attractors`` counts the nouns between subject and verb of the other number, where all of them are of it; -1 where
    not known. ``distance`` is that of the verb from its subject in words, 1 for neighbours; -1 where not known.
    ``intervening`` counts all nouns between them, of either number; -1 where not known.
    """

    preamble: str
    label: int
    attractors: int = UNKNOWN
    distance: int = UNKNOWN
    intervening: int = UNKNOWN


Rows = list[Row]


class Parsed(NamedTuple):
    """The rows of a file or text, what was left out of it by reason, and the SHA-256 of the files by name.

    ``own`` names the files that are not the public ones.
    """

    rows: Rows
    skipped: Counter[str]
    sha256: dict[str, str]
    own: tuple[str, ...] = ()


def preambles(*sets: Iterable[Row]) -> set[str]:
    """The distinct preambles of all ``sets``."""
    return {row.preamble for rows in sets for row in rows}


def without(rows: Rows, seen: Collection[str]) -> Rows:
    """The rows whose preamble is not among ``seen``."""
    return [row for row in rows if row.preamble not in seen]


def split_by_preamble(
    rows: Rows, shares: Sequence[float], *, by: Callable[[Row], int], seed: int
) -> tuple[list[Row], ...]:
    """Cut rows into parts so that all rows of one preamble are in the same part.

    Args:
        rows: To be cut.
        shares: Share of the rows for each part but the last, which has the rest; met to within one preamble.
        by: The parts have its values in proportion (the value of a preamble is that of its first row).
        seed: Decides the order in which preambles are dealt.

    Returns:
        ``len(shares) + 1`` parts, each in the order of ``rows``.
    """
    size = Counter(row.preamble for row in rows)
    first = {row.preamble: by(row) for row in reversed(rows)}
    distinct = list(size)
    order = stratified_order(np.array([first[preamble] for preamble in distinct], dtype=np.int64), seed=seed)
    dealt = np.cumsum([size[distinct[i]] for i in order])
    part_of = np.searchsorted(np.cumsum(shares) * len(rows), dealt)
    part = {distinct[i]: int(number) for i, number in zip(order, part_of, strict=True)}
    parts: tuple[list[Row], ...] = tuple([] for _ in range(len(shares) + 1))
    for row in rows:
        parts[part[row.preamble]].append(row)
    return parts
