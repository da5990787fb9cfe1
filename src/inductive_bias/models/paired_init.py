"""Models that differ in their mixer alone, and begin with the same weights in all that they share."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

from inductive_bias.layers import AttentionSpec
from inductive_bias.layers.base import HeadSpec

Spec = TypeVar("Spec", bound=HeadSpec)


def same_init(mixer: Spec, made: Callable[[Spec | AttentionSpec], nn.Module]) -> nn.Module:
    """One freshly initialised mixer; whichever it is, the random numbers after it are those after plain attention.

    Args:
        mixer: its settings.
        made: makes a layer of such settings. What all mixers share should be drawn first.
    """
    start = torch.get_rng_state()
    plain = made(AttentionSpec(heads=mixer.heads))
    if mixer.kind == "attention":
        return plain
    after = torch.get_rng_state()
    torch.set_rng_state(start)
    layer = made(mixer)
    torch.set_rng_state(after)
    return layer
