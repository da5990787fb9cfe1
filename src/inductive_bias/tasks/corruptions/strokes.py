"""A dotted line and a zigzag drawn over the digit.

Coordinates are (column, row) in pixels; a stroke is bright along a straight line and fades above and below it.
"""

import numpy as np
from jaxtyping import Float, Num

SIDE = 28
REACH = 2.3  # the stroke's brightness 1 + log(1 - d / REACH) is 0 at d = 1.45 pixels

Images = Float[np.ndarray, "n 28 28"]
Points = Num[np.ndarray, "n 2"]


def segment(start: Points, end: Points) -> Images:
    """Stroke from ``start`` to ``end``: ``1 + log(1 - d / 2.3)``, cut to 0..1, at ``d`` pixels above or below the line.

    Only columns from the one that holds ``start`` up to, and without, the one at or after ``end`` are painted; ``end``
    lies to the right of ``start``.
    """
    column = np.arange(SIDE)
    (c0, r0), (c1, r1) = (point.T[:, :, None] for point in (start, end))
    line = r0 + (r1 - r0) / (c1 - c0) * (column - c0)  # [n, column]
    distance = np.abs(np.arange(SIDE)[None, :, None] - line[:, None, :])
    # the clip keeps the logarithm finite beyond the reach, where the stroke is 0 anyway
    stroke = np.clip(1 + np.log(1 - np.minimum(distance, REACH - 1e-10) / REACH), 0, 1)
    painted = (column >= np.floor(c0)) & (column < np.ceil(c1))
    return stroke * painted[:, None, :]


def dotted_line(images: Images, rng: np.random.Generator) -> Images:
    """A line from the left to the right edge between random rows; columns 0-1, 4-5, 8-9, ... are left out."""
    rows = rng.integers(0, 27, size=(len(images), 2))
    edges = np.broadcast_to([0, 27], rows.shape)
    stroke = segment(np.stack([edges[:, 0], rows[:, 0]], 1), np.stack([edges[:, 1], rows[:, 1]], 1))
    return images + stroke * (np.arange(SIDE) // 2 % 2)


def zigzag_corners(row: Num[np.ndarray, " n"], rise: Num[np.ndarray, " n"]) -> Float[np.ndarray, "n 8 2"]:
    """Corners of the zigzag about the line from (2, row) to (25, row + rise), first and last on or near the line.

    Along the line they lie at 0, 2, 6, 10, ..., 22 and the end, alternately 2 pixels to either side.
    """
    width, pitch, side = 23, 4, 2
    length = np.hypot(width, rise)
    corners = np.arange(2, 23, pitch)
    along = np.stack([np.zeros_like(length), *np.broadcast_to(corners[:, None], (6, len(length))), length], 1)
    offset = side * (-1.0) ** np.arange(6)
    # the release ends at offset / (2 (length - 20)) rather than on the line
    last = offset[-1] / (2 * (length - pitch * (length // pitch)))
    across = np.stack([np.zeros_like(length), *np.broadcast_to(offset[:, None], (6, len(length))), last], 1)
    cos, sin = (width / length)[:, None], (rise / length)[:, None]
    return np.stack([2 + along * cos - across * sin, row[:, None] + along * sin + across * cos], 2)


def zigzag(images: Images, rng: np.random.Generator) -> Images:
    """A zigzag from column 2 to 25 about a line of random height (0..26) and rise (-5..4)."""
    corners = zigzag_corners(rng.integers(0, 27, len(images)), rng.integers(-5, 5, len(images)))
    out = images.copy()
    for start, end in zip(corners.swapaxes(0, 1)[:-1], corners.swapaxes(0, 1)[1:], strict=True):
        out += segment(start, end)
    return out
