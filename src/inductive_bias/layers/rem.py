"""Learnable recurrence encoding matrices: heads of six kinds (Huang et al. 2023, section 3)."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float, Int64
from pydantic import model_validator
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import HeadSpec
from inductive_bias.layers.chunked import apply
from inductive_bias.layers.lags import lags, toeplitz
from inductive_bias.layers.stepping import advance, carried, empty_state, read, state_after, state_on
from inductive_bias.tracing import recorded

#: Up to so many columns the matrix itself is made: with a memory, and of bfloat16 without one, which is widened for it.
MOST_COLUMNS, FEW_COLUMNS = 512, 16


class RecurrenceSpec(HeadSpec):
    """Choices of a mixer that has a :class:`REM`.

    Attributes:
        counts: heads of the six kinds; None spreads them evenly.
        dilation: of the dilated heads, one for all or one for each.
        diagonal: ``zero`` or ``printed``, see :class:`REM`.
        shared: one λ or (γ, θ) for all heads of a kind.
        decay_start: ``paper`` (|λ| from .76 to .96, γ from .73 to .88) or ``small`` (both below .05).
        frozen: decays and angles stay as they were drawn; all else learns.
    """

    counts: tuple[int, int, int, int, int, int] | None = None
    dilation: int | tuple[int, ...] = 2
    diagonal: Literal["zero", "printed"] = "zero"
    shared: bool = False
    decay_start: Literal["paper", "small"] = "paper"
    frozen: bool = False

    @model_validator(mode="after")
    def _heads_are_told(self) -> "RecurrenceSpec":
        _layout(self.recurrent_heads, self.counts, self.dilation)
        return self

    @property
    def recurrent_heads(self) -> int:
        """How many heads the REM has."""
        return self.heads

    @property
    def rem_options(self) -> dict[str, object]:
        """Arguments of the layer."""
        return {"dilation": self.dilation, "diagonal": self.diagonal, "shared": self.shared}

    def started(self, layer: nn.Module) -> nn.Module:
        """The layer itself, its ``rem`` started and frozen as chosen."""
        if self.decay_start == "small":
            layer.rem.start_small()
        if self.frozen:
            layer.rem.requires_grad_(False)
        return layer


class REM(nn.Module):
    """Heads of the kinds k₁ … k₆: real, cos, sin, then the same three dilated; each with its own λ or (γ, θ).

    λ = tanh η, γ = σ(ν), θ free. They start as in the paper: η in ±(1, 2) (|λ| from .76 to .96), ν in (1, 2) (γ from
    .73 to .88), θ = π/4.

    Args:
        heads: how many in all.
        counts: ``(k₁, …, k₆)``, which add up to ``heads``; None spreads the heads evenly, the first kinds first.
        dilation: of the dilated heads: one for all of them, or one for each of the k₄ + k₅ + k₆.
        causal: the past alone, or past and future alike.
        diagonal: ``zero`` (f₀ = 0, the derivation) or ``printed`` (f₀ = 1 of cos heads, the printed formula).
        shared: one λ or (γ, θ) for all heads of a kind: with the gate five numbers a layer for the paper's
            (0, 0, 0, 0, 2, 2).

    Attributes:
        kinds: ``real``, ``cos`` or ``sin`` of every head.
        dilations: of every head; 1 for those of k₁ to k₃.
        eta: η of the real heads, or None without any. nu, theta: ν and θ of the others, or None.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    def __init__(
        self,
        heads: int,
        counts: Sequence[int] | None = None,
        *,
        dilation: int | Sequence[int] = 2,
        causal: bool = True,
        diagonal: str = "zero",
        shared: bool = False,
    ):
        super().__init__()
        self.counts, self.dilations = _layout(heads, counts, dilation)
        self.kinds = tuple(checks.KINDS[kind % 3] for kind in range(6) for _ in range(self.counts[kind]))
        self.causal, self.diagonal = causal, checks.choice("diagonal", diagonal, checks.DIAGONALS)

        own = [min(count, 1) if shared else count for count in self.counts]
        first, total = {}, 0
        for kind in (0, 3, 1, 2, 4, 5):  # λ of both real kinds, then γ of the others
            first[kind], total = total, total + own[kind]
        # made a tensor at each use: no state dict has it, and a layer may be built without memory
        self._parameter_of_head = [
            first[kind] + head * (not shared) for kind in range(6) for head in range(self.counts[kind])
        ]
        real, others = own[0] + own[3], total - own[0] - own[3]
        self.eta = nn.Parameter(torch.empty(real)) if real else None
        self.nu = nn.Parameter(torch.empty(others)) if others else None
        self.theta = nn.Parameter(torch.empty(others)) if others else None
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw η and ν again as in the paper, and set θ back to π/4."""
        if self.eta is not None:
            self.eta.uniform_(1, 2).mul_(torch.randint_like(self.eta, 2) * 2 - 1)
        if self.nu is not None:
            self.nu.uniform_(1, 2)
            self.theta.fill_(torch.pi / 4)

    @torch.no_grad()
    def start_small(self) -> None:
        """Draw decays that forget nearly all within a step: |λ| and γ below .05 (an ablation)."""
        if self.eta is not None:
            self.eta.uniform_(-0.05, 0.05)
        if self.nu is not None:
            self.nu.uniform_(-4.0, -3.0)

    @property
    def decay(self) -> Float[Tensor, " h"]:
        """λ or γ of every head."""
        parts = [] if self.eta is None else [self.eta.tanh()]
        parts += [] if self.nu is None else [self.nu.sigmoid()]
        return self._of_heads(parts)

    @property
    def angle(self) -> Float[Tensor, " h"] | None:
        """θ of every head, 0 for a real one; None if all are real."""
        if self.theta is None:
            return None
        parts = [self.theta] if self.eta is None else [torch.zeros_like(self.eta), self.theta]
        return self._of_heads(parts)

    def _of_heads(self, parts: list[Tensor]) -> Float[Tensor, " h"]:
        return torch.cat(parts)[torch.tensor(self._parameter_of_head, device=parts[0].device)]

    def matrix(self, length: int) -> Float[Tensor, "h t t"]:
        """P of every head, to look at; :meth:`forward` never makes it."""
        checks.whole("length", length, least=1)
        row = lags(self.kinds, self.decay, self.angle, length, self.dilations, self.diagonal)
        return toeplitz(row, causal=self.causal)

    def forward(self, values: Float[Tensor, "b h t d"]) -> Float[Tensor, "b h t d"]:
        """``matrix(t) @ values`` for values ``[b, h, t, d]``, in linear time.

        Raises:
            ValueError: if ``values`` has another shape or number of heads, or lies on another device.
        """
        self._check(values, "b h t d")
        options = {"causal": self.causal, "diagonal": self.diagonal}
        return apply(values, self.kinds, self.decay, self.angle, self.dilations, **options)

    def mix(
        self, values: Float[Tensor, "b h n d"], attended: Float[Tensor, "b h t d"], gate_logit: Float[Tensor, " gates"]
    ) -> Float[Tensor, "b h t d"]:
        """``(1 − σ(μ)) · attended + σ(μ) · forward(values)`` in one pass, for one μ or one a head.

        There may be more values than attended ones: those before the last t are memory, which only the matrix reads.

        Raises:
            ValueError: as :meth:`forward`.
        """
        self._check(values, "b h n d")
        scale = gate_logit.sigmoid().expand(len(self.kinds))
        # 1 − σ(μ) would lose all digits where the gate is nearly open
        share = (-gate_logit).sigmoid().expand(len(self.kinds))
        few = not recorded() and values.dtype == torch.bfloat16 and values.shape[2] <= FEW_COLUMNS
        if (before := values.shape[2] - attended.shape[2]) > 0 or few:
            rows = self._last_rows(values, before)
            return share.to(values.dtype)[:, None, None] * attended + scale.to(values.dtype)[:, None, None] * rows
        options = {"causal": self.causal, "diagonal": self.diagonal, "scale": scale, "other": attended, "share": share}
        return apply(values, self.kinds, self.decay, self.angle, self.dilations, **options)

    def _last_rows(self, values: Float[Tensor, "b h n d"], first: int) -> Float[Tensor, "b h t d"]:
        """Those of :meth:`forward` from the one given on; of few columns as a product, which skips the other rows."""
        if recorded() or values.shape[2] > MOST_COLUMNS:
            return self.forward(values)[:, :, first:]
        with torch.autocast(values.device.type, enabled=False):
            # all examples side by side, so that the matrix is not copied for each
            columns = values.permute(1, 2, 0, 3).flatten(2)
            if values.shape[2] <= FEW_COLUMNS:
                columns = columns.to(torch.promote_types(values.dtype, torch.float32))
            rows = (self.matrix(values.shape[2])[:, first:].to(columns.dtype) @ columns).to(values.dtype)
            return rows.unflatten(2, (len(values), values.shape[3])).permute(2, 0, 1, 3)

    def state(
        self,
        values: Float[Tensor, "b h t d"],
        before: Float[Tensor, "b h s slots d"] | None = None,
        lengths: Int64[Tensor, " b"] | None = None,
    ) -> Float[Tensor, "b h s more d"]:
        """What :meth:`step` needs to know of values ``[b, h, t, d]`` that are past.

        Args:
            values: in heads; zeros at padding.
            before: the state that they follow; None if they begin a sequence.
            lengths: beside ``before``, how many values each row has; further ones must be zeros. None for all.

        Raises:
            ValueError: as :meth:`forward`, or if the state does not fit the values.
        """
        self._check(values, "b h t d")
        if before is None:
            return state_after(values, self.kinds, self.decay, self.angle, self.dilations)
        self._check_state(before, values[:, :, 0])
        return state_on(before, values, lengths, self.kinds, self.decay, self.angle, self.dilations)

    def carried(self, state: Float[Tensor, "b h s slots d"], length: int) -> Float[Tensor, "b h t d"]:
        """What the next ``length`` tokens get from a state: to be added to ``forward`` of their own values."""
        places = torch.arange(length, device=state.device).expand(len(state), -1)
        with torch.autocast(state.device.type, enabled=False):
            found = carried(state, places, self.kinds, self.decay, self.angle, self.dilations, turns=0)
            return read(found, self.kinds)

    def step(
        self, state: Float[Tensor, "b h s slots d"] | None, value: Float[Tensor, "b h d"]
    ) -> tuple[Float[Tensor, "b h d"], Float[Tensor, "b h s next d"]]:
        """The last row of ``forward`` for one more value ``[b, h, d]``, and the next state; None begins a sequence.

        Raises:
            ValueError: if the matrices look into the future, or a shape is wrong.
        """
        self._check(value, "b h d")
        if not self.causal:
            raise ValueError("causal must be True to go step by step, not False: the future is not known yet")
        state = empty_state(value, self.kinds, self.dilations) if state is None else state
        self._check_state(state, value)
        return advance(state, value, self.kinds, self.decay, self.angle, self.dilations, self.diagonal)

    def _check_state(self, state: Tensor, value: Float[Tensor, "b h d"]) -> None:
        start = empty_state(value, self.kinds, self.dilations)
        if state.ndim != 5 or state.shape[:3] + state.shape[4:] != start.shape[:3] + start.shape[4:]:
            raise ValueError(f"state must have shape {tuple(start.shape)}, not {tuple(state.shape)}")
        if not start.shape[3] <= state.shape[3] <= max(self.dilations):
            least, most = start.shape[3], max(self.dilations)
            raise ValueError(f"state must have {least} to {most} slots, not {state.shape[3]}: {tuple(state.shape)}")

    def _check(self, values: Tensor, axes: str) -> None:
        if checks.tensor_of("values", values, axes, no_batch=True).shape[1] != len(self.kinds):
            raise ValueError(f"values must have {len(self.kinds)} heads, not {values.shape[1]}: {tuple(values.shape)}")
        checks.one_device(values=values, parameters=self.nu if self.eta is None else self.eta)

    def extra_repr(self) -> str:
        """Counts and what is not the default."""
        return f"counts={self.counts}, dilations={self.dilations}, causal={self.causal}, diagonal={self.diagonal!r}"


def _layout(
    heads: int, counts: Sequence[int] | None, dilation: int | Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The six counts, and the dilation of every head."""
    checks.whole("heads", heads, least=1)
    counts = _counts(heads, counts)
    for each in (dilation,) if isinstance(dilation, int) else dilation:
        checks.whole("dilation", each, least=1)
    dilated = checks.per_head("dilation", dilation, sum(counts[3:]), "dilated heads")
    return counts, (1,) * sum(counts[:3]) + dilated


def _counts(heads: int, counts: Sequence[int] | None) -> tuple[int, ...]:
    if counts is None:
        return tuple(heads // 6 + (kind < heads % 6) for kind in range(6))
    if len(counts) != 6:
        raise ValueError(f"counts must be six numbers, k1 to k6, not {tuple(counts)}")
    for name, count in zip(("k1", "k2", "k3", "k4", "k5", "k6"), counts, strict=True):
        checks.whole(name, count, least=0)
    if sum(counts) != heads:
        raise ValueError(f"counts k1 to k6 must add up to heads={heads}, not {tuple(counts)} with sum {sum(counts)}")
    return tuple(counts)
