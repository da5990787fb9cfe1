"""What must hold before a claim can be tested: one policy for all studies.

*A baseline that has not mastered its task tests nothing.* Three forms of it:

- :func:`masters`: a claim about what happens beyond the training lengths judges only models that know the training
  lengths; every other model is named as not testable.
- :func:`beats_naive`: a difference between two networks counts only where the better one is ahead of what needs no
  network, such as yesterday's value, a bag of tokens, or zero.
- :func:`where`: of several places (sizes, data sets, cells of a table) only those that pass are judged, and too few of
  them make the claim not testable.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np

from inductive_bias.verdicts.numbers import finite

Place = TypeVar("Place")
#: The share of right answers on the training lengths from which a model has mastered them, unless the study says more.
MASTERED = 0.99


def masters(scores: Iterable[float], *, what: str, least: float = MASTERED, failed: float = 0.0) -> tuple[bool, str]:
    """Whether runs master their training lengths on average, and in words what they have if not.

    Args:
        scores: shares of right answers on the training lengths, one a run; NaN if it diverged.
        what: model and task, in words: ``ALiBi on parity``.
        least: what counts as mastered.
        failed: what a diverged run has right.

    Raises:
        ValueError: if there is no run, or a bound or the worth of a diverged run is not finite.
    """
    least, failed = finite(least, "least"), finite(failed, "failed")
    values = np.asarray(list(scores), dtype=float)
    if not values.size:
        raise ValueError(f"{what} has no run")
    mean = float(np.where(np.isfinite(values), values, failed).mean())
    return mean >= least, f"{what} has {mean:.3f} of the training lengths right, and {least:g} is asked"


def beats_naive(
    best: float, naive: Mapping[str, float], *, what: str, by: float = 0.0, lower_is_better: bool = False
) -> tuple[bool, str]:
    """Whether the better of the networks is ahead of every answer without a network, and in words what it is not.

    Args:
        best: score of the better of the networks that are compared, mean over its runs.
        naive: score of every answer without a network, by name.
        what: where, in words: ``ETTh2, 24 hours``.
        by: how far ahead it must be.
        lower_is_better: whether the score is an error.

    Raises:
        ValueError: if there is no naive answer, or a score or the distance is not finite.
    """
    by = finite(by, "by")
    if not naive or not np.isfinite([best, *naive.values()]).all():
        raise ValueError(f"{what}: needs numbers and at least one naive answer, not {best} and {dict(naive)}")
    sign = -1 if lower_is_better else 1
    name = max(naive, key=lambda each: sign * naive[each])
    words = f"{what}: the better network has {best:.3g}, {name} {naive[name]:.3g}"
    return bool(sign * (best - naive[name]) >= by), words


def where(found: Mapping[Place, tuple[bool, str]], fewest: int = 1) -> tuple[list[Place], bool, str]:
    """The places that pass, whether they are enough, and the reasons of those that do not.

    Args:
        found: by place, whether it passes, and why not.
        fewest: so many must pass.
    """
    passed = [place for place, (there, _) in found.items() if there]
    return passed, len(passed) >= fewest, "; ".join(reason for there, reason in found.values() if not there)
