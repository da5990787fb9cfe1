"""Attention in which a query sees few keys: ProbSparse (Zhou et al. 2021) and LogSparse (Li et al. 2019).

Each is given to a layer of this room in place of its softmax over all keys: ``RSAttention(64, 4,
attention=ProbSparse())``. What else the layer does stays as it is.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inductive_bias.layers import checks

#: LogSparse attention to at most so many keys is softmax over all with a mask: up to about 130 that takes less time on
#: a CPU, and up to here it is how published runs were trained.
MASKED = 168


class ProbSparse(nn.Module):
    """Attention of queries whose scores stand out; all others, called lazy, get what needs no score.

    Of L queries the u = factor · ⌈ln L⌉ with the largest *max − mean* of their scores attend to all keys. The scores of
    a query are looked at for factor · ⌈ln L⌉ keys drawn at random, the same for all heads and examples. Lazy queries
    get the mean of all values or, if causal, the sum of those up to their own (Zhou et al. 2021, section 3.2, and the
    published code). That sum is itself a linear recurrence, h ← h + v.

    As published, the choice of queries looks at keys of the future too; no gradient passes it. The published code
    divides the sum of the drawn scores by the number of all keys, here it is by that of the drawn ones.

    Args:
        factor: c above, at least 1.
    """

    def __init__(self, factor: int = 5):
        super().__init__()
        self.factor = checks.whole("factor", factor, least=1)

    def forward(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        *,
        causal: bool,
        dropout: float = 0.0,
    ) -> Float[Tensor, "b h t d"]:
        """Attended values, see :func:`prob_sparse`. In evaluation every call draws the same keys."""
        return self.chosen(q, k, v, causal=causal, dropout=dropout)[0]

    def chosen(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        *,
        causal: bool,
        dropout: float = 0.0,
    ) -> tuple[Float[Tensor, "b h t d"], Bool[Tensor, "b h t"]]:
        """:meth:`forward`, and which queries attended."""
        size = self.size(k.shape[2]), self.size(q.shape[2])
        generator = None if self.training else torch.Generator().manual_seed(0)
        drawn = torch.randint(k.shape[2], (q.shape[2], size[0]), generator=generator).to(q.device)
        return prob_sparse(q, k, v, drawn, active=size[1], causal=causal, dropout=dropout)

    def size(self, length: int) -> int:
        """How many of ``length`` keys are drawn, and how many of as many queries attend: factor · ⌈ln L⌉."""
        return min(length, max(1, self.factor * math.ceil(math.log(length))))

    def extra_repr(self) -> str:
        """The factor."""
        return f"factor={self.factor}"


def prob_sparse(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b h n d"],
    v: Float[Tensor, "b h n d"],
    drawn: Int64[Tensor, "t s"],
    *,
    active: int,
    causal: bool,
    dropout: float = 0.0,
) -> tuple[Float[Tensor, "b h t d"], Bool[Tensor, "b h t"]]:
    """ProbSparse attention for keys ``drawn`` for each query, and which of the queries attended.

    Args:
        q: queries in heads.
        k: keys.
        v: values.
        drawn: places of the keys whose scores are looked at.
        active: how many queries attend.
        causal: a query sees no later key, and lazy ones get the sum of values up to their own; else their mean.
        dropout: on the weights.

    Raises:
        ValueError: if causal and there are not as many queries as keys.
    """
    t, n = q.shape[2], k.shape[2]
    if causal and t != n:
        raise ValueError(f"causal ProbSparse attention needs as many queries as keys, not {t} and {n}")
    with torch.no_grad():
        # all scores are made: on a CPU one product is faster than gathering the keys that were drawn
        some = (q @ k.mT).gather(3, drawn.expand(*q.shape[:2], -1, -1))
        top = (some.amax(3) - some.mean(3)).topk(active, dim=2).indices
    rows = top[..., None].expand(-1, -1, -1, q.shape[3])
    scores = q.gather(2, rows) @ k.mT / math.sqrt(q.shape[3])
    if causal:
        scores = scores.masked_fill(torch.arange(n, device=q.device) > top[..., None], -torch.inf)
    attended = F.dropout(scores.softmax(3), dropout, training=dropout > 0) @ v
    lazy = v.cumsum(2) if causal else v.mean(2, keepdim=True).expand(-1, -1, t, -1)
    return lazy.scatter(2, rows, attended), torch.zeros_like(q[..., 0], dtype=torch.bool).scatter(2, top, True)


class LogSparse(nn.Module):
    """Softmax attention of every query to itself, to what is 1, 2, 4, 8 … steps before it, and to a local window.

    Always causal (Li et al. 2019, section 4.2 and its appendix on local attention). Long sequences are read lag by lag,
    in O(L log L) operations.

    Args:
        window: steps, the query's own included, that it sees whole; None for ⌈log₂ L⌉ of a sequence of length L.
    """

    def __init__(self, window: int | None = None):
        super().__init__()
        self.window = None if window is None else checks.whole("window", window, least=1)

    def forward(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        *,
        causal: bool,
        dropout: float = 0.0,
    ) -> Float[Tensor, "b h t d"]:
        """What the last t of n tokens get.

        Raises:
            ValueError: if not ``causal``.
        """
        if not causal:
            raise ValueError("causal must be True for LogSparse attention, not False: it looks back alone")
        t, n = q.shape[2], k.shape[2]
        if n > MASKED:
            return by_lags(q, k, v, log_sparse_lags(n, self.window), dropout=dropout)
        allowed = log_sparse_mask(n, self.window).to(q.device)[n - t :]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=dropout)

    def extra_repr(self) -> str:
        """The window."""
        return f"window={self.window}"


def log_sparse_lags(length: int, window: int | None = None) -> list[int]:
    """How many steps before its own the keys lie that a query sees, in rising order; see :class:`LogSparse`."""
    window = max(1, math.ceil(math.log2(length))) if window is None else window
    return [lag for lag in range(length) if lag < window or lag & (lag - 1) == 0]


def log_sparse_mask(length: int, window: int | None = None) -> Bool[Tensor, "t t"]:
    """True where the query of a row sees the key of a column; see :class:`LogSparse`."""
    steps = torch.arange(length)
    return torch.isin(steps[:, None] - steps, torch.tensor(log_sparse_lags(length, window)))


def by_lags(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b h n d"],
    v: Float[Tensor, "b h n d"],
    lags: Sequence[int],
    *,
    dropout: float = 0.0,
) -> Float[Tensor, "b h t d"]:
    """Softmax attention of the last t of n tokens to the keys ``lags`` steps before them, where there are any.

    Args:
        q: queries in heads.
        k: keys.
        v: values.
        lags: in rising order from 0, so that every query sees a key.
        dropout: on the weights.
    """
    t, n = q.shape[2], k.shape[2]
    k, v = (F.pad(each, (0, 0, lags[-1], 0)) for each in (k, v))
    at = [slice(start := lags[-1] + n - t - lag, start + t) for lag in lags]
    scores = torch.stack([torch.linalg.vecdot(q, k[:, :, those]) for those in at], 3) / math.sqrt(q.shape[3])
    missing = torch.tensor(lags, device=q.device) > torch.arange(n - t, n, device=q.device)[:, None]
    weights = F.dropout(scores.masked_fill(missing, -torch.inf).softmax(3), dropout, training=dropout > 0)
    # one lag at a time: all shifted values together would take as much memory as the dense weights
    return sum(weight * v[:, :, those] for weight, those in zip(weights.split(1, 3), at, strict=True))


class ConvolvedQueries(nn.Module):
    """Queries and keys from a causal convolution, which tells shapes apart where single steps are alike; values linear.

    Given to a layer as its ``projection`` (Li et al. 2019, section 4.1).

    Args:
        width: of the tokens.
        kernel: steps that a query or key is made of: its own and those before it.
        bias: whether all three have one.
    """

    def __init__(self, width: int, kernel: int = 3, *, bias: bool = True):
        super().__init__()
        self.kernel = checks.whole("kernel", kernel, least=1)
        self.query_key = nn.Conv1d(width, 2 * width, kernel, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t three_d"]:
        """Queries, keys and values side by side."""
        before = F.pad(x.mT, (self.kernel - 1, 0))
        return torch.cat((self.query_key(before).mT, self.value(x)), 2)
