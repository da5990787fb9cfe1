"""A layer from anywhere that is to be looked at: what builds it, and of which width."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from inductive_bias.own_layers import built
from inductive_bias.plugins import load
from inductive_bias.seeding import seeded


@dataclass(frozen=True)
class LayerSubject:
    """A layer ``[b, t, width] → [b, t, width]`` that is to be looked at.

    Attributes:
        name: for people.
        target: a class or a function that builds it.
        width: numbers of a token.
        arguments: further keyword arguments of the target.
    """

    name: str
    target: Callable[..., object]
    width: int = 24
    arguments: Mapping[str, object] = field(default_factory=dict)

    def build(self, seed: int = 0) -> nn.Module:
        """A layer with fresh weights, in evaluation mode.

        Raises:
            SettingError: if it cannot be built from a width alone, or is no module.
        """
        with seeded(seed, torch.device("cpu")):
            return built(self.target, self.width, self.arguments, self.name).eval()


def subject_of(source: str, *, width: int = 24, arguments: Mapping[str, object] | None = None) -> LayerSubject:
    """The layer that ``my_layer.py:MyMixer`` names.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    target, _ = load(source)
    return LayerSubject(source.rpartition(":")[2], target, width, dict(arguments or {}))
