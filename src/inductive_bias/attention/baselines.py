"""What self-attention with recurrence is measured against, all with the same interface."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.attention import checks
from inductive_bias.attention.heads import (
    Cache,
    HeadMixer,
    and_plain,
    check_tokens,
    gate_logits,
    mixed_heads,
    refuse_bidirectional,
)
from inductive_bias.attention.lags import toeplitz
from inductive_bias.attention.rem import REM
from inductive_bias.attention.rsa import real_values


class PlainAttention(HeadMixer):
    """Softmax attention alone. Arguments as of :class:`HeadMixer`."""

    def mix(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        """See :meth:`HeadMixer.mix`."""
        return self.attend(q, k, v, mask)


class ALiBiAttention(HeadMixer):
    """Softmax attention whose scores fall linearly with the distance (Press et al. 2022).

    The slopes are 2^(−8i/h) for i = 1 … h if the number of heads is a power of two; otherwise those of the next
    smaller power, then every other one of the next larger. Nothing is learned. Not causal: the distance, in both
    directions. Arguments as of :class:`HeadMixer`.
    """

    def __init__(self, width: int, heads: int, **options: object):
        super().__init__(width, heads, **options)
        self.register_buffer("slopes", alibi_slopes(heads), persistent=False)

    def mix(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        """See :meth:`HeadMixer.mix`."""
        n = k.shape[2]
        steps = torch.arange(n, device=q.device)
        distance = (steps[n - q.shape[2] :, None] - steps).abs()
        return self.attend(q, k, v, mask, bias=-self.slopes[:, None, None] * distance)


def alibi_slopes(heads: int) -> Float[Tensor, " h"]:
    """A slope a head, see :class:`ALiBiAttention`."""
    power = 2 ** (heads.bit_length() - 1)
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * (heads - power), 2)]
    return torch.tensor(slopes)


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
        """T of every head."""
        if length > self.length:
            raise ValueError(f"a sequence may have at most length={self.length} tokens, not {length}")
        return toeplitz(nn.functional.pad(self.lags[:, : length - 1], (1, 0)), causal=self.causal)

    def mix(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        """See :meth:`HeadMixer.mix`."""
        matrix = self.matrix(k.shape[2])[:, -q.shape[2] :].to(v.dtype)
        attended, values = self.attend(q, k, v, mask), real_values(v[:, : self.mixed], mask)
        gate = self.gate.to(v.dtype)[:, None, None]
        return and_plain((1 - gate) * attended[:, : self.mixed] + gate * (matrix @ values), attended)


class REMOnly(nn.Module):
    """A REM between two linear layers, without queries and keys: linear in time, decoding with a constant state.

    Args:
        width, heads: as of :class:`HeadMixer`.
        counts, rem: as of :class:`REM`.
        bias: whether the two linear layers have one.
    """

    def __init__(
        self, width: int, heads: int, counts: Sequence[int] | None = None, *, bias: bool = True, **rem: object
    ):
        super().__init__()
        checks.whole("width", width, least=1)
        self.rem = REM(heads, counts, **rem)
        if width % heads:
            raise ValueError(f"heads must divide width={width}, not {heads}")
        self.width, self.heads = width, heads
        self.value = nn.Linear(width, width, bias=bias)
        self.output = nn.Linear(width, width, bias=bias)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Float[Tensor, "b t width"]:
        """See :meth:`HeadMixer.forward`."""
        return self._join(self.rem(self._values(x, mask)))

    def prefill(self, x: Tensor, mask: Tensor | None = None) -> tuple[Float[Tensor, "b t width"], Cache]:
        """See :meth:`HeadMixer.prefill`."""
        refuse_bidirectional(self.rem.causal)
        values = self._values(x, mask)
        return self._join(self.rem(values)), Cache(None, None, None, self.rem.state(values), x.shape[1])

    def step(self, x: Tensor, cache: Cache) -> tuple[Float[Tensor, "b width"], Cache]:
        """See :meth:`HeadMixer.step`."""
        mixed, state = self.rem.step(cache.state, self._values(x[:, None], None)[:, :, 0])
        return self._join(mixed[:, :, None])[:, 0], cache._replace(state=state, length=cache.length + 1)

    def _values(self, x: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        check_tokens(x, mask, self.width, self.output.weight)
        return real_values(self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2), mask)

    def _join(self, mixed: Float[Tensor, "b h t d"]) -> Float[Tensor, "b t width"]:
        return self.output(mixed.transpose(1, 2).flatten(2))
