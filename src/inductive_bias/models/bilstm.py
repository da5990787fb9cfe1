"""A bidirectional LSTM over the tokens of a function: every state knows what comes before and after it."""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.code_classifier import FunctionSpec


class BiLSTMSpec(FunctionSpec):
    """Choices of a bidirectional LSTM.

    Attributes:
        states: of each direction.
        layers: one on top of the other; each reads both directions of the one below.
    """

    kind: Literal["bilstm"] = "bilstm"
    states: int = Field(default=48, ge=1)
    layers: int = Field(default=2, ge=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "BiLSTM"

    def encoder(self) -> "BiLSTM":
        """A freshly initialised encoder of LSTM layers in both directions."""
        return BiLSTM(self.width, self.states, self.layers)


class BiLSTM(nn.Module):
    """Layers of two LSTMs, one of which reads every function from its own end (not from that of the padding).

    Args:
        width: of the inputs.
        states: of each direction.
        layers: how many.

    Attributes:
        d: of the outputs.
    """

    def __init__(self, width: int, states: int, layers: int):
        super().__init__()
        self.d = 2 * states
        widths = [width, *[self.d] * (layers - 1)]
        self.onward, self.reverse = (
            nn.ModuleList(nn.LSTM(each, states, batch_first=True) for each in widths) for _ in range(2)
        )

    def forward(self, x: Float[Tensor, "b t c"], real: Bool[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """States of both directions at every token; those of padding mean nothing."""
        turned = turned_round(real)[..., None]
        for onward, reverse in zip(self.onward, self.reverse, strict=True):
            theirs = reverse(x.gather(1, turned.expand_as(x)))[0]
            x = torch.cat((onward(x)[0], theirs.gather(1, turned.expand_as(theirs))), -1)
        return x


def turned_round(real: Bool[Tensor, "b t"]) -> Tensor:
    """Places ``[b, t]`` that turn every sequence round within its own length; padding stays where it is."""
    places = torch.arange(real.shape[1], device=real.device).expand_as(real)
    return torch.where(real, real.sum(1, keepdim=True) - 1 - places, places)
