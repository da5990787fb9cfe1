"""A multi-layer perceptron on a whole sequence: every position has weights of its own, and nothing is shared."""

from itertools import pairwise
from typing import ClassVar, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.convolution import refuse_both_or_neither
from inductive_bias.settings import Setting


class FlattenedSpec(Setting):
    """Choices of a :class:`FlattenedModel`.

    Attributes:
        length: positions that are read; a shorter sequence is filled up with zeros (tokens of padding), of a longer one
            the rest is not read.
        width: of the hidden layers.
        layers: hidden ones, each followed by ReLU.
        embedding: of tokens; real values are read as they are.
        dropout: after every hidden layer.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "channels"}),
        frozenset({"outputs", "vocabulary"}),
    )
    causal: ClassVar[bool] = False

    kind: Literal["flattened"] = "flattened"
    length: int = Field(ge=1)
    width: int = Field(default=64, ge=1)
    layers: int = Field(default=2, ge=1)
    embedding: int = Field(default=8, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "MLP"

    def build(self, *, outputs: int, channels: int | None = None, vocabulary: int | None = None) -> "FlattenedModel":
        """A freshly initialised model of real-valued sequences (``channels``) or of tokens (``vocabulary``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        embedding = None if vocabulary is None else nn.Embedding(vocabulary, self.embedding, padding_idx=0)
        return FlattenedModel(self, embedding, channels or self.embedding, outputs)


class FlattenedModel(nn.Module):
    """Real values ``[b, t, channels]`` or tokens ``[b, t]`` → all positions side by side → one answer.

    The answer stands at every position, ``[b, t, outputs]``, so that it is read as that of other models; it is not
    causal.
    """

    def __init__(self, spec: FlattenedSpec, embedding: nn.Embedding | None, channels: int, outputs: int):
        super().__init__()
        self.embedding, self.length, self.dropout = embedding, spec.length, nn.Dropout(spec.dropout)
        sizes = [spec.length * channels, *[spec.width] * spec.layers]
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))
        self.readout = nn.Linear(spec.width, outputs)

    def features(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b d"]:
        """The last hidden layer."""
        x = inputs.to(self.readout.weight.dtype) if self.embedding is None else self.embedding(inputs)
        x = F.pad(x[:, : self.length], (0, 0, 0, max(0, self.length - x.shape[1]))).flatten(1)
        for layer in self.hidden:
            x = self.dropout(torch.relu(layer(x)))
        return x

    def forward(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.features(inputs))[:, None].expand(-1, inputs.shape[1], -1)
