"""Predictions of music that know nothing of it: how often each key sounds, and what sounded last.

They are the floor that a model has to leave. Both are fitted by counting, and their likelihood is a closed form of the
same counts.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from jaxtyping import Bool, Float64
from torch import Tensor

from inductive_bias.tasks.data import Split

#: Names of the baselines, in the order of :func:`baseline_nlls`.
BASELINES = ("key_frequency", "last_step")


class LastStepRates(NamedTuple):
    """Probabilities that a key sounds that sounded in the last step, and that one does that did not."""

    held: float
    struck: float


def key_frequencies(split: Split) -> Float64[Tensor, " k"]:
    """Share of predicted steps in which each key sounds, by the rule of succession: (c + 1)/(n + 2).

    A key that is never heard in training is thus improbable, not impossible.
    """
    steps = int(split.slices["length"].sum())
    return ((split.labels == 1).sum((0, 1)).double() + 1) / (steps + 2)


def last_step_rates(split: Split) -> LastStepRates:
    """How probable it is that a key goes on sounding, and that a silent one is struck; all keys alike, (c + 1)/(n + 2).

    Fitted on the validation split this turns *the same keys again* into probabilities.
    """
    held, struck = ((on + 1) / (on + off + 2) for on, off in _transitions(split))
    return LastStepRates(held, struck)


def baseline_nlls(data: Mapping[str, Split], name: str = "test") -> dict[str, float]:
    """Negative log-likelihood in nats per step of the split ``name``, summed over the keys, by baseline.

    ``key_frequency``: every key by itself and for ever as frequent as in ``train``. ``last_step``: the keys of the step
    before again, with the two rates of ``validation``.
    """
    split = data[name]
    steps = int(split.slices["length"].sum())
    share = key_frequencies(data["train"])
    sounding = (split.labels == 1).sum((0, 1)).double()
    independent = -(sounding * share.log() + (steps - sounding) * (-share).log1p()).sum()
    rates = last_step_rates(data["validation"])
    repeated = sum(
        -(on * math.log(rate) + off * math.log1p(-rate))
        for rate, (on, off) in zip(rates, _transitions(split), strict=True)
    )
    return dict(zip(BASELINES, (float(independent) / steps, repeated / steps), strict=True))


def _transitions(split: Split) -> tuple[tuple[int, int], tuple[int, int]]:
    """How many keys sound and are silent, first of those that sounded a step before, then of those that did not."""

    def counted(before: Bool[Tensor, "n t k"]) -> tuple[int, int]:
        return int((before & (split.labels == 1)).sum()), int((before & (split.labels == 0)).sum())

    return counted(split.inputs == 1), counted(split.inputs == 0)
