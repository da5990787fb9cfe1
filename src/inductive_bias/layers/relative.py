"""Attention with relative positions: Transformer-XL (Dai et al. 2019, section 3.3)."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.tracing import recorded, transformed

#: Wavelengths of the distances' sines and cosines run from 2π to 2π times this.
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
        self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool, dropout: float = 0.0
    ) -> Float[Tensor, "b h t d"]:
        """What the last t of n tokens get; those before them are memory.

        Raises:
            ValueError: if not ``causal``.
        """
        if not causal:
            raise ValueError("causal must be True for relative positions, not False: distances run backwards alone")
        n, each = k.shape[2], q.shape[3]
        far = torch.arange(n - 1, -1, -1, device=q.device)
        r = self.distance(distance_waves(far, self.distance.in_features).to(q.dtype)).to(q.dtype)
        r = r.unflatten(1, (q.shape[1], -1)).transpose(0, 1)
        # divided here, where there are fewer numbers than among the scores
        content, distance = (
            ((q + bias[:, None]) / math.sqrt(each)).to(q.dtype) for bias in (self.content_bias, self.distance_bias)
        )
        if dropout or recorded() or transformed():
            return attended(content, distance, k, v, r, self.window, dropout)
        # autocast would have the softmax of half precision written in full
        with torch.autocast(q.device.type, enabled=False):
            return RelativeAttention.apply(content, distance, k, v, r, self.window)


def attended(
    content: Float[Tensor, "b h t d"],
    distance: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b h n d"],
    v: Float[Tensor, "b h n d"],
    r: Float[Tensor, "h n d"],
    window: int | None,
    dropout: float = 0.0,
) -> Float[Tensor, "b h t d"]:
    """What :class:`RelativeAttention` gives, by ordinary operations."""
    scores = content @ k.mT + shifted(distance @ r.mT) + _mask(content, k, window)
    return F.dropout(scores.softmax(3), dropout, training=dropout > 0) @ v


class RelativeAttention(torch.autograd.Function):
    """softmax(content · kᵀ + shifted(distance · rᵀ)) v over the keys that are past and within the window.

    Written by hand, since arrays of all scores take most of the time: here one is filled in place, and of two more, the
    weights and the gradient of the scores, each is written once. Row i of the scores by distance begins t − 1 − i
    places further on than it should, so that scores by key are the same numbers, read from place t − 1 on in rows of
    n − 1; each row's last one, of the very last key, is seen by the last query alone. The derivative of a derivative is
    made by :func:`attended`.
    """

    @staticmethod
    def forward(ctx, content, distance, k, v, r, window):
        """See the class."""
        scores = content @ k.mT
        by_distance = _rows(distance) @ r.mT
        for ours, theirs in zip(_by_key(scores), _moved(by_distance, scores), strict=True):
            ours += theirs
        hidden = _mask(content, k, window)
        first = 0 if window is not None else scores.shape[3] - scores.shape[2]
        scores[..., first:] += hidden[:, first:]
        weights = scores.softmax(3)
        ctx.save_for_backward(content, distance, k, v, r, weights)
        ctx.window = window
        return weights @ v

    @staticmethod
    def backward(ctx, upstream):
        """See the class."""
        content, distance, k, v, r, weights = ctx.saved_tensors
        with torch.autocast(upstream.device.type, enabled=False):
            if torch.is_grad_enabled():  # the gradient of this gradient will be asked for
                found = _gradients(ctx, attended, (content, distance, k, v, r), upstream)
                return *found, None
            d_scores = torch._softmax_backward_data(upstream @ v.mT, weights, 3, weights.dtype)
            d_by_distance = d_scores.new_zeros(_rows(distance).shape[:2] + k.shape[2:3])
            for theirs, ours in zip(_moved(d_by_distance, d_scores), _by_key(d_scores), strict=True):
                theirs.copy_(ours)
            d_distance = (d_by_distance @ r).unflatten(1, (len(distance), -1)).transpose(0, 1)
            d_r = d_by_distance.mT @ _rows(distance)
            return d_scores @ k, d_distance, d_scores.mT @ content, weights.mT @ upstream, d_r, None


def _gradients(ctx, function, operands, upstream):
    """Those of ``function`` in the operands that need one, themselves with gradients."""
    operands = [each.view_as(each) for each in operands]
    wanted = [each for each, needed in zip(operands, ctx.needs_input_grad, strict=False) if needed]
    found = iter(torch.autograd.grad(function(*operands, ctx.window), wanted, upstream, create_graph=True))
    return [next(found) if needed else None for needed in ctx.needs_input_grad[: len(operands)]]


def _rows(x: Float[Tensor, "b h t d"]) -> Float[Tensor, "h rows d"]:
    """All queries of a head: what they are multiplied with is the same in every example."""
    return x.transpose(0, 1).flatten(1, 2)


def _by_key(scores: Float[Tensor, "b h t n"]) -> tuple[Tensor, Tensor]:
    """All columns but the last, and the last number of the last row."""
    return scores[..., :-1], scores[..., -1, -1]


def _moved(by_distance: Float[Tensor, "h rows n"], scores: Float[Tensor, "b h t n"]) -> tuple[Tensor, Tensor]:
    """The same places of scores by distance, as views."""
    b, h, t, n = scores.shape
    flat = by_distance.view(h, b, t * n).transpose(0, 1)
    return flat[..., t - 1 : t * n - 1].view(b, h, t, n - 1), flat[..., -1]


def _mask(q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h n d"], window: int | None) -> Float[Tensor, "t n"]:
    """−∞ at keys that a query may not see, else 0: added, which is faster than to fill where a mask is set."""
    t, n = q.shape[2], k.shape[2]
    hidden = torch.ones(t, n, dtype=torch.bool, device=q.device).triu(n - t + 1)
    if window is not None:
        hidden = hidden | torch.ones_like(hidden).tril(n - t - window)
    return torch.zeros(t, n, dtype=q.dtype, device=q.device).masked_fill(hidden, -torch.inf)


def distance_waves(distance: Tensor, width: int) -> Float[Tensor, "n d"]:
    """Sines of the distances, then their cosines; of an odd width the sines have one channel more."""
    rates = LONGEST_WAVE ** -(torch.arange(0, width, 2, device=distance.device) / width)
    angles = distance[:, None] * rates
    return torch.cat((angles.sin(), angles.cos()), 1)[:, :width]


def shifted(scores: Float[Tensor, "b h t n"]) -> Float[Tensor, "b h t n"]:
    """From scores by distance, n − 1 to 0 in every row, to scores by key; those of later keys have no meaning.

    Row i moves t − 1 − i places to the left: a column of zeros in front, read in rows of another length.
    """
    b, h, t, n = scores.shape
    return F.pad(scores, (1, 0)).view(b, h, n + 1, t)[:, :, 1:].reshape(b, h, t, n)
