"""The temporal convolutional network (TCN) of Bai, Kolter & Koltun 2018 (arXiv:1803.01271, section 3).

Dilations double from level to level, so that the past that is seen grows exponentially with depth.
"""

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.convolution import (
    CausalConvolution,
    ConvolutionalModel,
    ConvolutionalSpec,
    refuse_both_or_neither,
)

#: Deviation of the first weights of a 1×1 convolution beside a block, as in locuslab/TCN. That code gives it to the
#: other kernels too, but there weight normalisation writes over them before the first step: they start as PyTorch's.
SIDE_DEVIATION = 0.01


class TCNSpec(ConvolutionalSpec):
    """Choices of a TCN; the defaults are those of the published code for polyphonic music (locuslab/TCN).

    Attributes:
        levels: blocks; that of level l = 0, 1 … has dilation 2^l.
        width: channels of every level.
        kernel: positions that one convolution sees.
        dropout: after every ReLU within a block, in single numbers (not whole channels), as in the published code.
        embedding: of tokens, read as it is (without tanh); real values are read as they are. Departures from the
            published code: there, characters' embeddings share their weights with the read-out and have a dropout
            rate of their own, and the digits of the copying task are one real number.
    """

    kind: Literal["tcn"] = "tcn"
    levels: int = Field(default=4, ge=1)
    width: int = Field(default=150, ge=1)
    kernel: int = Field(default=5, ge=1)
    dropout: float = Field(default=0.25, ge=0, lt=1)
    embedding: int = Field(default=64, ge=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "TCN"

    @property
    def receptive_field(self) -> int:
        """How many of the last inputs decide an output: two convolutions a level, whose dilations double."""
        return 1 + 2 * (self.kernel - 1) * (2**self.levels - 1)

    def build(self, *, outputs: int, channels: int | None = None, vocabulary: int | None = None) -> ConvolutionalModel:
        """A freshly initialised model of real-valued sequences (``channels``) or of tokens (``vocabulary``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        embedding = nn.Identity() if vocabulary is None else nn.Embedding(vocabulary, self.embedding)
        widths = [channels if vocabulary is None else self.embedding, *[self.width] * self.levels]
        blocks = [
            TemporalBlock(widths[level], self.width, self.kernel, dilation=2**level, dropout=self.dropout)
            for level in range(self.levels)
        ]
        return ConvolutionalModel(
            embedding, blocks, width=self.width, outputs=outputs, receptive_field=self.receptive_field
        )


class TemporalBlock(nn.Module):
    """ReLU(x + F(x)), where F is twice: dilated causal convolution → ReLU → dropout.

    Where the widths differ, a 1×1 convolution of x takes the place of x.
    """

    def __init__(self, inputs: int, width: int, kernel: int, *, dilation: int, dropout: float):
        super().__init__()
        self.first = CausalConvolution(inputs, width, kernel, dilation=dilation)
        self.second = CausalConvolution(width, width, kernel, dilation=dilation)
        self.dropout = nn.Dropout(dropout)
        self.side = nn.Identity()
        if inputs != width:
            self.side = nn.Conv1d(inputs, width, kernel_size=1)
            nn.init.normal_(self.side.weight, std=SIDE_DEVIATION)

    def forward(self, x: Float[Tensor, "b c t"]) -> Float[Tensor, "b d t"]:
        found = self.dropout(torch.relu(self.first(x)))
        found = self.dropout(torch.relu(self.second(found)))
        return torch.relu(self.side(x) + found)
