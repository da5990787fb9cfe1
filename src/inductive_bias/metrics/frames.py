"""How many of the notes that sound, or are said to sound, are right."""

import math

from jaxtyping import Bool
from torch import Tensor

from inductive_bias import checks


def frame_accuracy(predicted: Bool[Tensor, "n k"], actual: Bool[Tensor, "n k"]) -> float:
    """``TP / (TP + FP + FN)`` over all ``n`` frames and ``k`` keys (Bay, Ehmann & Downie 2009), in [0, 1].

    Keys that are silent and said to be silent do not count, since nearly all are; NaN if nothing sounds at all.
    (Boulanger-Lewandowski et al. 2012 report its expectation over frames that are sampled from the model; Bai et al.
    2018 report none.)

    Raises:
        ValueError: if the two are not of one shape ``[n, k]`` and of bool.
    """
    for name, each in (("predicted", predicted), ("actual", actual)):
        checks.booleans(name, each, "n k")
    if predicted.shape != actual.shape:
        raise ValueError(
            f"predicted and actual must be of one shape, not {tuple(predicted.shape)} and {tuple(actual.shape)}"
        )
    either = int((predicted | actual).sum())
    return int((predicted & actual).sum()) / either if either else math.nan
