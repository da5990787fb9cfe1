"""What all classifiers of code share: an encoder of tokens, pooling, and an answer about one or two functions."""

from abc import abstractmethod
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.settings import Setting
from inductive_bias.tasks.vocabulary import PAD


class FunctionSpec(Setting):
    """Choices of all encoders.

    Attributes:
        width: of the embeddings of tokens.
        dropout: on the embeddings and on what the read-out sees.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"vocabulary", "classes", "sides"}),)
    causal: ClassVar[bool] = False

    width: int = Field(default=64, ge=1)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @abstractmethod
    def encoder(self) -> nn.Module:
        """An encoder of embeddings ``[b, t, width]``, real where ``[b, t]``, to states ``[b, t, d]``; it has ``d``."""

    def build(self, *, vocabulary: int, classes: int, sides: int = 1) -> "FunctionClassifier":
        """A freshly initialised classifier of one function or, with two ``sides``, of two."""
        options = {"vocabulary": vocabulary, "classes": classes, "sides": sides, "dropout": self.dropout}
        return FunctionClassifier(self.encoder(), self.width, **options)


class FunctionClassifier(nn.Module):
    """Tokens ``[b, t]``, or two functions side by side ``[b, t, 2]``, padded on the right → ``[b, classes]``.

    A function is the mean and the maximum of its states (Howard & Ruder 2018). Of two functions a and b, which have one
    encoder, |a − b| and a · b are read, so that their order means nothing.

    Args:
        encoder: see :meth:`FunctionSpec.encoder`.
        width: of the embeddings.
        vocabulary: ids, of which 0 is padding.
        classes: answers.
        sides: functions of an example: 1 or 2.
        dropout: on the embeddings and on what the read-out sees.
    """

    def __init__(
        self, encoder: nn.Module, width: int, *, vocabulary: int, classes: int, sides: int = 1, dropout: float = 0.0
    ):
        super().__init__()
        if sides not in (1, 2):
            raise ValueError(f"sides must be 1 or 2, not {sides}")
        self.sides = sides
        self.embedding = nn.Embedding(vocabulary, width)
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.readout = nn.Linear(2 * sides * encoder.d, classes)

    @property
    def blocks(self) -> tuple[nn.Module, ...]:
        """Blocks of the encoder, if it has any."""
        return tuple(getattr(self.encoder, "blocks", ()))

    def pooled(self, embedded: Float[Tensor, "b t width"], real: Bool[Tensor, "b t"]) -> Float[Tensor, "b d2"]:
        """Mean and maximum of the states of the real tokens, from their embeddings; finite where all is padding."""
        states = self.encoder(self.dropout(embedded), real)
        mean = (states * real[..., None]).sum(1) / real.sum(1, keepdim=True).clamp(min=1)
        # the least number and not −∞, whose gradient would be undefined where all is padding
        return torch.cat((mean, states.masked_fill(~real[..., None], torch.finfo(states.dtype).min).amax(1)), -1)

    def vectors(self, tokens: Int64[Tensor, "b t"]) -> Float[Tensor, "b d2"]:
        """What is known of single functions."""
        return self.pooled(self.embedding(tokens), tokens != PAD)

    def features(self, inputs: Int64[Tensor, "b t *two"]) -> Float[Tensor, "b f"]:
        """What the read-out sees."""
        if inputs.ndim == 2:
            return self.vectors(inputs)
        return compared(*self.vectors(torch.cat(inputs.unbind(-1))).chunk(2))

    def similarity(self, one: Float[Tensor, "n d2"], two: Float[Tensor, "m d2"]) -> Float[Tensor, "n m"]:
        """Log odds of the second of two classes for each of one with each of two, all pairs without their features.

        Σ w |a − b| is the difference of two sums of absolute differences, of the features with positive weights and of
        those with negative ones.
        """
        weight, bias = (part[1] - part[0] for part in (self.readout.weight, self.readout.bias))
        apart, product = weight.chunk(2)
        distances = [torch.cdist(one * each, two * each, p=1) for each in (apart.clamp(min=0), (-apart).clamp(min=0))]
        return distances[0] - distances[1] + (one * product) @ two.T + bias

    def forward(self, inputs: Int64[Tensor, "b t *two"]) -> Float[Tensor, "b k"]:
        """Logits ``[b, classes]`` of functions, or of pairs of functions.

        Raises:
            ValueError: if there are not as many functions side by side as the model was made for.
        """
        if inputs.ndim != self.sides + 1:
            raise ValueError(f"a model of sides={self.sides} takes {self.sides + 1} axes, not {tuple(inputs.shape)}")
        return self.readout(self.dropout(self.features(inputs)))


def compared(one: Float[Tensor, "b d"], two: Float[Tensor, "b d"]) -> Float[Tensor, "b d2"]:
    """|a − b| and a · b, side by side."""
    return torch.cat(((one - two).abs(), one * two), -1)
