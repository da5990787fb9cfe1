"""What causal convolutional models share: a convolution that looks back alone, and the way from inputs to outputs."""

from collections.abc import Iterable
from typing import ClassVar

import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from inductive_bias.settings import Setting


class ConvolutionalSpec(Setting):
    """What all causal convolutional models of sequences say of themselves.

    A penalty on weights is none of their choices: weight normalisation makes the scale of a kernel's direction free.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "channels"}),
        frozenset({"outputs", "vocabulary"}),
    )
    causal: ClassVar[bool] = True
    l1: ClassVar[float] = 0.0
    l2: ClassVar[float] = 0.0


class CausalConvolution(nn.Module):
    """Weight-normalised (Salimans & Kingma 2016) convolution over time; outputs see no later input.

    Zeros stand before the sequence, so that there are as many outputs as inputs.

    Args:
        inputs: channels that it reads.
        outputs: channels that it gives.
        kernel: positions that an output sees.
        dilation: steps between these positions.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, *, dilation: int = 1):
        super().__init__()
        self.past = (kernel - 1) * dilation
        self.convolution = weight_norm(nn.Conv1d(inputs, outputs, kernel, dilation=dilation))

    def forward(self, x: Float[Tensor, "b c t"]) -> Float[Tensor, "b d t"]:
        return self.convolution(F.pad(x, (self.past, 0)))


class ConvolutionalModel(nn.Module):
    """Real values ``[b, t, channels]`` or tokens ``[b, t]`` → blocks → states → ``[b, t, outputs]``; causal.

    Padding on the right is never seen by what stands before it; outputs there have no meaning.

    Args:
        embedding: what turns inputs into ``[b, t, c]``.
        blocks: from ``[b, c, t]`` to ``[b, width, t]``, one after the other.
        width: of the states.
        outputs: at every position.
        receptive_field: how many of the last inputs a state sees.

    Attributes:
        readout: linear.
    """

    def __init__(
        self, embedding: nn.Module, blocks: Iterable[nn.Module], *, width: int, outputs: int, receptive_field: int
    ):
        super().__init__()
        self.embedding, self.blocks = embedding, nn.Sequential(*blocks)
        self.readout = nn.Linear(width, outputs)
        self.receptive_field = receptive_field

    def states(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """What the read-out sees of every position."""
        tokens = isinstance(self.embedding, nn.Embedding)
        x = self.embedding(inputs if tokens else inputs.to(self.readout.weight.dtype))
        return self.blocks(x.mT).mT

    def features(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b d"]:
        """The last state, from the inputs that it sees."""
        return self.states(inputs[:, -self.receptive_field :])[:, -1]

    def last(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b k"]:
        """The output at the last position alone: that of ``forward``, without computing the others."""
        return self.readout(self.features(inputs))

    def forward(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs))


def refuse_both_or_neither(channels: int | None, vocabulary: int | None) -> None:
    """A model reads real values or tokens.

    Raises:
        ValueError: if not exactly one of both is given.
    """
    if (vocabulary is None) == (channels is None):
        raise ValueError(f"give either vocabulary or channels, not vocabulary={vocabulary}, channels={channels}")
