"""A layer from anywhere, asked in one way: how it is built from a width, and how it takes a mask of padding."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from inductive_bias.own_layers import asked, built, mask_argument
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

    def mask_name(self, layer: nn.Module) -> str | None:
        """What the layer calls its mask of padding; None if it takes none."""
        return mask_argument(layer)

    def call(self, layer: nn.Module, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The answer to ``x [b, t, width]``; ``mask [b, t]`` is True for real tokens, whatever that of the layer says.

        In a tuple it is the tensor that has a row for every token.

        Raises:
            ValueError: if it answers no tensor, or takes no mask where there is one.
        """
        return asked(layer, x, mask)


def subject_of(source: str, *, width: int = 24, arguments: Mapping[str, object] | None = None) -> LayerSubject:
    """The layer that ``my_layer.py:MyMixer`` names.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    target, _ = load(source)
    return LayerSubject(source.rpartition(":")[2], target, width, dict(arguments or {}))
