"""A linear RNN is a sum of attention heads (Huang et al. 2023, proposition 1), in both directions.

For a matrix W with distinct eigenvalues, r of them real (λ) and s pairs complex (γ e^{±iθ}), and n ≥ 1,

    Wⁿ = Σ λⁿ G  +  Σ γⁿ [cos(nθ) · 2 Re Π  −  sin(nθ) · 2 Im Π]

with spectral projectors G and Π = (right eigenvector)(left eigenvector)ᵀ. So ``h_t = W h_{t−1} + u_t`` is u_t plus
r + 2s heads, each a recurrence encoding matrix times the values G u. Eigenvalues 0 need no head.
"""

import warnings
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from inductive_bias.layers import checks
from inductive_bias.layers.chunked import apply

#: Condition number of the eigenvectors from which a matrix counts as nearly defective: half of the digits are lost.
ILL_CONDITIONED = 1e8
#: The heads are compared with the powers of the matrix up to its size, but at least so many.
LAGS = 64
#: Sizes, relative to the matrix, of the perturbations tried on a nearly defective one.
PERTURBATIONS = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)


class NearlyDefectiveWarning(UserWarning):
    """The eigenvectors hardly span the space: the heads only approximate the RNN."""


@dataclass(frozen=True)
class Heads:
    """The heads of a linear RNN: real ones, then every complex pair's cos head, then their sin heads. All in float64.

    Attributes:
        kinds: ``real``, ``cos`` or ``sin`` of every head.
        decay: ``[heads]``: λ or γ; not bounded by 1, as the RNN may be unstable.
        angle: ``[heads]``: θ in (0, π), and 0 for real heads.
        maps: ``[heads, n, n]``: G, 2 Re Π and −2 Im Π: what a head applies to its values.
        condition: condition number of the eigenvectors (2-norm): 1 for a normal matrix, infinite for a defective one.
        error: the largest ‖Wⁿ − sum of heads‖ divided by the largest ‖Wⁿ‖, for n from 1 to the matrix's size, but at
            least to 64 (and not beyond a ‖Wⁿ‖ that overflows).
    """

    kinds: tuple[str, ...]
    decay: Float64[Tensor, " heads"]
    angle: Float64[Tensor, " heads"]
    maps: Float64[Tensor, "heads n n"]
    condition: float
    error: float

    def apply(self, inputs: Float[Tensor, "b t n"]) -> Float[Tensor, "b t n"]:
        """The states of the RNN for inputs u (W_x x): every head's matrix times its values, plus u, the lag 0."""
        if not self.kinds:
            return inputs
        values = torch.einsum("hij,btj->bhti", self.maps.to(inputs.dtype), inputs)
        ones = (1,) * len(self.kinds)
        heads = apply(values, self.kinds, self.decay, self.angle, ones, causal=True, diagonal="zero")
        return inputs + heads.sum(1)


def decompose(recurrent_weight: Float[Tensor, "n n"]) -> Heads:
    """The real and complex heads of a linear RNN with this W_h.

    Args:
        recurrent_weight: ``[n, n]``, n ≥ 1, finite. Computed in float64 and without gradient.

    Warns:
        NearlyDefectiveWarning: if the eigenvectors are too ill-conditioned to be trusted. The heads are then those of
            a matrix that differs by a perturbation (the lemma of the paper: diagonalisable matrices are dense), the
            best of several sizes; the message names the condition number and the error.

    Raises:
        ValueError: if it is not a finite square matrix of real numbers.
    """
    weight = checks.tensor_of("recurrent_weight", recurrent_weight, "n n").detach().double()
    if weight.shape[0] != weight.shape[1]:
        raise ValueError(f"recurrent_weight must be square, not of shape {tuple(weight.shape)}")
    if not weight.isfinite().all():
        raise ValueError(f"recurrent_weight must be finite, not {weight[~weight.isfinite()][0].item()} somewhere")
    heads = _heads(weight, weight)
    if heads.condition < ILL_CONDITIONED:
        return heads
    condition = heads.condition
    direction = torch.randn(weight.shape, dtype=weight.dtype, generator=torch.Generator().manual_seed(0))
    direction = direction.to(weight.device) * weight.norm() / direction.norm()
    others = (_heads(weight + size * direction, weight) for size in PERTURBATIONS)
    heads = min((heads, *others), key=lambda each: each.error)
    warnings.warn(
        f"recurrent_weight is nearly defective: its eigenvectors have the condition number {condition:.1e} (below "
        f"{ILL_CONDITIONED:.0e} is good). The heads approximate it with a relative error of {heads.error:.1e}.",
        NearlyDefectiveWarning,
        stacklevel=2,
    )
    return heads


def recompose(heads: Heads) -> Float64[Tensor, "n n"]:
    """The recurrent weight of the RNN whose heads these are: their sum at lag 1."""
    return (_lags(heads, torch.ones(1, device=heads.decay.device))[:, :, None] * heads.maps).sum(0)


def _lags(heads: Heads, steps: Float[Tensor, " t"]) -> Float64[Tensor, "heads t"]:
    sine = torch.tensor([kind == "sin" for kind in heads.kinds], dtype=torch.bool, device=heads.decay.device)
    phase = heads.angle[:, None] * steps
    return heads.decay[:, None] ** steps * torch.where(sine[:, None], phase.sin(), phase.cos())


def _heads(weight: Float64[Tensor, "n n"], wanted: Float64[Tensor, "n n"]) -> Heads:
    """The heads of ``weight``, with their error as heads of ``wanted``."""
    values, vectors = torch.linalg.eig(weight)
    scales = torch.linalg.svdvals(vectors)
    condition = (scales[0] / scales[-1]).item()
    # a singular matrix of eigenvectors has no inverse, but its heads shall still be compared
    left = torch.linalg.inv(vectors) if scales[-1] > 0 else torch.linalg.pinv(vectors)
    projectors = torch.einsum("ik,kj->kij", vectors, left)
    some = values.abs() > len(weight) * torch.finfo(weight.dtype).eps * torch.linalg.matrix_norm(weight, 2)
    real, pair = some & (values.imag == 0), some & (values.imag > 0)
    maps = torch.cat((projectors[real].real, 2 * projectors[pair].real, -2 * projectors[pair].imag))
    kinds = ("real",) * int(real.sum()) + ("cos",) * int(pair.sum()) + ("sin",) * int(pair.sum())
    decay = torch.cat((values[real].real, values[pair].abs(), values[pair].abs()))
    angle = torch.cat((torch.zeros_like(values[real].real), values[pair].angle(), values[pair].angle()))
    heads = Heads(kinds, decay, angle, maps, condition, 0.0)
    return Heads(kinds, decay, angle, maps, condition, _error(heads, wanted))


def _error(heads: Heads, wanted: Float64[Tensor, "n n"]) -> float:
    powers = [wanted]
    while len(powers) < max(LAGS, len(wanted)) and (further := powers[-1] @ wanted).norm().isfinite():
        powers.append(further)
    powers = torch.stack(powers)
    steps = torch.arange(1, len(powers) + 1, device=wanted.device).double()
    sums = torch.einsum("hn,hij->nij", _lags(heads, steps), heads.maps)
    largest = torch.linalg.matrix_norm(powers).max()
    off = torch.linalg.matrix_norm(sums - powers).max()
    return 0.0 if off == 0 else (off / largest).item()
