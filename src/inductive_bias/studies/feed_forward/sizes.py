"""The widths at which different models have about equally many parameters."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch

from inductive_bias.layers import AttentionSpec, REMSpec, RSASpec
from inductive_bias.models import GatedConvolutionSpec, MixingSpec, RecurrentSpec, TCNSpec

Spec = RecurrentSpec | TCNSpec | GatedConvolutionSpec | MixingSpec
#: Two models are of equal size if their numbers of parameters differ by at most so much of the first one's.
TOLERANCE = 0.03
#: Widths of the feed-forward layers of a block as multiples of its own width: the first that fits is taken.
FEEDFORWARD = (4, 3, 2)


def parameters(spec: Spec, dimensions: Mapping[str, int]) -> int:
    """How many numbers the model learns. The random numbers of the caller stay as they are."""
    with torch.random.fork_rng(devices=[]):
        return sum(each.numel() for each in spec.build(**dimensions).parameters())


def sized(make: Callable[[int], Spec], wanted: int, dimensions: Mapping[str, int], *, step: int = 1) -> Spec:
    """Of ``make(step)``, ``make(2 · step)``, … the model whose number of parameters is nearest to ``wanted``.

    That number is a polynomial of degree two in the width (matrices, vectors, and what does not depend on it), so that
    three small models tell all of them.

    Args:
        make: from a width to a model.
        wanted: parameters.
        dimensions: of the task, as ``build`` takes them.
        step: what widths are multiples of, such as a number of heads.
    """
    few = [parameters(make(step * times), dimensions) for times in (1, 2, 3)]
    square, linear, constant = np.linalg.solve(np.vander([1.0, 2.0, 3.0]), few)
    root = (-linear + math.sqrt(max(0.0, linear**2 - 4 * square * (constant - wanted)))) / (2 * square)
    near = {max(1, math.floor(root)), max(1, math.ceil(root))}
    return make(step * min(near, key=lambda times: abs(square * times**2 + linear * times + constant - wanted)))


def blocks(
    mixer: AttentionSpec | RSASpec | REMSpec, wanted: int, dimensions: Mapping[str, int], **options: object
) -> MixingSpec:
    """A model of blocks with this mixer, whose heads divide its width; see :func:`sized`.

    The widths that heads divide are far apart: where none fits, the feed-forward layers are made narrower.
    """
    first = None
    for times in FEEDFORWARD:

        def make(width: int, times: int = times) -> MixingSpec:
            return MixingSpec(mixer=mixer, width=width, feedforward=times, **options)

        found = sized(make, wanted, dimensions, step=mixer.heads)
        if abs(parameters(found, dimensions) / wanted - 1) <= TOLERANCE:
            return found
        first = first or found
    return first
