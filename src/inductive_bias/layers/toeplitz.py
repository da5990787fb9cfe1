"""Attention beside free position matrices: the control without form."""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import GateSpec
from inductive_bias.layers.heads import HeadMixer, and_plain, gate_logits, mixed_heads, real_values
from inductive_bias.layers.lags import toeplitz
from inductive_bias.tracing import refuse_fixed_length


class ToeplitzSpec(GateSpec):
    """Choices of a :class:`ToeplitzAttention`; ``length`` is that of the longest sequence, in tokens."""

    kind: Literal["toeplitz"] = "toeplitz"
    length: int = Field(ge=2)

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Free Toeplitz"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: attention and a free Toeplitz matrix."""
        return ToeplitzAttention(width, self.heads, length=self.length, **self.gate_options, **options)


class ToeplitzAttention(HeadMixer):
    """RSA with free lags in place of a REM: ``[(1 − σ(μ)) · softmax + σ(μ) · T] v``, T of length − 1 numbers a head.

    The control of the paper's language models (TL-XL): a position matrix of the same place but without form. All lags
    start at 0, so that one never met in training stays without effect.

    Args:
        width, heads, options: as of :class:`HeadMixer`.
        length: the longest sequence, in tokens.
        gate: one μ for the ``layer`` or one for each ``head``.
        gate_logit: where μ starts; None draws it from (−3, 3).
        plain: so many heads, the last ones, are softmax attention alone.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        length: int,
        gate: str = "layer",
        gate_logit: float | None = None,
        plain: int = 0,
        **options: object,
    ):
        super().__init__(width, heads, **options)
        self.length, self.mixed = checks.whole("length", length, least=2), mixed_heads(heads, plain)
        self.lags = nn.Parameter(torch.zeros(self.mixed, length - 1))
        self.mu = gate_logits(self.mixed, gate, gate_logit)

    @property
    def gate(self) -> Float[Tensor, " h"]:
        """σ(μ), the share of the free matrix: ``[1]`` for the layer or one for each head that has one."""
        return self.mu.sigmoid()

    def matrix(self, length: int) -> Float[Tensor, "h t t"]:
        """T of every head, for a sequence of 1 to ``self.length`` tokens."""
        self._check_length(checks.whole("length", length, least=1))
        return self._matrix(length)

    def _matrix(self, length: int) -> Float[Tensor, "h t t"]:
        return toeplitz(nn.functional.pad(self.lags, (1, 0))[:, :length], causal=self.causal)

    def _check_length(self, length: int) -> None:
        if length > self.length:
            raise ValueError(f"a sequence may have at most length={self.length} tokens, not {length}")

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention mixed with the product of a free Toeplitz matrix and the values."""
        refuse_fixed_length()
        self._check_length(k.shape[2])
        matrix = self._matrix(k.shape[2])[:, k.shape[2] - q.shape[2] :].to(v.dtype)
        attended, values = self.attend(q, k, v, mask), real_values(v[:, : self.mixed], mask)
        gate = self.gate.to(v.dtype)[:, None, None]
        return and_plain((1 - gate) * attended[:, : self.mixed] + gate * (matrix @ values), attended)
