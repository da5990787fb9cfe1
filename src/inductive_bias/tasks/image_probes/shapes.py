"""Shapes that are put into an image: outlines of equally many pixels, and solid ones that a texture fills."""

import numpy as np
from jaxtyping import Bool, Float32, Int64

from inductive_bias.tasks.image_probes.base import SIZE

#: Four outlines of six by six pixels, with sixteen pixels each: their sum tells nothing.
OUTLINES = (
    (".####.", "#....#", "#....#", "#....#", "#....#", ".####."),
    ("#....#", "##..##", "..##..", "..##..", "##..##", "#....#"),
    ("######", "######", "..#...", "..#...", "..#...", "..#..."),
    ("#....#", "#....#", "#....#", "#....#", "#....#", "######"),
)
#: Four solid shapes of eight by eight pixels: a square, a diamond, a cross and a triangle.
SOLIDS = (
    ("........", ".######.", ".######.", ".######.", ".######.", ".######.", ".######.", "........"),
    ("...##...", "..####..", ".######.", "########", "########", ".######.", "..####..", "...##..."),
    ("..####..", "..####..", "########", "########", "########", "########", "..####..", "..####.."),
    ("#.......", "##......", "###.....", "####....", "#####...", "######..", "#######.", "########"),
)
#: Values of a texture's two kinds of pixels.
BRIGHT, DIM = 1.0, 0.4


def pixels(drawn: tuple[tuple[str, ...], ...]) -> Bool[np.ndarray, "k s s"]:
    """Where the shapes are."""
    return np.array([[[sign == "#" for sign in line] for line in shape] for shape in drawn])


def placed(
    shapes: Bool[np.ndarray, "k s s"],
    which: Int64[np.ndarray, " n"],
    top: Int64[np.ndarray, " n"],
    left: Int64[np.ndarray, " n"],
) -> Float32[np.ndarray, "n h w"]:
    """Images with one shape each, whose upper left corner is at ``top`` and ``left``: 1 there, 0 elsewhere."""
    side = shapes.shape[1]
    images = np.zeros((len(which), SIZE, SIZE), dtype=np.float32)
    rows = top[:, None, None] + np.arange(side)[:, None]
    columns = left[:, None, None] + np.arange(side)
    images[np.arange(len(which))[:, None, None], rows, columns] = shapes[which]
    return images


def textures(which: Int64[np.ndarray, " n"], phase: Int64[np.ndarray, " n"]) -> Float32[np.ndarray, "n h w"]:
    """Textures over the whole image: rows, columns, a chessboard, or slanted lines, of pairs of pixels.

    Every one has as many bright pixels as dim ones; ``phase`` moves it along.
    """
    y, x = np.mgrid[:SIZE, :SIZE]
    along = np.stack([y, x, np.where(y // 2 % 2 == 0, x, x + 2), x + y])
    bright = (along[which] + phase[:, None, None]) // 2 % 2 == 0
    return np.where(bright, np.float32(BRIGHT), np.float32(DIM))
