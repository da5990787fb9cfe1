"""Thresholds, margins and weights are numbers: NaN and infinity would decide every claim in silence."""

import math
from typing import SupportsFloat


def finite(value: SupportsFloat, name: str) -> float:
    """The value as a float.

    Raises:
        ValueError: if it is NaN or infinite; the message names it.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {number}")
    return number
