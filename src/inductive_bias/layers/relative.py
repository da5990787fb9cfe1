"""Attention with relative positions: Transformer-XL (Dai et al. 2019, section 3.3)."""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.heads import HeadMixer

#: Wavelengths of sines and cosines of a place or a distance, and of rotary turns, run from 2π to 2π times this (Vaswani
#: et al. 2017, section 3.5).
LONGEST_WAVE = 10_000.0


class RelativePositions(nn.Module):
    """Causal softmax attention whose scores know the distance from query to key, for a layer's ``attention``.

    A_ij = ((q_i + u) · k_j + (q_i + w) · W r_{i−j}) / √d: content, distance, and a bias of each. r is sines and cosines
    of the distance, half of its channels each; u and w are learnt, one a head, and start at 0. (In the paper's code all
    layers share u and w unless ``untie_r`` is set; here every layer has its own.)

    Args:
        width: of the tokens.
        heads: which divide it.
        window: a query sees so many keys, its own token included; None for all.
    """

    def __init__(self, width: int, heads: int, *, window: int | None = None):
        super().__init__()
        self.window = None if window is None else checks.whole("window", window, least=1)
        each = checks.head_width(width, heads)
        self.distance = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.zeros(heads, each))
        self.distance_bias = nn.Parameter(torch.zeros(heads, each))

    def forward(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        *,
        causal: bool,
        dropout: float = 0.0,
    ) -> Float[Tensor, "b h t d"]:
        """What the last t of n tokens get; those before them are memory.

        Raises:
            ValueError: if not ``causal``.
        """
        if not causal:
            raise ValueError("causal must be True for relative positions, not False: distances run backwards alone")
        t, n = q.shape[2], k.shape[2]
        content = (q + self.content_bias[:, None]) @ k.mT
        scores = (content + self.by_distance(q, n, causal=causal)) / math.sqrt(q.shape[3])
        past = torch.ones(t, n, dtype=torch.bool, device=q.device).tril(n - t)
        if self.window is not None:
            past = past.triu(n - t - self.window + 1)
        weights = scores.masked_fill(~past, -torch.inf).softmax(3)
        return F.dropout(weights, dropout, training=dropout > 0) @ v

    def by_distance(self, q: Float[Tensor, "b h t d"], n: int, *, causal: bool) -> Float[Tensor, "b h t n"]:
        """(q_i + w) · W r_{i−j} of the last t of n tokens; where causal, those of later keys have no meaning.

        A key that comes later has a negative distance, whose sines are those of the positive one with the other sign.
        """
        t, last = q.shape[2], 0 if causal else 1 - q.shape[2]
        far = torch.arange(n - 1, last - 1, -1, device=q.device)
        r = self.distance(distance_waves(far, self.distance.in_features).to(q.dtype))
        r = r.unflatten(1, (q.shape[1], -1)).transpose(0, 1)
        scores = (q + self.distance_bias[:, None]) @ r.mT
        if causal:
            return shifted(scores)
        keys = torch.arange(t - 1, -1, -1, device=q.device)[:, None] + torch.arange(n, device=q.device)
        return scores.gather(3, keys.expand(*scores.shape[:2], -1, -1))


class RelativeSpec(QuerySpec):
    """Choices of a :class:`RelativeAttention`."""

    kind: Literal["relative"] = "relative"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Attention, Transformer-XL"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: attention with relative positions."""
        return RelativeAttention(width, self.heads, kv_heads=self.kv_heads, **options)


class RelativeAttention(HeadMixer):
    """Softmax attention with relative positions in both directions, beside padding and token by token.

    Values and parameters are those of :class:`RelativePositions`. Arguments as of :class:`HeadMixer`, without
    ``attention``.
    """

    def __init__(self, width: int, heads: int, **options: object):
        super().__init__(width, heads, **options)
        self.relative = RelativePositions(width, heads)

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention whose scores have a learned term for the distance."""
        by_distance = self.relative.by_distance(q, k.shape[2], causal=self.causal) / math.sqrt(q.shape[3])
        return self.attend(q + self.relative.content_bias[:, None], k, v, mask, bias=by_distance)


def distance_waves(distance: Integer[Tensor, " n"], width: int) -> Float[Tensor, "n d"]:
    """Sines of the distances, then their cosines; of an odd width the sines have one channel more."""
    rates = LONGEST_WAVE ** -(torch.arange(0, width, 2, device=distance.device) / width)
    angles = distance[:, None] * rates
    return torch.cat((angles.sin(), angles.cos()), 1)[:, :width]


def shifted(scores: Float[Tensor, "b h t n"]) -> Float[Tensor, "b h t n"]:
    """Scores by key, from scores by distance (n − 1 to 0 in every row); those of later keys have no meaning.

    Row i moves t − 1 − i places to the left: a column of zeros in front, read in rows of another length.
    """
    b, h, t, n = scores.shape
    return F.pad(scores, (1, 0)).view(b, h, n + 1, t)[:, :, 1:].reshape(b, h, t, n)
