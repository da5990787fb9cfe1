"""Training paths: how straight is the way from the first checkpoint to the last, and how near do two ways lie?"""

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


def path_distance(distances: Float[np.ndarray, "t s"]) -> float:
    """Mean distance of two paths that are walked together from their beginnings to their ends: dynamic time warping.

    Either path may wait at a checkpoint while the other goes on, and neither turns back; of all such walks the one with
    the smallest sum counts. The symmetric form of Sakoe & Chiba (1978, table I, P = 0): where both go on at once the
    distance counts twice, so that every walk has the weight t + s, by which the sum is divided.

    Args:
        distances: between the t checkpoints of one path and the s of the other.

    Raises:
        ValueError: if it is no matrix or a path has no checkpoint.
    """
    if distances.ndim != 2 or not distances.size:
        raise ValueError(f"distances must be a matrix with an entry, not of shape {distances.shape}")
    # the first pair counts twice too: it is reached from outside both paths at once
    total = np.full((len(distances) + 1, distances.shape[1] + 1), np.inf)
    total[0, 0] = 0.0
    for i, row in enumerate(distances, start=1):
        for j, between in enumerate(row, start=1):
            total[i, j] = min(total[i - 1, j] + between, total[i, j - 1] + between, total[i - 1, j - 1] + 2 * between)
    return float(total[-1, -1]) / sum(distances.shape)
