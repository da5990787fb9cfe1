"""Temporal Latent Bottleneck (Didolkar et al. 2022): a fast stream within chunks, a slow one from chunk to chunk."""

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import CrossAttention
from inductive_bias.models.segments import Past, SegmentModel, SegmentSpec


class LatentBottleneckSpec(SegmentSpec):
    """Choices of a :class:`LatentBottleneck`.

    Attributes:
        chunk: tokens of a chunk, K. In training a step has to read several chunks: the gradient of the later ones is
            what teaches the slow stream.
        slow: vectors of the slow stream, N.
        every: after so many layers of the fast stream tokens look at the slow one, R.
    """

    kind: Literal["latent_bottleneck"] = "latent_bottleneck"
    chunk: int = Field(default=16, ge=1)
    slow: int = Field(default=8, ge=1)
    every: int = Field(default=2, ge=1)

    @model_validator(mode="after")
    def _slow_stream_is_read(self) -> "LatentBottleneckSpec":
        if self.every > self.layers:
            raise ValueError(f"every={self.every} must be at most layers={self.layers}: nothing would be read")
        return self

    @property
    def unit(self) -> int:
        """Tokens of a chunk, which are read together."""
        return self.chunk

    @property
    def kept(self) -> int:
        """Tokens of the memory: none, since only the slow vectors go on."""
        return 0

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Temporal Latent Bottleneck"

    def build(self, *, vocabulary: int, outputs: int) -> "LatentBottleneck":
        """A freshly initialised model."""
        return LatentBottleneck(self, vocabulary=vocabulary, outputs=outputs)


class LatentBottleneck(SegmentModel):
    """Tokens of a chunk see each other, and the slow vectors that the chunk before left; nothing else goes on.

    When a chunk is complete the slow vectors attend, once, to what came out of the fast stream for its tokens. They are
    normalised after that and after their feed-forward layer: sums over thousands of chunks would hear less and less of
    the next one.
    """

    def __init__(self, spec: LatentBottleneckSpec, *, vocabulary: int, outputs: int):
        super().__init__(spec, vocabulary=vocabulary, outputs=outputs)
        width, heads, self.every = spec.width, spec.mixer.heads, spec.every
        reading = spec.layers // spec.every
        self.reads = nn.ModuleList(CrossAttention(width, heads) for _ in range(reading))
        self.read_norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(reading))
        self.first = nn.Parameter(torch.randn(spec.slow, width))
        self.writes = CrossAttention(width, heads)
        self.write_norm, self.fast_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feedforward = nn.Sequential(nn.Linear(width, spec.inner), nn.GELU(), nn.Linear(spec.inner, width))
        self.feedforward_norm = nn.LayerNorm(width)

    def start(self, x: Float[Tensor, "b t d"]) -> Past:
        """State of a stream that begins; the fast stream's outputs are kept as if they went into one more layer."""
        none = super().start(x)
        return Past((*none.memory, x[:, :0]), (*none.begun, x[:, :0]), self.first.expand(len(x), -1, -1))

    def piece(self, x: Float[Tensor, "b t d"], past: Past) -> tuple[Float[Tensor, "b t d"], Past]:
        """Outputs for tokens of one chunk, and what is kept of them."""
        begun = []
        for place, block in enumerate(self.blocks):
            begun.append(torch.cat((past.begun[place], x), 1))
            x = block.after(past.begun[place], x)
            x = self._reading(place, x, past.states)
        return x, past._replace(begun=(*begun, torch.cat((past.begun[-1], x), 1)))

    def units(self, x: Float[Tensor, "b t d"], past: Past) -> tuple[Float[Tensor, "b t d"], Past]:
        """Outputs for whole chunks; layers before the first look at the slow stream read all chunks at once."""
        alone, states, found = self.every - 1, past.states, []
        for block in self.blocks[: alone + 1]:
            x, _ = self.through_units(block, x[:, :0], x, None)
        for part in x.split(self.unit, 1):
            part = self._reading(alone, part, states)
            for place, block in enumerate(self.blocks[alone + 1 :], start=alone + 1):
                part = self._reading(place, block(part), states)
            found.append(part)
            states = self._written(states, part)
        return torch.cat(found, 1), past._replace(states=states)

    def _reading(self, place: int, x: Float[Tensor, "b t d"], slow: Float[Tensor, "b n d"]) -> Float[Tensor, "b t d"]:
        """What came out of a layer, with what the slow stream tells after it, if tokens look at it there."""
        if (place + 1) % self.every:
            return x
        which = place // self.every
        return x + self.dropout(self.reads[which](self.read_norms[which](x), slow))

    def _written(self, slow: Float[Tensor, "b n d"], fast: Float[Tensor, "b t d"]) -> Float[Tensor, "b n d"]:
        """The slow vectors after a chunk."""
        slow = self.write_norm(slow + self.writes(slow, self.fast_norm(fast)))
        return self.feedforward_norm(slow + self.feedforward(slow))

    def turned(self, past: Past, *, cut: bool) -> Past:
        """What a complete chunk leaves: the slow vectors after they have read it."""
        return super().turned(past, cut=cut)._replace(states=self._written(past.states, past.begun[-1]))
