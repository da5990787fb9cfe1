"""Parts of a set in which what belongs together stays together: functions of one commit, copies of one text."""

import re
from collections.abc import Hashable, Sequence

import numpy as np
from jaxtyping import Int64

from inductive_bias.errors import DataError


def written_alike(source: str) -> str:
    """The text without white space: what is equal here is a copy."""
    return re.sub(r"\s+", "", source)


def merged(*keys: Sequence[Hashable]) -> Int64[np.ndarray, " n"]:
    """Numbers of the smallest groups such that examples which share any key share the group.

    Args:
        keys: one sequence a kind of key, with an entry for every example.
    """
    above = list(range(len(keys[0])))

    def top(place: int) -> int:
        while above[place] != place:
            above[place] = place = above[above[place]]
        return place

    for kind in keys:
        first: dict[Hashable, int] = {}
        for place, key in enumerate(kind):
            above[top(place)] = top(first.setdefault(key, place))
    return np.unique([top(place) for place in range(len(above))], return_inverse=True)[1].astype(np.int64)


def grouped_folds(
    groups: Sequence[int] | np.ndarray, strata: Sequence[Hashable], folds: int, *, seed: int, what: str = "groups"
) -> Int64[np.ndarray, " n"]:
    """The fold of every example: no group is divided, and every stratum is spread as evenly as its groups allow.

    Groups come in random order, the largest first, each to the fold that has the fewest examples of its stratum (that
    of its first example), and of those to the smallest fold.

    Raises:
        DataError: if there are fewer groups (``what`` they are, for people) than folds.
    """
    members: dict[int, list[int]] = {}
    for place, group in enumerate(np.asarray(groups).tolist()):
        members.setdefault(group, []).append(place)
    if len(members) < folds:
        raise DataError(f"{what} should be {folds} at least, one for each part, and are {len(members)}.")
    order = [list(members.values())[each] for each in np.random.default_rng(seed).permutation(len(members))]
    found, filled = np.zeros(len(strata), np.int64), np.zeros(folds, np.int64)
    by_stratum: dict[Hashable, np.ndarray] = {}
    for places in sorted(order, key=len, reverse=True):
        counts = by_stratum.setdefault(strata[places[0]], np.zeros(folds, np.int64))
        fold = min(range(folds), key=lambda each, counts=counts: (counts[each], filled[each]))
        found[places] = fold
        counts[fold] += len(places)
        filled[fold] += len(places)
    return found


def refuse_shared(items: Int64[np.ndarray, " n"], parts: Int64[np.ndarray, " n"], what: str) -> None:
    """Refuse groups that are in two of the parts that somebody else has made.

    Args:
        items: the group of every example.
        parts: the number of its part.
        what: no such group should be in two parts, for people.

    Raises:
        DataError: with how many groups there are of this kind.
    """
    shared = sum(len(np.unique(parts[items == item])) > 1 for item in np.unique(items))
    if shared:
        raise DataError(f"{what} should be in two splits, but {shared} are.")
