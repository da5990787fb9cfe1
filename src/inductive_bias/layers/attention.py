"""Softmax attention alone: what every other mixer is measured against."""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.heads import HeadMixer, softmax_weights


class AttentionSpec(QuerySpec):
    """Choices of a :class:`PlainAttention`."""

    kind: Literal["attention"] = "attention"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Attention"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: softmax attention."""
        return PlainAttention(width, self.heads, kv_heads=self.kv_heads, **options)


class PlainAttention(HeadMixer):
    """Softmax attention alone. Arguments as of :class:`HeadMixer`."""

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention of the queries to all keys that they may see."""
        return self.attend(q, k, v, mask)

    def weights(self, x: Float[Tensor, "b t width"]) -> Float[Tensor, "b h t t"]:
        """How much of every token each token takes, without dropout: what :meth:`forward` never writes out."""
        q, k, _ = self._split(x, 0)
        t = x.shape[1]
        past = torch.ones(t, t, dtype=torch.bool, device=x.device).tril() if self.causal else None
        return softmax_weights(q, self._shared(k), past)
