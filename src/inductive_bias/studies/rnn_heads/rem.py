"""What a recurrence encoding matrix looks like: its weights as arrays and small tables. Nothing here is trained."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64

from inductive_bias.layers import REM, rem_lags, rem_matrix

LENGTH = 24
#: The decay, and the turn of cos and sin, of most pictures.
DECAY, ANGLE = 0.85, math.pi / 4
SIX = ("real, λⁿ", "cos, γⁿ cos nθ", "sin, γⁿ sin nθ", "real, dilated", "cos, dilated", "sin, dilated")
#: Where the parameters start (paper, quoted in section 1.6 of our notes): |λ| = tanh η with η in (1, 2), γ = σ(ν) with
#: ν in (1, 2), the gate σ(μ) with μ in (−3, 3).
START = {
    "|λ|": (math.tanh(1), math.tanh(2)),
    "γ": (1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-2))),
    "gate σ(μ)": (1 / (1 + math.exp(3)), 1 / (1 + math.exp(-3))),
}
#: Weights below this size count as forgotten.
FORGOTTEN = 0.01
#: The settings of the static figure beside the interactive one: ``kind, decay, angle in degrees, dilation``.
VARIANTS = (
    ("real", 0.9, 0, 1), ("real", 0.5, 0, 1), ("real", -0.9, 0, 1), ("real", 0.9, 0, 3),
    ("cos", 0.95, 15, 1), ("cos", 0.95, 45, 1), ("cos", 0.8, 45, 1), ("cos", 0.95, 45, 3),
    ("sin", 0.95, 15, 1), ("sin", 0.95, 45, 1), ("sin", 0.8, 45, 1), ("sin", 0.95, 45, 3),
)  # fmt: skip


def weights(
    kind: str,
    decay: float,
    degrees: float | int = 0,
    dilation: int = 1,
    *,
    length: int = LENGTH,
    diagonal: str = "zero",
) -> Float64[np.ndarray, " t"]:
    """f₀ … f_{t−1} of one head."""
    angle = torch.tensor([math.radians(degrees)], dtype=torch.float64)
    found = rem_lags(kind, torch.tensor([decay], dtype=torch.float64), angle, length, dilation=dilation,
                     diagonal=diagonal)  # fmt: skip
    return found[0].numpy()


def matrix(
    kind: str,
    decay: float,
    degrees: float | int = 0,
    dilation: int = 1,
    *,
    length: int = LENGTH,
    causal: bool = True,
    diagonal: str = "zero",
) -> Float64[np.ndarray, "t t"]:
    """The matrix of one head."""
    angle = torch.tensor([math.radians(degrees)], dtype=torch.float64)
    found = rem_matrix(kind, torch.tensor([decay], dtype=torch.float64), angle, length, dilation=dilation,
                       causal=causal, diagonal=diagonal)  # fmt: skip
    return found[0].numpy()


@torch.no_grad()
def six_kinds(*, causal: bool = True, length: int = LENGTH) -> dict[str, Float64[np.ndarray, "t t"]]:
    """The matrices of a layer with one head of each kind, all with the same decay; dilation 2."""
    layer = REM(6, causal=causal).double()
    layer.eta.fill_(math.atanh(DECAY))
    layer.nu.fill_(math.log(DECAY / (1 - DECAY)))
    layer.theta.fill_(ANGLE)
    return dict(zip(SIX, layer.matrix(length).numpy(), strict=True))


def words(kind: str, decay: float, degrees: float | int, dilation: int) -> str:
    """Title of one of :data:`VARIANTS`."""
    size = f"{'λ' if kind == 'real' else 'γ'} = {decay:g}".replace("-", "−")
    turn = "" if kind == "real" else f", θ = {degrees:g}°"
    return kind + (f", d = {dilation}" if dilation > 1 else "") + f"\n{size}{turn}"


def reach(decay: float, dilation: int = 1) -> int:
    """Steps back until |λ|ⁿ or γⁿ, the envelope of all kinds, is below :data:`FORGOTTEN` for good."""
    return dilation * math.ceil(math.log(FORGOTTEN) / math.log(abs(decay)))


def reach_table() -> pd.DataFrame:
    """How far the heads look at the two ends of the paper's starting ranges, and at decays that training may reach."""
    named = {"|λ|, lowest at the start": START["|λ|"][0], "|λ|, highest at the start": START["|λ|"][1],
             "γ, lowest at the start": START["γ"][0], "γ, highest at the start": START["γ"][1],
             ".99": 0.99, ".999": 0.999}  # fmt: skip
    return pd.DataFrame(
        {"decay": name, "value": value, "steps until below .01": reach(value), "with dilation 2": reach(value, 2)}
        for name, value in named.items()
    )


def rows_table(length: int = LENGTH) -> pd.DataFrame:
    """Sums of the weights of the last row: an attention head's would all be 1."""
    found = six_kinds(length=length)
    return pd.DataFrame(
        {"kind": kind, "sum": each[-1].sum(), "smallest": each[-1].min(), "largest": each[-1].max()}
        for kind, each in found.items()
    )


def diagonal_table() -> pd.DataFrame:
    """What the printed formula adds to the derivation, by kind: the largest weight on the diagonal and off it."""
    rows = []
    for kind in ("real", "cos", "sin"):
        zero, printed = (matrix(kind, DECAY, math.degrees(ANGLE), diagonal=each) for each in ("zero", "printed"))
        added = printed - zero
        off = added - np.diag(np.diag(added))
        rows.append({"kind": kind, "on the diagonal": np.diag(added).max(), "elsewhere": np.abs(off).max()})
    return pd.DataFrame(rows)


def recurrence_table(length: int = LENGTH) -> pd.DataFrame:
    """The matrix applied to noise against the same recurrence step by step: whether they agree, by kind."""
    values = np.random.default_rng(0).standard_normal(length)
    pole = {"real": DECAY, "cos": DECAY * np.exp(1j * ANGLE), "sin": DECAY * np.exp(1j * ANGLE)}
    rows = []
    for kind, p in pole.items():
        by_matrix = matrix(kind, DECAY, math.degrees(ANGLE), length=length) @ values
        stepped = _stepped(p, values)
        by_steps = stepped.imag if kind == "sin" else stepped.real
        agree = np.abs(by_matrix - by_steps).max() < 1e-12
        rows.append({"kind": kind, "differ by less than 10⁻¹²": "yes" if agree else "no"})
    return pd.DataFrame(rows)


def _stepped(pole: complex | float, values: Iterable[float]) -> np.ndarray:
    """``z ← p (z + v)``: the state before each value comes in, as f₀ = 0 demands."""
    state, found = 0j, []
    for value in values:
        found.append(state)
        state = pole * (state + value)
    return np.array(found)
