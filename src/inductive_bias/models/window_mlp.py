"""A multi-layer perceptron on a window that slides over the sequence (Bengio et al. 2003, JMLR 3:1137).

The embeddings of the last tokens stand side by side, each with weights of its own, and hidden layers follow: the first
neural language model. It is the plainest model with a finite memory.
"""

from typing import Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.convolution import (
    CausalConvolution,
    ConvolutionalModel,
    ConvolutionalSpec,
    refuse_both_or_neither,
)


class WindowMLPSpec(ConvolutionalSpec):
    """Choices of an MLP on a window.

    Departures from the paper: ReLU instead of tanh, one or more hidden layers, weights are normalised as in the other
    convolutional models, and no direct connections from embeddings to outputs.

    Attributes:
        window: the last inputs that are read, the present one among them; before the sequence there are zeros.
        width: of the embedding (of real values: a linear map) and of every hidden layer.
        layers: hidden ones, each followed by ReLU.
        dropout: after every hidden layer.
    """

    kind: Literal["window_mlp"] = "window_mlp"
    window: int = Field(default=16, ge=1)
    width: int = Field(default=64, ge=1)
    layers: int = Field(default=2, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "MLP on a window"

    @property
    def receptive_field(self) -> int:
        """How many of the last inputs decide an output."""
        return self.window

    def build(self, *, outputs: int, channels: int | None = None, vocabulary: int | None = None) -> ConvolutionalModel:
        """A freshly initialised model of real-valued sequences (``channels``) or of tokens (``vocabulary``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        embedding = nn.Linear(channels, self.width) if vocabulary is None else nn.Embedding(vocabulary, self.width)
        seen = [self.window] + [1] * (self.layers - 1)
        blocks = [HiddenLayer(self.width, positions, dropout=self.dropout) for positions in seen]
        return ConvolutionalModel(
            embedding, blocks, width=self.width, outputs=outputs, receptive_field=self.receptive_field
        )


class HiddenLayer(nn.Module):
    """A linear map of the last ``positions`` inputs side by side → ReLU → dropout, at every place of the sequence."""

    def __init__(self, width: int, positions: int, *, dropout: float):
        super().__init__()
        self.linear = CausalConvolution(width, width, positions)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "b d t"]) -> Float[Tensor, "b d t"]:
        return self.dropout(self.linear(x).relu())
