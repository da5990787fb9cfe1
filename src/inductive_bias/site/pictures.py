"""Pictures that look the same: processors round differently, which moves a point by less than an eye sees."""

import base64
import io

import numpy as np
from PIL import Image

#: A picture is compared by the means of squares of so many pixels a side, each up to 255.
SQUARE = 5
#: Below this the means are alike. A thing that moves by half a pixel differs by about as much, by a whole pixel by 48.
SAME = 24.0


def keep_stored_pictures(stored, rendered) -> int:
    """Put the stored PNG of a notebook back wherever the new one looks the same; returns how many were kept.

    Cells are matched by their identity, pictures by their place among those of a cell.

    Args:
        stored: the notebook as it was.
        rendered: the notebook as it is now; it is changed.
    """
    before, kept = {cell.get("id"): cell for cell in stored.cells if cell.get("id")}, 0
    for cell in rendered.cells:
        old = _pictures(before.get(cell.get("id")))
        for was, now in zip(old, _pictures(cell), strict=False):
            if was["image/png"] != now["image/png"] and look_the_same(was["image/png"], now["image/png"]):
                now["image/png"] = was["image/png"]
                kept += 1
    return kept


def look_the_same(first: str, second: str) -> bool:
    """Whether two PNG files, in base64, differ by less than the eye sees; never if one is larger."""
    one, other = (_pixels(each) for each in (first, second))
    if one.shape != other.shape:
        return False
    height, width = (min(SQUARE, size) for size in one.shape[:2])
    # every square's sum from four corners of the running sums; the mean of a difference is the difference of means
    sums = np.pad((one - other).cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)))
    squares = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    return bool(np.abs(squares).max() / (height * width) < SAME)


def _pixels(picture: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA")).astype(np.float64)


def _pictures(cell) -> list[dict]:
    outputs = [] if cell is None else cell.get("outputs", [])
    return [output["data"] for output in outputs if "image/png" in output.get("data", {})]
