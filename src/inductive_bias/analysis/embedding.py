"""Two-dimensional maps of distances between models (multidimensional scaling)."""

import numpy as np
from jaxtyping import Float


def joint_mds(distances: Float[np.ndarray, "m m"], *, seed: int = 12345) -> Float[np.ndarray, "m 2"]:
    """Metric MDS of the distances divided by their maximum, as Abnar et al. (2020) draw models and training paths.

    The axes have no unit, and rotation and reflection are arbitrary: what is to be compared must be embedded jointly,
    in one call. The best of four SMACOF runs from random starts (the stress of the result is `stress`).

    Raises:
        ValueError: if the matrix is not square, symmetric, finite and non-negative with a zero diagonal.
    """
    scaled = _scaled(distances)
    if not scaled.any():
        return np.zeros((len(scaled), 2))
    # scikit-learn takes seconds to import, and only maps need it
    from sklearn.manifold import smacof

    # the function under sklearn.manifold.MDS: its parameters have kept their names while those of the class have not,
    # and every default that has changed between versions is written out
    points, _ = smacof(
        scaled,
        metric=True,
        n_components=2,
        init=None,
        n_init=4,
        n_jobs=None,
        max_iter=300,
        eps=1e-6,
        random_state=seed,
        normalized_stress=False,
    )
    return points


def stress(distances: Float[np.ndarray, "m m"], points: Float[np.ndarray, "m p"]) -> float:
    """Kruskal's stress-1, ``√(Σ (δ_ij − d_ij)² / Σ d_ij²)``, of a map made by `joint_mds`.

    δ are the given distances divided by their maximum, d those between the points. 0 = a perfect map, .05 good,
    .2 poor (Kruskal 1964).

    Raises:
        ValueError: if the distances are refused by `joint_mds`, or the number of points is another.
    """
    scaled = _scaled(distances)
    if len(points) != len(scaled):
        raise ValueError(f"{len(scaled)} distances do not fit {len(points)} points")
    drawn = np.linalg.norm(points[:, None] - points[None, :], axis=-1)
    error, size = np.square(scaled - drawn).sum(), np.square(drawn).sum()
    if size == 0:
        return 0.0 if error == 0 else float("inf")
    return float(np.sqrt(error / size))


def turned_to(
    points: Float[np.ndarray, "m 2"], reference: Float[np.ndarray, "k 2"]
) -> tuple[Float[np.ndarray, "2 2"], Float[np.ndarray, " 2"]]:
    """The rotation or reflection R, and the move b, that bring ``points @ R + b`` nearest to the reference.

    Orthogonal Procrustes: nothing is stretched, so that distances within a map stay what they are.

    Raises:
        ValueError: if the two have other shapes.
    """
    from scipy.linalg import orthogonal_procrustes

    if points.shape != reference.shape:
        raise ValueError(f"points of shape {points.shape} do not fit a reference of shape {reference.shape}")
    middle, target = points.mean(axis=0), reference.mean(axis=0)
    rotation, _ = orthogonal_procrustes(points - middle, reference - target)
    return rotation, target - middle @ rotation


def _scaled(distances: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    distances = np.asarray(distances, dtype=np.float64)
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or distances.size == 0:
        raise ValueError(f"distances must be a non-empty square matrix, not of shape {distances.shape}")
    if not np.isfinite(distances).all() or distances.min() < 0:
        raise ValueError("distances must be finite and non-negative")
    if not np.allclose(distances, distances.T) or np.diagonal(distances).any():
        raise ValueError("distances must be symmetric with a zero diagonal")
    return (distances + distances.T) / 2 / (distances.max() or 1.0)
