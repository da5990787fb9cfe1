"""Recurrence encoding matrices (REMs): what a linear RNN does to its inputs, written as attention weights.

Huang et al. (2023, section 2): a linear RNN is a sum of heads, and each weighs the input of n steps ago by

    f_n = λⁿ  (``real``),    γⁿ cos nθ  (``cos``)    or    γⁿ sin nθ  (``sin``),        n ≥ 1.

The sums of the derivation begin with n = 1, hence f₀ = 0. The formula as printed leaves cos 0 = 1 on the diagonal of a
``cos`` matrix (and 0 on the others, since the regular one subtracts the identity): ``diagonal="printed"``.

A dilation d keeps every d-th lag: f_{n/d} where d divides n, else 0.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from inductive_bias.layers import checks
from inductive_bias.tracing import recorded, transformed


def rem_lags(
    kind: str | Sequence[str],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    length: int,
    *,
    dilation: int | Sequence[int] = 1,
    diagonal: str = "zero",
) -> Float[Tensor, "h t"]:
    """The lag functions f₀ … f_{t−1} of h heads.

    Args:
        kind: ``real``, ``cos`` or ``sin``; one for all heads or one a head.
        decay: ``[h]``: λ in (−1, 1) of a real head, γ in (0, 1) of the others.
        angle: ``[h]``: θ in radians; a real head ignores it, and it may be None if all are real.
        length: t ≥ 1, in steps.
        dilation: d ≥ 1; one for all heads or one a head.
        diagonal: ``zero`` for f₀ = 0 (the derivation), ``printed`` for f₀ = 1 of ``cos`` heads (the printed formula).

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """
    kinds, dilations = checks.heads_of(kind, decay, angle, dilation)
    checks.whole("length", length, least=1)
    checks.choice("diagonal", diagonal, checks.DIAGONALS)
    return lags(kinds, decay, angle, length, dilations, diagonal)


def rem_matrix(
    kind: str | Sequence[str],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    length: int,
    *,
    dilation: int | Sequence[int] = 1,
    causal: bool = True,
    diagonal: str = "zero",
) -> Float[Tensor, "h t t"]:
    """The matrices P of h heads: ``P[i, j] = f_{i−j}`` where j ≤ i, and above it 0 or, if not causal, ``f_{j−i}``.

    To look at, and to check :func:`~inductive_bias.layers.apply_rem` against, which never makes them. Arguments and
    errors are those of :func:`rem_lags`.
    """
    return toeplitz(rem_lags(kind, decay, angle, length, dilation=dilation, diagonal=diagonal), causal=causal)


def toeplitz(lags: Float[Tensor, "h t"], *, causal: bool = True) -> Float[Tensor, "h t t"]:
    """``out[h, i, j] = lags[h, |i − j|]``, and 0 where j > i if causal."""
    length = lags.shape[-1]
    if recorded() or transformed():  # windows need a length that is known, and have no rule for vmap
        step = torch.arange(length, device=lags.device)
        matrix = lags[:, (step[:, None] - step).abs()]
        return matrix.tril() if causal else matrix
    before = torch.zeros_like(lags[:, 1:]) if causal else lags[:, 1:].flip(-1)
    # window i of (f_{t−1} … f_1 f_0 f_1 … f_{t−1}) is row i from its last column to its first
    return torch.cat((before, lags), -1).unfold(-1, length, 1).flip(-1)


def lags(
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    length: int,
    dilations: tuple[int, ...],
    diagonal: str,
) -> Float[Tensor, "h t"]:
    """:func:`rem_lags` of arguments known to be good, in the precision of ``decay``."""
    steps = torch.arange(length, device=decay.device)
    dilation = torch.tensor(within(dilations, length), device=decay.device)[:, None]
    cosine, sine = powers(decay, turning(kinds, angle), steps // dilation)
    values = cosine if sine is None else torch.where(flags(kinds, "sin", decay.device)[:, None], sine, cosine)
    values = torch.where((steps % dilation == 0) & (steps > 0), values, 0)
    if diagonal == "printed":
        values = torch.cat((flags(kinds, "cos", decay.device).to(values)[:, None], values[:, 1:]), -1)
    return values.to(decay.dtype)


def within(dilations: tuple[int, ...], length: int) -> tuple[int, ...]:
    """The dilations, none above the length: from there on no token reaches another, and what is held need not grow.

    While PyTorch records they stay as they are, since the length may be a symbol.
    """
    return dilations if recorded() else tuple(min(each, length) for each in dilations)


def powers(
    decay: Float[Tensor, " h"], angle: Float[Tensor, " h"] | None, exponents: Int64[Tensor, "*h n"]
) -> tuple[Float64[Tensor, "h n"], Float64[Tensor, "h n"] | None]:
    """Real and imaginary part of (decay · e^{i·angle})ⁿ; without an angle there is no imaginary part.

    Always in float64, since the tables are small: nθ in float32 is off by a thousandth at n = 10,000, and λⁿ of a
    negative λ by its sign. A power that underflows is 0, and so is its gradient.
    """
    size = decay.double()[:, None] ** exponents
    if angle is None:
        return size, None
    phase = angle.double()[:, None] * exponents
    return size * phase.cos(), size * phase.sin()


def turning(kinds: tuple[str, ...], angle: Float[Tensor, " h"] | None) -> Float[Tensor, " h"] | None:
    """The angle of every head, 0 for a real one; None if no head turns."""
    if angle is None or set(kinds) == {"real"}:
        return None
    return torch.where(flags(kinds, "real", angle.device), 0, angle) if "real" in kinds else angle


def flags(kinds: tuple[str, ...], kind: str, device: torch.device) -> Bool[Tensor, " h"]:
    """Whether each head is of this kind."""
    return torch.tensor([each == kind for each in kinds], device=device)
