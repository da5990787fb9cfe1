"""A multi-layer perceptron: the model without a bias towards translation."""

from itertools import pairwise
from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field, PositiveInt
from torch import Tensor, nn

from inductive_bias.settings import Setting


class MLPSpec(Setting):
    """Choices of an :class:`MLP`; the defaults are the paper's ``ff_mnist4`` (Abnar et al. 2020, the Reflect code).

    ``l1`` and ``l2`` weigh the sums of absolute and squared weights that training adds to the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"image", "classes"}),)
    causal: ClassVar[bool] = False

    kind: Literal["mlp"] = "mlp"
    widths: tuple[PositiveInt, ...] = Field(default=(512, 128, 32), min_length=1)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    l1: float = Field(default=1e-5, ge=0)
    l2: float = Field(default=1e-5, ge=0)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "MLP"

    def build(self, *, image: tuple[int, int, int], classes: int) -> "MLP":
        """A freshly initialised model for images of ``(channels, height, width)``."""
        return MLP(image[0] * image[1] * image[2], self.widths, classes, dropout=self.dropout)


class HiddenLayer(nn.Module):
    """Linear → ReLU → batch normalisation → dropout, in the order of the original code."""

    def __init__(self, inputs: int, width: int, *, dropout: float):
        super().__init__()
        self.linear = nn.Linear(inputs, width)
        self.norm = nn.BatchNorm1d(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n w"]:
        return self.dropout(self.norm(torch.relu(self.linear(x))))


class MLP(nn.Module):
    """Hidden layers of the given ``widths`` and a linear read-out.

    ``features`` returns the penultimate layer, whose geometry the representation analyses compare.
    """

    def __init__(self, inputs: int, widths: tuple[int, ...], classes: int, *, dropout: float = 0.0):
        super().__init__()
        sizes = (inputs, *widths)
        self.hidden = nn.ModuleList(HiddenLayer(before, after, dropout=dropout) for before, after in pairwise(sizes))
        self.readout = nn.Linear(sizes[-1], classes)

    def stages(self, images: Float[Tensor, "n c h w"]) -> dict[str, Float[Tensor, "n _"]]:
        """The activations of every hidden layer, first to last."""
        x, found = images.flatten(1), {}
        for number, layer in enumerate(self.hidden, start=1):
            x = found[f"hidden {number}"] = layer(x)
        return found

    def features(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d"]:
        """The penultimate layer."""
        x = images.flatten(1)
        for layer in self.hidden:
            x = layer(x)
        return x

    def forward(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        return self.readout(self.features(images))
