"""Permutation tests over seeds: could the grouping of the runs be a matter of chance?

The unit is always one training run; every function is deterministic.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, SupportsFloat

import numpy as np
from jaxtyping import Bool, Float, Int

from inductive_bias.analysis.statistics import finite_values

Alternative = Literal["two-sided", "greater", "less"]
_MEASURES = {"mean difference": np.mean, "median difference": np.median}


class PermutationTest(NamedTuple):
    """The observed statistic and the share of rearrangements at least as extreme; ``exact`` if all were tried."""

    statistic: float
    p_value: float
    exact: bool


def permutation_test(
    a: Iterable[SupportsFloat],
    b: Iterable[SupportsFloat],
    *,
    statistic: Literal["mean difference", "median difference"] = "mean difference",
    alternative: Alternative = "two-sided",
    samples: int = 10_000,
    seed: int = 0,
) -> PermutationTest:
    """Are two independent samples of one kind? Statistic: the mean (or median) of a minus that of b.

    Exact when there are at most ``samples`` ways to divide the values (two samples of 4: 70, so that no two-sided p is
    below 2/70), else ``samples`` random ones, the observed one counted in. "greater" asks whether a exceeds b.

    Raises:
        ValueError: if a sample is empty, a value is not finite, or an option is unknown.
    """
    a, b = finite_values("a", a), finite_values("b", b)
    if statistic not in _MEASURES:
        raise ValueError(f"statistic must be one of {', '.join(_MEASURES)}, not {statistic!r}")
    measure, pooled = _MEASURES[statistic], np.concatenate([a, b])
    in_a = np.repeat([1, 0], [len(a), len(b)])
    is_a, exact = _arrangements(in_a, samples, seed)
    # a stable sort puts each arrangement's own values first, in rows of equal length
    order = np.argsort(1 - is_a, axis=1, kind="stable")
    rearranged = pooled[order]
    null = measure(rearranged[:, : len(a)], axis=1) - measure(rearranged[:, len(a) :], axis=1)
    return _p_value(float(measure(a) - measure(b)), null, alternative, exact)


def label_permutation_test(
    similarity: Float[np.ndarray, "m m"],
    labels: Sequence[object],
    *,
    alternative: Alternative = "greater",
    samples: int = 10_000,
    seed: int = 0,
) -> PermutationTest:
    """Are models of one family more alike than models of different families?

    Statistic: mean similarity within families minus mean similarity between them, each over the pairs of different
    models. Labels are rearranged (exactly when there are at most ``samples`` distinct ways), so that the dependence
    between the pairs of one model is respected, as in a Mantel test.

    It tells whether families differ at all. That students *move towards* a family is sharper as a `permutation_test`
    of each model's mean similarity to that family, students against the same models trained without the teacher.

    Raises:
        ValueError: if the matrix is not square, symmetric and finite off its diagonal, the labels are not one a model,
            or there is no pair within or none between families.
    """
    m = len(labels)
    if similarity.shape != (m, m):
        raise ValueError(f"similarity of shape {similarity.shape} does not fit {m} labels")
    first, second = np.triu_indices(m, 1)
    pairs = similarity[first, second].astype(np.float64)
    if not np.isfinite(pairs).all() or not np.allclose(pairs, similarity[second, first]):
        raise ValueError("similarity must be symmetric and finite")
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    observed = codes[first] == codes[second]
    if observed.all() or not observed.any():
        raise ValueError(f"labels must put some pair of models in one family and some in two, not {list(labels)}")

    def statistic(same: Bool[np.ndarray, "k pairs"]) -> Float[np.ndarray, " k"]:
        within = same @ pairs
        size = observed.sum()  # the same for every arrangement of the labels
        return within / size - (pairs.sum() - within) / (len(pairs) - size)

    arranged, exact = _arrangements(codes, samples, seed)
    # in slices: one boolean for every arrangement and pair
    null = np.concatenate([statistic(part[:, first] == part[:, second]) for part in _slices(arranged, 1000)])
    return _p_value(float(statistic(observed[None])[0]), null, alternative, exact)


def _arrangements(codes: Int[np.ndarray, " m"], samples: int, seed: int) -> tuple[Int[np.ndarray, "k m"], bool]:
    """Every distinct arrangement of the codes if there are at most ``samples``, else that many random ones."""
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    counts = np.unique(codes, return_counts=True)[1].tolist()
    if math.factorial(len(codes)) // math.prod(map(math.factorial, counts)) <= samples:
        return np.array(list(_distinct(codes.tolist())), dtype=np.int64), True
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(codes, (samples, 1)), axis=1), False


def _distinct(codes: list[int]) -> Iterator[list[int]]:
    """Distinct arrangements in lexicographic order."""
    current = sorted(codes)
    while True:
        yield current.copy()
        rises = [i for i in range(len(current) - 1) if current[i] < current[i + 1]]
        if not rises:
            return
        pivot = rises[-1]
        successor = max(i for i in range(pivot + 1, len(current)) if current[i] > current[pivot])
        current[pivot], current[successor] = current[successor], current[pivot]
        current[pivot + 1 :] = reversed(current[pivot + 1 :])


def _slices(rows: Int[np.ndarray, "k m"], size: int) -> Iterator[Int[np.ndarray, "_ m"]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _p_value(observed: float, null: Float[np.ndarray, " k"], alternative: str, exact: bool) -> PermutationTest:
    # arrangements that tie with the observed one must count, whatever the order in which their terms were added
    tolerance = 1e-12 * max(abs(observed), float(np.abs(null).max()))
    if alternative == "greater":
        extreme = null >= observed - tolerance
    elif alternative == "less":
        extreme = null <= observed + tolerance
    elif alternative == "two-sided":
        extreme = np.abs(null) >= abs(observed) - tolerance
    else:
        raise ValueError(f"alternative must be 'two-sided', 'greater' or 'less', not {alternative!r}")
    hits, total = int(extreme.sum()), len(null)
    p_value = hits / total if exact else (hits + 1) / (total + 1)
    return PermutationTest(observed, p_value, exact)
