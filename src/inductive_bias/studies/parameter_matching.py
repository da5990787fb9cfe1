"""The widths at which different models have about equally many parameters."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch

from inductive_bias.layers import AttentionSpec, REMSpec, RSASpec
from inductive_bias.models import (
    BidirectionalSpec,
    BiLSTMSpec,
    CNNSpec,
    FlattenedSpec,
    GatedConvolutionSpec,
    MixingSpec,
    MLPSpec,
    PatchSpec,
    RecurrentSpec,
    TCNSpec,
    TextCNNSpec,
    UnrolledSpec,
    WindowMLPSpec,
)
from inductive_bias.own_layers import OwnLayer
from inductive_bias.trials import ModelSpec

OfCode = BiLSTMSpec | TextCNNSpec | BidirectionalSpec
OfImages = CNNSpec | MLPSpec | PatchSpec
Spec = (
    OfImages
    | RecurrentSpec
    | TCNSpec
    | GatedConvolutionSpec
    | MixingSpec
    | FlattenedSpec
    | UnrolledSpec
    | WindowMLPSpec
    | OfCode
    | OwnLayer
)
#: Two models are of equal size if their numbers of parameters differ by at most so much of the first one's.
TOLERANCE = 0.03
#: Widths of the feed-forward layers of a block as multiples of its own width: the first that fits is taken, or else
#: the nearest.
FEEDFORWARD = (4, 3, 5, 2, 6)


def parameters(spec: ModelSpec, dimensions: Mapping[str, Any]) -> int:
    """How many numbers the model learns. The random numbers of the caller stay as they are."""
    with torch.random.fork_rng(devices=[]):
        return sum(each.numel() for each in spec.build(**dimensions).parameters())


def match_parameters(make: Callable[[int], Spec], wanted: int, dimensions: Mapping[str, Any], *, step: int = 1) -> Spec:
    """The model among ``make(step)``, ``make(2 · step)``, … whose number of parameters is nearest to ``wanted``.

    Widths are found as if parameters grew with their square, and then by a look at the neighbours.

    Args:
        make: from a width to a model; a wider one has more parameters.
        wanted: parameters.
        dimensions: of the task, as ``build`` takes them.
        step: what widths are multiples of, such as a number of heads.
    """

    @cache
    def away(times: int) -> float:
        return parameters(make(step * times), dimensions) / wanted - 1

    times, seen = 8, set()
    while times not in seen:
        seen.add(times)
        times = max(1, round(times / math.sqrt(1 + away(times))))
    while (near := min((max(1, times - 1), times, times + 1), key=lambda each: abs(away(each)))) != times:
        times = near
    return make(step * times)


def blocks(
    mixer: AttentionSpec | RSASpec | REMSpec, wanted: int, dimensions: Mapping[str, int], **options: object
) -> MixingSpec:
    """A model of blocks with this mixer, whose heads divide its width; see :func:`match_parameters`.

    The widths that heads divide are far apart: where none fits, the feed-forward layers are made narrower or wider.
    If none of :data:`FEEDFORWARD` fits, the model is the one nearest to ``wanted``, and of two as near the first.
    """

    def away(spec: MixingSpec) -> float:
        return abs(parameters(spec, dimensions) / wanted - 1)

    tried = []
    for times in FEEDFORWARD:

        def make(width: int, times: int = times) -> MixingSpec:
            return MixingSpec(mixer=mixer, width=width, feedforward=times, **options)

        found = match_parameters(make, wanted, dimensions, step=mixer.heads)
        if away(found) <= TOLERANCE:
            return found
        tried.append(found)
    return min(tried, key=away)
