"""Softmax attention whose scores fall with the distance."""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.heads import HeadMixer


class ALiBiSpec(QuerySpec):
    """Choices of an :class:`ALiBiAttention`."""

    kind: Literal["alibi"] = "alibi"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Attention, ALiBi"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: softmax attention with ALiBi's biases."""
        return ALiBiAttention(width, self.heads, kv_heads=self.kv_heads, **options)


class ALiBiAttention(HeadMixer):
    """Softmax attention whose scores fall linearly with the distance (Press et al. 2022).

    The slopes are 2^(−8i/h) for i = 1 … h if the number of heads is a power of two; otherwise those of the next
    smaller power, then every other one of the next larger. Nothing is learned. Not causal: the distance, in both
    directions. Arguments as of :class:`HeadMixer`.
    """

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention whose scores fall with the distance from query to key."""
        n = k.shape[2]
        steps = torch.arange(n, device=q.device)
        distance = (steps[n - q.shape[2] :, None] - steps).abs()
        # made of the settings at each use: no state dict has them, and a layer may be built without memory
        slopes = alibi_slopes(self.heads).to(q.device, torch.promote_types(q.dtype, torch.float32))
        return self.attend(q, k, v, mask, bias=-slopes[:, None, None] * distance)


def alibi_slopes(heads: int) -> Float[Tensor, " h"]:
    """A slope a head, see :class:`ALiBiAttention`."""
    power = 2 ** (heads.bit_length() - 1)
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * (heads - power), 2)]
    return torch.tensor(slopes)
