"""Self-attention with recurrence: softmax attention and a REM, mixed by a learned gate (Huang et al. 2023, eq. 4)."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import GateSpec
from inductive_bias.layers.heads import (
    HeadMixer,
    Positions,
    and_plain,
    gate_logits,
    last_real,
    mixed_heads,
    real_values,
)
from inductive_bias.layers.rem import REM, RecurrenceSpec
from inductive_bias.layers.sparse import ProbSparse


class RSASpec(RecurrenceSpec, GateSpec):
    """Choices of an :class:`RSAttention`; ``counts`` add up to the heads that are not ``plain``."""

    kind: Literal["rsa"] = "rsa"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "RSA"

    @property
    def recurrent_heads(self) -> int:
        """Number of heads that have a REM."""
        return mixed_heads(self.heads, self.plain)

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: self-attention with recurrence."""
        chosen = self.rem_options | self.gate_options | options
        return self.started(RSAttention(width, self.heads, self.counts, **chosen))


class RSAttention(HeadMixer):
    """``[(1 − σ(μ)) · softmax(q kᵀ / √d) + σ(μ) · P] v`` in every head, P a REM of six kinds.

    Args:
        width: of inputs and outputs; ``heads`` divides it.
        heads: how many.
        counts: ``(k₁, …, k₆)``, see :class:`REM`; None spreads the heads evenly.
        dilation: of the heads of k₄ to k₆, one for all or one for each.
        causal: no token sees a later one. (Padding on the right then needs no mask, but for ``prefill``.)
        gate: one μ for the ``layer`` (the paper) or one for each ``head``.
        gate_logit: where μ starts; None draws it from (−3, 3), as the paper does.
        diagonal: ``zero`` or ``printed``, see :class:`REM`.
        shared: one λ or (γ, θ) for all heads of a kind.
        dropout: on the softmax weights.
        bias: whether the two linear layers have one.
        positions: encodes positions into queries and keys (``positions(x, first)``); None leaves them to the caller.
        plain: so many heads, the last ones, are softmax attention alone; ``counts`` then add up to the others (the
            paper's language models: half of the heads).
        attention, projection, kv_heads: as of :class:`HeadMixer`.
        rows: of the matrices: ``all``, or only those of the queries that are ``selected`` by a
            :class:`~inductive_bias.layers.ProbSparse` attention; lazy queries then stay as that leaves them.

    Attributes:
        rem: the matrices.
        mu: μ, ``[1]``, or one for each head that has a REM.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        counts: Sequence[int] | None = None,
        *,
        dilation: int | Sequence[int] = 2,
        causal: bool = True,
        gate: str = "layer",
        gate_logit: float | None = None,
        diagonal: str = "zero",
        shared: bool = False,
        dropout: float = 0.0,
        bias: bool = True,
        positions: Positions | None = None,
        plain: int = 0,
        attention: nn.Module | None = None,
        projection: nn.Module | None = None,
        rows: str = "all",
        kv_heads: int | None = None,
    ):
        options = {"positions": positions, "attention": attention, "projection": projection, "kv_heads": kv_heads}
        super().__init__(width, heads, causal=causal, dropout=dropout, bias=bias, **options)
        self.rows = checks.choice("rows", rows, ("all", "selected"))
        if rows == "selected" and not isinstance(attention, ProbSparse):
            raise ValueError("rows='selected' needs a ProbSparse attention, which selects")
        self.mixed = mixed_heads(heads, plain)
        self.rem = REM(self.mixed, counts, dilation=dilation, causal=causal, diagonal=diagonal, shared=shared)
        self.mu = gate_logits(self.mixed, gate, gate_logit)

    @property
    def gate(self) -> Float[Tensor, " h"]:
        """σ(μ), the share of the REM: ``[1]`` for the layer or one for each head that has one."""
        return self.mu.sigmoid()

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention mixed with a REM; padding is never attended to and writes nothing into the REM."""
        if self.rows == "selected":
            return self._mix_selected(q, k, v, mask)
        attended, values = self.attend(q, k, v, mask), real_values(v[:, : self.mixed], mask)
        return and_plain(self.rem.mix(values, attended[:, : self.mixed], self.mu), attended)

    def _mix_selected(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        if mask is not None:
            raise ValueError("a layer with its own attention takes no mask of padding")
        dropout = self.dropout if self.training else 0.0
        attended, chosen = self.attention.chosen(q, k, v, causal=self.causal, dropout=dropout)
        lazy = attended[:, : self.mixed]
        mixed = self.rem.mix(v[:, : self.mixed], lazy, self.mu)
        return and_plain(torch.where(chosen[:, : self.mixed, :, None], mixed, lazy), attended)

    def _state(self, v: Tensor, mask: Tensor | None) -> Tensor:
        return self.rem.state(real_values(v[:, : self.mixed], mask))

    def _mix_on(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, state: Tensor, new: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        attended, t = self.attend(q, k, v, mask), q.shape[2]
        values = real_values(v[:, : self.mixed, -t:], new)
        if t == 1 and new is None:
            recurrent, state = self.rem.step(state, values[:, :, 0])
            gate, rest = (mu.sigmoid().to(v.dtype)[:, None, None] for mu in (self.mu, -self.mu))
            return and_plain(rest * attended[:, : self.mixed] + gate * recurrent[:, :, None], attended), state
        mixed = self.rem.mix(values, attended[:, : self.mixed], self.mu)
        mixed = mixed + self.gate.to(v.dtype)[:, None, None] * self.rem.carried(state, t).to(v.dtype)
        return and_plain(mixed, attended), self.rem.state(values, state, None if new is None else last_real(new))
