"""Representational similarity: do two models find the same examples alike?

Each model is reduced to an n × n matrix over the *same* n examples, and two models are compared through the inner
product of their matrices, scaled to unit norm:

- "cosine": cosines between examples, diagonal kept, each row scaled to norm 1/√n. The paper's form (Abnar et al. 2020,
  distill/repsim_util.py).
- "centred": cosines between examples, diagonal left out, mean subtracted. The Pearson correlation of the two upper
  triangles (Kriegeskorte et al. 2008).
- "cka": XXᵀ of the column-centred features X. Linear CKA (Kornblith et al. 2019).
- "debiased": XXᵀ, diagonal left out, U-centred (Székely & Rizzo 2014, definition 2). CKA with the unbiased HSIC of Song
  et al. (2012). Independent features have 0 on average, whatever their number.

The first forms have a *noise floor*: features that have nothing to do with each other are similar as well, the more so
the more features there are for each example. CKA of 200 examples of 2,048 independent normal numbers is .91.
:func:`noise_floor` measures it; a similarity near its floor says nothing.

The paper's form keeps the diagonal and subtracts nothing, so the all-positive features of ReLU networks all look alike;
the two centred forms spread them out. All forms are unchanged by a rotation or an isotropic scaling of the features
and by the order of the examples.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float

Form = Literal["cosine", "centred", "cka", "debiased"]
_FORMS = ("cosine", "centred", "cka", "debiased")
#: Examples that the debiased form needs, and shuffled copies that a deviation needs.
_FEWEST_DEBIASED, _FEWEST_DRAWS = 4, 2
_BLOCK = 64  # rows of the n × n matrices held at once: 60 models of 1000 examples then need 31 MB instead of 480


def similarity_matrix(features: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n"]:
    """Cosine similarity between the examples of one model, in [−1, 1].

    An example whose features are all zero is similar to nothing (0) but itself (1).

    Raises:
        ValueError: if the features are not a finite, non-empty matrix.
    """
    unit = _unit_rows(_checked(features))
    matrix = unit @ unit.T
    np.fill_diagonal(matrix, 1.0)
    return matrix.clip(-1.0, 1.0)


def representational_similarity(
    a: Float[np.ndarray, "n d1"], b: Float[np.ndarray, "n d2"], *, form: Form = "cosine"
) -> float:
    """Similarity of two models' features of the same n examples (see the module): 1 = the same geometry.

    "cosine", "centred" and "debiased" lie in [−1, 1], "cka" in [0, 1]. NaN where a centred form has nothing to compare:
    features alike for every example, or fewer than two ("cka"), three ("centred") or four ("debiased") examples.

    Raises:
        ValueError: if ``form`` is unknown, or the features are not finite or not of the same examples.
    """
    if form == "cka" and len(a) > max(a.shape[1], b.shape[1]):
        # ⟨XXᵀ, YYᵀ⟩ = ‖XᵀY‖² needs only d × d matrices (Kornblith et al. 2019, section 3)
        x, y = (_centred_columns(f) for f in _checked_all([a, b]))
        cross, within_x, within_y = (np.square(left.T @ right).sum() for left, right in ((x, y), (x, x), (y, y)))
        scale = np.sqrt(within_x * within_y)
        return float(cross / scale) if scale > 0 else float("nan")
    return float(similarity_between([a, b], form=form)[0, 1])


def similarity_between(
    features: Sequence[Float[np.ndarray, "_ _"]], *, form: Form = "cosine"
) -> Float[np.ndarray, "m m"]:
    """Similarity of every pair of m models, given each one's features of the same n examples.

    Costs m² n² multiplications (one second for 60 models and 1000 examples) and never holds an n × n matrix.

    Raises:
        ValueError: if ``form`` is unknown, or the features are not finite or not of the same examples.
    """
    if form not in _FORMS:
        raise ValueError(f"form must be one of {', '.join(_FORMS)}, not {form!r}")
    prepared = _checked_all(features)
    n = len(prepared[0])
    prepare = _centred_columns if form in ("cka", "debiased") else _unit_rows
    prepared = [prepare(f) for f in prepared]
    # of the off-diagonal cosines, in closed form: Σ_ij ⟨x_i, x_j⟩ = ‖Σ_i x_i‖²
    means = [(np.square(x.sum(axis=0)).sum() - np.square(x).sum()) / max(n * (n - 1), 1) for x in prepared]
    # of the off-diagonal products of each example, columns being centred: Σ_{j ≠ i} ⟨x_i, x_j⟩ = −‖x_i‖²
    sums = [-np.square(x).sum(axis=1) for x in prepared]
    if form == "debiased" and n < _FEWEST_DEBIASED:
        return np.full((len(prepared), len(prepared)), np.nan)

    inner = np.zeros((len(prepared), len(prepared)))
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        row, diagonal = np.arange(stop - start), np.arange(start, stop)
        block = np.empty((len(prepared), stop - start, n))
        for model, x in enumerate(prepared):
            rows = block[model]
            np.matmul(x[start:stop], x.T, out=rows)
            if form == "cosine":
                rows[row, diagonal] = 1.0
                rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            elif form == "centred":
                rows -= means[model]
                rows[row, diagonal] = 0.0
            elif form == "debiased":
                of = sums[model]
                rows -= (of[start:stop, None] + of) / (n - 2) - of.sum() / ((n - 1) * (n - 2))
                rows[row, diagonal] = 0.0
        flat = block.reshape(len(prepared), -1)
        inner += flat @ flat.T
    if form == "cosine":
        return inner / n
    norm = np.sqrt(inner.diagonal())
    # rounding leaves a trace where nothing varies; a correlation of that trace would be noise
    least = {"centred": 1e-12 * n, "debiased": 1e-12, "cka": 0.0}[form]
    norm = np.where(norm > least, norm, np.nan)
    return inner / np.outer(norm, norm)


def noise_floor(
    a: Float[np.ndarray, "n d1"], b: Float[np.ndarray, "n d2"], *, form: Form = "cosine", draws: int = 20, seed: int = 0
) -> tuple[float, float]:
    """Mean and standard deviation of the similarity to features whose examples are shuffled: what chance alone gives.

    Raises:
        ValueError: as :func:`representational_similarity`, or if ``draws`` is not at least 2.
    """
    if draws < _FEWEST_DRAWS:
        raise ValueError(f"draws must be at least {_FEWEST_DRAWS}, not {draws}")
    random = np.random.default_rng(seed)
    found = [representational_similarity(a, random.permutation(b), form=form) for _ in range(draws)]
    return float(np.mean(found)), float(np.std(found, ddof=1))


def distance_matrix(
    similarity: Float[np.ndarray, "m m"], *, kind: Literal["difference", "chord"] = "difference"
) -> Float[np.ndarray, "m m"]:
    """Distances from similarities, never negative and exactly 0 on the diagonal.

    "difference" is the paper's 1 − s. It is half a *squared* Euclidean distance (every form of similarity is an inner
    product of unit vectors) and breaks the triangle inequality: a path of many small steps is then shorter than the
    straight way. "chord" = √(2 (1 − s)) is that Euclidean distance itself.

    Raises:
        ValueError: if the matrix is not square or symmetric, or ``kind`` is unknown.
    """
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"similarity must be a square matrix, not {similarity.shape}")
    if not np.allclose(similarity, similarity.T, equal_nan=True):
        raise ValueError("similarity must be symmetric")
    if kind not in ("difference", "chord"):
        raise ValueError(f"kind must be 'difference' or 'chord', not {kind!r}")
    distance = np.clip(1.0 - (similarity + similarity.T) / 2, 0.0, None)
    if kind == "chord":
        distance = np.sqrt(2 * distance)
    np.fill_diagonal(distance, 0.0)
    return distance


def _unit_rows(features: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    norm = np.linalg.norm(features, axis=1, keepdims=True)
    return features / np.where(norm == 0, 1.0, norm)


def _centred_columns(features: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    centred = features - features.mean(axis=0)
    norm = np.linalg.norm(centred)
    # what rounding leaves of constant features is no geometry
    if norm <= 1e-12 * np.linalg.norm(features):
        return np.zeros_like(features)
    # the scale cancels in CKA, and unit scale keeps its fourth powers from over- or underflowing
    return centred / norm


def _checked(features: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    features = np.asarray(features, dtype=np.float64)
    if features.ndim != 2 or features.size == 0:
        raise ValueError(f"features must be a non-empty [examples, dimensions] matrix, not of shape {features.shape}")
    if not np.isfinite(features).all():
        raise ValueError("features must be finite, but hold NaN or infinity")
    return features


def _checked_all(features: Sequence[Float[np.ndarray, "_ _"]]) -> list[Float[np.ndarray, "_ _"]]:
    checked = [_checked(f) for f in features]
    if not checked:
        raise ValueError("there is no model to compare")
    lengths = sorted({len(f) for f in checked})
    if len(lengths) > 1:
        raise ValueError(f"all models must be given the same examples, but their numbers are {lengths}")
    return checked
