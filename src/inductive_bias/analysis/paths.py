"""Training paths: how straight is the way from the first checkpoint to the last?"""

import numpy as np
from jaxtyping import Float


def path_lengths(distances: Float[np.ndarray, "t t"]) -> Float[np.ndarray, " steps"]:
    """Lengths of the t − 1 steps between consecutive checkpoints, given the distances between all of them.

    Raises:
        ValueError: if the matrix is not square or holds fewer than two checkpoints.
    """
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"distances must be a square matrix, not of shape {distances.shape}")
    if len(distances) < 2:
        raise ValueError(f"a path needs at least 2 checkpoints, not {len(distances)}")
    return np.diagonal(distances, offset=1).copy()


def path_smoothness(distances: Float[np.ndarray, "t t"]) -> float:
    """Total length of the path over the distance between its ends; infinite when the ends coincide.

    In a Euclidean distance (``distance_matrix(..., kind="chord")``) 1 is a straight line and nothing is below it. In
    the paper's 1 − similarity, half a squared distance, a straight path of k equal steps has 1 / k: such values can
    be compared only between paths with the same number of checkpoints.

    Raises:
        ValueError: if the matrix is not square or holds fewer than two checkpoints.
    """
    total, ends = float(path_lengths(distances).sum()), float(distances[0, -1])
    return total / ends if ends > 0 else float("inf")
