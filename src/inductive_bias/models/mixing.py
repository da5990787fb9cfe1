"""One model in which only the token mixer changes: attention, RSA, a REM, a free matrix, an RNN or an LSTM.

What a comparison of mixers needs is that all else is equal: embedding, number of layers, width, feed-forward layers and
read-out are those of :class:`MixingModel`, whatever mixes the tokens.
"""

import math
from typing import ClassVar, Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import AttentionSpec, Mixer
from inductive_bias.layers.mixer import HeadSpec
from inductive_bias.models.block import Block
from inductive_bias.settings import Setting
from inductive_bias.tasks.vocabulary import PAD

#: Wavelengths of sinusoidal positions run from 2π to 2π times this (Vaswani et al. 2017, section 3.5).
LONGEST_WAVE = 10_000.0


class MixingSpec(Setting):
    """Choices of a :class:`MixingModel`.

    Attributes:
        mixer: what tokens learn of each other by, with its own choices: one of :data:`inductive_bias.layers.MIXERS`.
        positions: added to the embeddings: ``none``, or ``sinusoidal`` ones.
        layers: blocks.
        width: of the token representations; the mixer's heads divide it.
        feedforward: width of the feed-forward layers as a multiple of ``width``; 0 leaves them out.
        causal: no token sees a later one; False for an encoder, whose tokens see all others. Its mixer has heads.
        dropout: on the output of mixer and feed-forward layer.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "vocabulary"}),
        frozenset({"outputs", "channels"}),
    )

    kind: Literal["mixing"] = "mixing"
    mixer: Mixer = AttentionSpec()
    positions: Literal["none", "sinusoidal"] = "none"
    layers: int = Field(2, ge=1)
    width: int = Field(64, ge=1)
    feedforward: int = Field(4, ge=0)
    causal: bool = True
    dropout: float = Field(0.0, ge=0, lt=1)
    l1: float = Field(0.0, ge=0)
    l2: float = Field(0.0, ge=0)

    @model_validator(mode="after")
    def _mixer_fits(self) -> "MixingSpec":
        self.mixer.check_width(self.width)
        if not (self.causal or isinstance(self.mixer, HeadSpec)):
            raise ValueError(f"a mixer of kind {self.mixer.kind!r} goes step by step: causal must be True, not False")
        return self

    @property
    def name(self) -> str:
        """As on the pages: ``Attention, sinusoidal``."""
        return self.mixer.name + (", sinusoidal" if self.positions == "sinusoidal" else "")

    def build(self, *, outputs: int, vocabulary: int | None = None, channels: int | None = None) -> "MixingModel":
        """A freshly initialised model of tokens (``vocabulary``) or of real-valued sequences (``channels``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        if (vocabulary is None) == (channels is None):
            raise ValueError(f"give either vocabulary or channels, not vocabulary={vocabulary}, channels={channels}")
        embedding = nn.Linear(channels, self.width) if vocabulary is None else nn.Embedding(vocabulary, self.width)
        return MixingModel(self, embedding, outputs)


class MixingModel(nn.Module):
    """Embedding, blocks, normalisation, and a linear read-out at every token; if ``causal``, none sees a later one.

    Inputs are tokens ``[b, t]`` or real values ``[b, t, channels]``. Padding of tokens on the right is never seen by
    what stands before it; outputs there have no meaning.

    Attributes:
        blocks: their ``mixer`` is the layer under comparison.
    """

    def __init__(self, spec: MixingSpec, embedding: nn.Module, outputs: int):
        super().__init__()
        self.embedding, self.sinusoidal, self.causal = embedding, spec.positions == "sinusoidal", spec.causal
        options = {"feedforward": spec.feedforward, "dropout": spec.dropout}
        unmasked = {} if spec.causal else {"causal": False}
        self.blocks = nn.ModuleList(
            Block(spec.mixer.layer(spec.width, **unmasked), spec.width, **options) for _ in range(spec.layers)
        )
        self.norm = nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, outputs)

    def states(self, inputs: Tensor) -> Float[Tensor, "b t d"]:
        """What the read-out sees of every token."""
        x, mask = self._placed(inputs), self._real(inputs)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)

    def _real(self, inputs: Tensor) -> Bool[Tensor, "b t"] | None:
        """Which tokens are no padding; None where none is, or where no token sees what comes after it."""
        if self.causal or inputs.is_floating_point():
            return None
        real = inputs != PAD
        return None if bool(real.all()) else real

    def _placed(self, inputs: Tensor, first: int = 0) -> Float[Tensor, "b t d"]:
        """Embeddings of the tokens first, first + 1, … with their positions."""
        x = self.embedding(inputs)
        if self.sinusoidal:
            x = x + sinusoidal_positions(x.shape[1], x.shape[2], first).to(x)
        return x

    def features(self, inputs: Tensor) -> Float[Tensor, "b d"]:
        """The state of the last position."""
        return self.states(inputs)[:, -1]

    def forward(self, inputs: Tensor) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs))

    def prefill(self, inputs: Tensor) -> tuple[Float[Tensor, "b t k"], list[object]]:
        """:meth:`forward`, and the caches of all blocks to go on from."""
        x, caches = self._placed(inputs), []
        for block in self.blocks:
            x, cache = block.prefill(x)
            caches.append(cache)
        return self.readout(self.norm(x)), caches

    def step(self, inputs: Tensor, caches: list[object]) -> tuple[Float[Tensor, "b k"], list[object]]:
        """The next token ``[b]``, or the next values ``[b, channels]``: its row of :meth:`forward`, and new caches."""
        x, following = self._placed(inputs[:, None], caches[0].length)[:, 0], []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block.step(x, cache)
            following.append(cache)
        return self.readout(self.norm(x)), following


def sinusoidal_positions(length: int, width: int, first: int = 0) -> Float[Tensor, "t d"]:
    """Sines and cosines of falling frequency, in turns (Vaswani et al. 2017, section 3.5).

    Of the positions ``first``, ``first + 1``, … alone: whoever decodes does not pay for those before.
    """
    steps = torch.arange(first, first + length, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(LONGEST_WAVE) / width))
    return torch.stack((torch.sin(steps * rates), torch.cos(steps * rates)), -1).flatten(1)[:, :width]
