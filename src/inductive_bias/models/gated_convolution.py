"""Gated convolutions (Dauphin, Fan, Auli & Grangier 2017, arXiv:1612.08083): language models with a finite context."""

from typing import Literal

import torch.nn.functional as F
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.convolution import (
    CausalConvolution,
    ConvolutionalModel,
    ConvolutionalSpec,
    refuse_both_or_neither,
)


class GatedConvolutionSpec(ConvolutionalSpec):
    """Choices of a network of gated linear units; every layer has the width of the embedding, and a skip connection.

    Contexts of the paper's kind: 13 = 4 layers with kernel 4, 25 = 8 with kernel 4, 50 = 7 with kernel 8. The paper's
    larger networks have bottlenecks within a block and the adaptive softmax, which are left out here.

    Attributes:
        layers: of gated convolutions.
        width: of the embedding (of real values: a linear map) and of every layer.
        kernel: positions that one convolution sees.
        dropout: on the inputs of every convolution.
    """

    kind: Literal["gated_convolution"] = "gated_convolution"
    layers: int = Field(default=4, ge=1)
    width: int = Field(default=64, ge=1)
    kernel: int = Field(default=4, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Gated CNN"

    @property
    def receptive_field(self) -> int:
        """How many of the last inputs decide an output."""
        return 1 + self.layers * (self.kernel - 1)

    def build(self, *, outputs: int, channels: int | None = None, vocabulary: int | None = None) -> ConvolutionalModel:
        """A freshly initialised model of real-valued sequences (``channels``) or of tokens (``vocabulary``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        embedding = nn.Linear(channels, self.width) if vocabulary is None else nn.Embedding(vocabulary, self.width)
        blocks = [GatedBlock(self.width, self.kernel, dropout=self.dropout) for _ in range(self.layers)]
        return ConvolutionalModel(
            embedding, blocks, width=self.width, outputs=outputs, receptive_field=self.receptive_field
        )


class GatedBlock(nn.Module):
    """x + (W ∗ x + b) ⊙ σ(V ∗ x + c): a causal convolution, a second one that gates it, and a skip connection."""

    def __init__(self, width: int, kernel: int, *, dropout: float):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        # W and V side by side: one convolution with twice the channels
        self.convolution = CausalConvolution(width, 2 * width, kernel)

    def forward(self, x: Float[Tensor, "b d t"]) -> Float[Tensor, "b d t"]:
        return x + F.glu(self.convolution(self.dropout(x)), dim=1)
