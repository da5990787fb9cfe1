"""Figures for a phone: panels that stand side by side are put under one another, with their letters as large as before.

A figure of several panels is wider than a phone, and shrunk to its width it could not be read. So a second picture is
made from the first while the pages are written: it is cut between the columns of panels, and each column gets what the
figure has only once: the names beside the first column, the titles of rows behind the last one, the legend above.
Nothing is drawn again, so that a figure on a phone shows what it shows on a desk. Where the cut is not sure (something
lies across it, or no panels are found) there is no second picture, and the figure scrolls as before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PIL import Image

#: A pixel with a channel below this is ink; the lightest is a grid's line.
WHITE = 250
#: Pixels of the shortest side of a panel, of a gap within one (between cells of a heat map), and of the tolerance
#: within which two edges are one.
SHORTEST, GAP, NEAR = 60, 5, 6
#: Pixels between two entries of a legend, and at least between the name of an axis and the names of its ticks.
BETWEEN_ENTRIES, BETWEEN_NAMES = 34, 6
#: Pixels up to which a line of text is that of the panels that it stands above or below, and between two lines of one.
CLOSE, BETWEEN_LINES = 20, 10
#: Pixels up to which something right of the last panels is the title of a row.
ROW_TITLE = 45
#: Pixels between two pieces.
SPACE = 24


class Span(NamedTuple):
    """From one row or column of pixels up to, and without, another."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of pixels."""
        return self.stop - self.start

    @property
    def middle(self) -> float:
        """Their centre."""
        return (self.start + self.stop) / 2


@dataclass(frozen=True)
class Panel:
    """The rectangle that the axes of a figure span.

    Attributes:
        x: from left to right.
        y: from the top down.
    """

    x: Span
    y: Span


def stacked(picture: Image.Image, widest: int) -> Image.Image | None:
    """The picture with its panels in as many columns as ``widest`` pixels have room for.

    None if it is not wider, if it has one column of panels, or if it cannot be cut.
    """
    if picture.width <= widest:
        return None
    pixels = np.asarray(picture.convert("RGB"))
    ink = (pixels < WHITE).any(axis=2)
    columns = columns_of(panels_in(ink))
    if len(columns) < 2:
        return None
    cut = _Cut.of(ink, columns)
    pieces = cut and cut.pieces(widest)
    if not pieces:
        return None
    found = _under_one_another([pixels[rows][:, places] for rows, places in pieces])
    whole = len(panels_in((found < WHITE).any(axis=2))) == sum(map(len, columns))
    return Image.fromarray(found) if whole else None


def panels_in(ink: np.ndarray) -> list[Panel]:
    """Panels of a figure: a long line or the edge of a filled area, down to a corner, and from there to the right."""
    down, across = _long_runs(ink.T), _long_runs(ink)
    found, before = [], []
    for x in range(ink.shape[1]):
        for run in down.get(x, []):
            # within a line or an area the pixels to the left are inked as well
            if any(min(run.stop, old.stop) - max(run.start, old.start) > 0.8 * run.size for old in before):
                continue
            lines = [line for y in range(max(run.stop - 4, 0), run.stop) for line in across.get(y, [])]
            bottoms = [line.stop for line in lines if abs(line.start - x) <= NEAR // 2]
            if bottoms:
                found.append(Panel(Span(x, max(bottoms)), run))
        before = down.get(x, [])
    return [one for one in found if not any(_within(one, other) for other in found)]


def _long_runs(ink: np.ndarray) -> dict[int, list[Span]]:
    """Runs of ink in each row that are as long as a panel, short breaks filled."""
    padded = np.pad(ink, ((0, 0), (GAP, GAP)))
    size = ink.shape[1] + GAP
    near = np.any([padded[:, shift : shift + size] for shift in range(GAP + 1)], axis=0)
    closed = np.all([near[:, shift : shift + ink.shape[1]] for shift in range(GAP + 1)], axis=0)
    edges = np.diff(np.pad(closed, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (rows, starts), (_, stops) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    found: dict[int, list[Span]] = {}
    for each in np.flatnonzero(stops - starts >= SHORTEST):
        found.setdefault(int(rows[each]), []).append(Span(int(starts[each]), int(stops[each])))
    return found


def _within(one: Panel, other: Panel) -> bool:
    inside = all(b.start <= a.start and a.stop <= b.stop for a, b in ((one.x, other.x), (one.y, other.y)))
    return inside and one != other


def columns_of(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Panels by the columns they stand in, from left to right; none if two overlap without being one."""
    columns: list[list[Panel]] = []
    for panel in sorted(panels, key=lambda each: each.x):
        if columns and abs(columns[-1][0].x.start - panel.x.start) <= NEAR:
            if abs(columns[-1][0].x.stop - panel.x.stop) > NEAR:
                return []
            columns[-1].append(panel)
        elif columns and panel.x.start < columns[-1][0].x.stop:
            return []
        else:
            columns.append([panel])
    return columns


@dataclass(frozen=True)
class _Cut:
    """Where a figure is cut.

    Attributes:
        ink: of the figure.
        boxes: from the left edge of each column's panels to the right one.
        edges: of the columns with what belongs to them: one more than there are columns.
        zone: rows of the columns, with titles above and names below; what is above or below is of all of them.
        body: rows of the panels alone.
    """

    ink: np.ndarray
    boxes: list[Span]
    edges: list[int]
    zone: Span
    body: Span

    @classmethod
    def of(cls, ink: np.ndarray, columns: list[list[Panel]]) -> "_Cut | None":
        boxes = [Span(column[0].x.start, max(each.x.stop for each in column)) for column in columns]
        panels = [panel for column in columns for panel in column]
        body = Span(min(each.y.start for each in panels), max(each.y.stop for each in panels))
        inner = []
        for box, after in pairwise(boxes):
            cut = _first_gap(ink, body, Span(box.stop, after.start))
            if cut is None or _has_scale(ink[slice(*body), box.stop + 2 : after.start - 2]):
                return None
            inner.append(cut)
        above, below, titled = body.start, body.stop, False
        for line in reversed(_text_lines(ink, Span(0, body.start))):
            apart, text = above - line.stop, ink[slice(*line)]
            if apart > (BETWEEN_LINES if titled else CLOSE):
                break
            if apart == 0 and not titled and not _crosses(text, inner):  # a mark that stands out of its panel
                above = line.start
                continue
            # a title of two lines stands beside some of one
            named = _columns_named(text, boxes, inner)
            if named is None or not (titled or named == len(boxes)):
                return None
            above, titled = line.start, True
        for line in _text_lines(ink, Span(body.stop, ink.shape[0])):
            text = ink[slice(*line)]
            if line.start - body.stop > CLOSE and _is_of_all(text, boxes):
                break
            if _crosses(text, inner):
                return None
            below = line.stop
        zone = Span(above, below)
        if _crosses(ink[slice(*zone)], inner):
            return None
        return cls(ink, boxes, [0, *inner, ink.shape[1]], zone, body)

    def pieces(self, widest: int) -> list[tuple[slice, np.ndarray]] | None:
        """Rows and columns of pixels of each piece from the top down; None if one is too wide."""
        aside, right = self._right()
        blocks = self._blocks(widest, aside, right)
        if blocks is None:
            return None
        height = self.ink.shape[0]
        first, last = (self._lines(rows, widest) for rows in (Span(0, self.zone.start), Span(self.zone.stop, height)))
        if first is None or last is None:
            return None
        beside = []
        if right is not None and not aside:
            if right.size > widest:
                return None
            inked = np.flatnonzero(self.ink[slice(*self.zone), slice(*right)].any(axis=1)) + self.zone.start
            beside = [(slice(int(inked[0]), int(inked[-1]) + 1), np.arange(*right))]
        return [*first, *beside, *blocks, *last]

    def _right(self) -> tuple[bool, Span | None]:
        """What stands right of the last panels, and whether every block gets it: titles of rows, a scale of colours."""
        body, last = slice(*self.body), self.boxes[-1].stop + 2
        spans = list(_runs(self.ink[body, last:].any(axis=0), 1))
        ends = zip(self.boxes, self.edges[1:-1], strict=False)
        if not spans or any(self.ink[body, box.stop + 2 : edge].any() for box, edge in ends):
            return False, None  # nothing, or each column has something there
        size = spans[-1].stop - spans[0].start
        scale = _has_scale(self.ink[body, last:]) and size <= 4 * ROW_TITLE
        return scale or size <= ROW_TITLE, Span(last + spans[0].start, self.ink.shape[1])

    def _blocks(self, widest: int, aside: bool, right: Span | None) -> list[tuple[slice, np.ndarray]] | None:
        count = len(self.boxes)
        ends = [*self.edges[:-1], self.edges[-1] if right is None else right.start]
        suffix = np.arange(*right) if aside and right is not None else np.arange(0)
        for together in range(count - 1, 0, -1):
            number = -(-count // together)
            blocks = []
            for group in np.array_split(np.arange(count), number):
                own = np.arange(ends[group[0]], ends[group[-1] + 1])
                # a column may have fewer panels than others, and the names beside the others are none of its
                stop = self.zone.start + int(np.flatnonzero(self.ink[slice(*self.zone)][:, own].any(axis=1))[-1]) + 1
                places = self._trimmed(np.concatenate([self._names(int(group[0])), own, suffix]))
                blocks.append((slice(self.zone.start, stop), places))
            if max(len(places) for _, places in blocks) <= widest:
                return blocks
        return None

    def _names(self, column: int) -> np.ndarray:
        """What stands left of the first panels and is said of this column too: names of an axis and of its ticks."""
        if column == 0:
            return np.arange(0)
        first, own = self._beside(0), self._beside(column)
        missing = len(first) - len(own)
        if missing <= 0 or (own and self._alike(first[0], Span(*(self.edges[column] + each for each in own[0])))):
            return np.arange(0)
        stop = min(first[missing - 1].stop + BETWEEN_NAMES, self.boxes[0].start - 1)
        return np.arange(0, stop)

    def _beside(self, column: int) -> list[Span]:
        """What stands left of a column's panels, without what touches them: ticks, and marks that stand out of them."""
        left = self.ink[slice(*self.zone), self.edges[column] : self.boxes[column].start - 1]
        return [span for span in _joined(left) if span.stop < left.shape[1] - NEAR // 2]

    def _alike(self, one: Span, other: Span) -> bool:
        """Whether two columns have the same name of their axis."""
        inked = [int(self.ink[slice(*self.zone), slice(*each)].sum()) for each in (one, other)]
        return abs(one.size - other.size) <= 2 and abs(inked[0] - inked[1]) <= 0.05 * max(inked)

    def _trimmed(self, places: np.ndarray) -> np.ndarray:
        """Without white columns at both ends, but for a few."""
        inked = np.flatnonzero(self.ink[slice(*self.zone)][:, places].any(axis=0))
        return places[max(inked[0] - GAP, 0) : inked[-1] + GAP + 1]

    def _lines(self, rows: Span, widest: int) -> list[tuple[slice, np.ndarray]] | None:
        """What is above or below all columns, line by line; entries that have no room go to the next line."""
        found = []
        for line in _text_lines(self.ink, rows):
            own = slice(*line)
            entries = _joined(self.ink[own], BETWEEN_ENTRIES)
            while entries:
                stop = 1
                while stop < len(entries) and entries[stop].stop - entries[0].start <= widest:
                    stop += 1
                if entries[0].size > widest:
                    return None
                found.append((own, np.arange(entries[0].start, entries[stop - 1].stop)))
                entries = entries[stop:]
        return found


def _runs(inked: np.ndarray, least: int) -> Iterator[Span]:
    """Where a line of pixels is inked without a break, for at least so many."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inked, [False]]).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if stop - start >= least:
            yield Span(start, stop)


def _closed(inked: np.ndarray, gap: int = GAP) -> np.ndarray:
    """Line of pixels in which short breaks are filled."""
    closed = inked.copy()
    for pause in _runs(~inked, 1):
        if pause.size <= gap and pause.start > 0 and pause.stop < len(inked):
            closed[slice(*pause)] = True
    return closed


def _joined(ink: np.ndarray, gap: int = BETWEEN_NAMES) -> list[Span]:
    """Inked columns, as spans with at least so many white columns between them."""
    return list(_runs(_closed(ink.any(axis=0), gap - 1), 1))


def _first_gap(ink: np.ndarray, body: Span, between: Span) -> int | None:
    """Where to cut between two columns of panels, left of the second's names and through no text around; or None."""
    gaps = list(_runs(~ink[slice(*body), slice(*between)].any(axis=0), 3))
    if not gaps:
        return None
    start = between.start + gaps[0].start
    around = ink[max(body.start - 2 * CLOSE, 0) : body.stop + 2 * CLOSE, start : start + gaps[0].size].any(axis=0)
    free = list(_runs(~around, 3)) or [Span(0, gaps[0].size)]
    return start + int(max(free, key=lambda gap: gap.size).middle)


def _has_scale(ink: np.ndarray) -> bool:
    """Whether there is a scale of colours: a bar that is higher than a line of text, and wider than a line."""
    return sum(any(True for _ in _runs(column, SHORTEST)) for column in ink.T) > 2 * NEAR


def _text_lines(ink: np.ndarray, rows: Span) -> list[Span]:
    """Lines of text among some rows; the dot of an i belongs to its line."""
    return [Span(rows.start + a, rows.start + b) for a, b in _runs(_closed(ink[slice(*rows)].any(axis=1), 3), 1)]


def _crosses(ink: np.ndarray, cuts: Sequence[int]) -> bool:
    """Whether something lies on a cut."""
    return any(ink[:, cut - 1 : cut + 2].any() for cut in cuts)


def _columns_named(ink: np.ndarray, boxes: Sequence[Span], cuts: Sequence[int]) -> int | None:
    """How many columns have a title in a line of text, over their middle or left edge; None if it is something else."""
    if _crosses(ink, cuts):
        return None
    edges, named = [0, *cuts, ink.shape[1]], 0
    for box, start, stop in zip(boxes, edges, edges[1:], strict=False):
        places = np.flatnonzero(ink[:, start:stop].any(axis=0)) + start
        if not len(places):
            continue
        words, named = Span(int(places[0]), int(places[-1]) + 1), named + 1
        if abs(words.middle - box.middle) > 2 * NEAR and abs(words.start - box.start) > NEAR:
            return None
    return named


def _is_of_all(ink: np.ndarray, boxes: Sequence[Span]) -> bool:
    """Whether a line of text below panels is one name in the middle of all."""
    places = np.flatnonzero(ink.any(axis=0))
    words = Span(int(places[0]), int(places[-1]) + 1)
    inside = sum(box.start < words.stop and words.start < box.stop for box in boxes)
    return inside <= 1 and abs(words.middle - Span(boxes[0].start, boxes[-1].stop).middle) <= 2 * NEAR


def _under_one_another(pieces: Sequence[np.ndarray]) -> np.ndarray:
    """One picture of several, on white, each in the middle."""
    width = max(piece.shape[1] for piece in pieces)
    rows = []
    for piece in pieces:
        left = (width - piece.shape[1]) // 2
        room = ((0, SPACE), (left, width - piece.shape[1] - left), (0, 0))
        rows.append(np.pad(piece, room, constant_values=255))
    return np.concatenate(rows)[:-SPACE]
