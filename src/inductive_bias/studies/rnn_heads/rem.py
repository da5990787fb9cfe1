"""What a recurrence encoding matrix looks like: its weights as arrays and small tables. Nothing here is trained."""

import math

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64

from inductive_bias.formatting import number
from inductive_bias.layers import REM
from inductive_bias.layers.lags import lags, toeplitz

LENGTH = 24
KINDS = ("real", "cos", "sin")
#: The decay, and the turn of cos and sin in degrees, of most pictures.
DECAY, ANGLE = 0.85, 45
SIX = ("real, λⁿ", "cos, γⁿ cos nθ", "sin, γⁿ sin nθ", "real, dilated", "cos, dilated", "sin, dilated")
#: Where the parameters start in the paper: |λ| = tanh η with η in (1, 2), γ = σ(ν) with ν in (1, 2).
START = {"|λ|": (math.tanh(1), math.tanh(2)), "γ": (1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-2)))}
#: Weights below this size count as forgotten.
FORGOTTEN = 0.01
#: The settings of the static figure beside the interactive one: ``kind, decay, angle in degrees, dilation``.
VARIANTS = (
    ("real", 0.9, 0, 1),
    ("real", 0.5, 0, 1),
    ("real", -0.9, 0, 1),
    ("real", 0.9, 0, 3),
    ("cos", 0.95, 15, 1),
    ("cos", 0.95, 45, 1),
    ("cos", 0.8, 45, 1),
    ("cos", 0.95, 45, 3),
    ("sin", 0.95, 15, 1),
    ("sin", 0.95, 45, 1),
    ("sin", 0.8, 45, 1),
    ("sin", 0.95, 45, 3),
)
#: How `sns.heatmap` draws such a matrix: purple below 0, white at 0, orange above (red and blue mean worse and better);
#: rows read and columns are read.
LOOK = {"cmap": "PuOr_r", "vmin": -1, "vmax": 1, "cbar": False, "square": True, "xticklabels": [], "yticklabels": []}


def weights(
    kind: str, decay: float, degrees: float | int, dilation: int = 1, *, length: int = LENGTH, diagonal: str = "zero"
) -> Float64[np.ndarray, " t"]:
    """f₀ … f_{t−1} of one head; the decay of a trained RNN may lie beyond the bounds of a layer."""
    numbers = (torch.tensor([value], dtype=torch.float64) for value in (decay, math.radians(degrees)))
    return lags((kind,), *numbers, length, (dilation,), diagonal)[0].numpy()


def matrix(kind: str, decay: float, degrees: float | int, *more: int, **options: object) -> Float64[np.ndarray, "t t"]:
    """The matrix of one head, with the arguments of :func:`weights`."""
    return toeplitz(torch.tensor(weights(kind, decay, degrees, *more, **options))[None])[0].numpy()


@torch.no_grad()
def six_kinds(*, causal: bool = True) -> dict[str, Float64[np.ndarray, "t t"]]:
    """The matrices of a layer with one head of each kind, all with the same decay; dilation 2."""
    layer = REM(6, causal=causal).double()
    layer.eta.fill_(math.atanh(DECAY))
    layer.nu.fill_(math.log(DECAY / (1 - DECAY)))
    layer.theta.fill_(math.radians(ANGLE))
    return dict(zip(SIX, layer.matrix(LENGTH).numpy(), strict=True))


def words(kind: str, decay: float, degrees: float | int, dilation: int) -> str:
    """Title of one of :data:`VARIANTS`."""
    size = f"{'λ' if kind == 'real' else 'γ'} = {number(decay)}"
    turn = "" if kind == "real" else f", θ = {degrees:g}°"
    return kind + (f", d = {dilation}" if dilation > 1 else "") + f"\n{size}{turn}"


def reach(decay: float, dilation: int = 1) -> int:
    """Steps back until |λ|ⁿ or γⁿ, the envelope of all kinds, is below :data:`FORGOTTEN` for good."""
    return dilation * math.ceil(math.log(FORGOTTEN) / math.log(abs(decay)))


def reach_table() -> pd.DataFrame:
    """How far the heads look at the two ends of the paper's starting ranges, and at decays that training may reach."""
    ends = (("lowest", 0), ("highest", 1))
    named = {f"{name}, {end} at the start": START[name][place] for name in START for end, place in ends}
    return pd.DataFrame(
        {"decay": name, "value": value, "steps until below .01": reach(value), "with dilation 2": reach(value, 2)}
        for name, value in (named | {".99": 0.99, ".999": 0.999}).items()
    )
