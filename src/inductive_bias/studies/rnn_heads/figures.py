"""Tables behind the figures of the page on RNN heads, and pictures of recurrence encoding matrices (REMs).

The functions of the second part make a REM's weights as arrays and small tables. They train nothing.
"""

import math

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64

from inductive_bias import plotting
from inductive_bias.formatting import number
from inductive_bias.layers import REM
from inductive_bias.layers.lags import lags, toeplitz
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.design import LAG_ZERO

#: Steps of the REMs that are drawn.
REM_LENGTH = 24
REM_KINDS = ("real", "cos", "sin")
#: The decay, and the turn of cos and sin in degrees, of most pictures.
REM_DECAY, REM_ANGLE = 0.85, 45
REM_TITLES = ("real, λⁿ", "cos, γⁿ cos nθ", "sin, γⁿ sin nθ", "real, dilated", "cos, dilated", "sin, dilated")
#: Where the parameters start in the paper: |λ| = tanh η with η in (1, 2), γ = σ(ν) with ν in (1, 2).
REM_STARTS = {"|λ|": (math.tanh(1), math.tanh(2)), "γ": (1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-2)))}
#: Weights below this size count as forgotten.
FORGOTTEN = 0.01
#: The settings of the static figure beside the interactive one: ``kind, decay, angle in degrees, dilation``.
REM_VARIANTS = (
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
#: How `sns.heatmap` draws such a matrix: red below 0, white at 0, blue above; rows read and columns are read.
REM_LOOK = {
    "cmap": plotting.CHANGES,
    "vmin": -1,
    "vmax": 1,
    "cbar": False,
    "square": True,
    "xticklabels": [],
    "yticklabels": [],
}


def errors(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """One row a group of matrices: how many there are and are warned of, and the orders of what is lost."""
    found = table.groupby(by, sort=False).agg(
        **{
            "matrices": ("size", "size"),
            "warned of": ("warned", "sum"),
            "largest condition number": ("condition", "max"),
            "worst error, powers": ("power_error", "max"),
            "median error, states": ("state_error", "median"),
            "worst error, states": ("state_error", "max"),
        }
    )
    return found.assign(**found[found.columns[2:]].map("{:.0e}".format)).reset_index()


def modes(results: Results) -> pd.DataFrame:
    """One row a mode of a trained linear RNN: ``signal, seed, mode, kind, share, real part, imaginary part``.

    The pole is a real one or one of a pair, whose cos and sin head are one mode. The share of the outputs is the mean
    over outputs of what the mode carries, lag 0 left out.
    """
    table, one = results.table("trained_heads"), ["signal", "seed", "mode"]
    table = table[table["kind"] != LAG_ZERO]
    shares = table.groupby([*one, "output"], observed=True)["share"].sum().groupby(one, observed=True).mean()
    first = table.groupby(one, observed=True).first()
    poles = first["decay"] * np.exp(1j * first["angle"])
    kinds = np.where(first["kind"] == "real", "real", "pair")
    places = {"real part": np.real(poles), "imaginary part": np.imag(poles)}
    return first[[]].assign(kind=kinds, share=shares, **places).reset_index()


def strongest_heads(results: Results, signal: str, *, seed: int = 0, most: int = 4) -> pd.DataFrame:
    """The heads of one trained linear RNN that carry most: ``kind, decay, angle`` and the share of each output."""
    table = results.table("trained_heads")
    table = table[(table["signal"] == signal) & (table["seed"] == seed)]
    wide = table.pivot_table(index=["mode", "kind", "decay", "angle"], columns="output", values="share")
    wide.columns = [f"share of output {int(output) + 1}" for output in wide.columns]
    order = wide.abs().max(axis=1).sort_values(ascending=False, kind="stable").index
    return wide.loc[order[:most]].reset_index().drop(columns="mode")


def head_matrix(kind: str, decay: float, angle: float, length: int = 32) -> Float64[np.ndarray, "t t"]:
    """The matrix of one head of a trained RNN; that of lag 0 is the identity."""
    return np.eye(length) if kind == LAG_ZERO else rem_matrix(kind, decay, np.degrees(angle), length=length)


def rem_weights(
    kind: str,
    decay: float,
    degrees: float | int,
    dilation: int = 1,
    *,
    length: int = REM_LENGTH,
    diagonal: str = "zero",
) -> Float64[np.ndarray, " t"]:
    """Weights f₀ … f_{t−1} of one head; the decay of a trained RNN may lie beyond the bounds of a layer."""
    numbers = (torch.tensor([value], dtype=torch.float64) for value in (decay, math.radians(degrees)))
    return lags((kind,), *numbers, length, (dilation,), diagonal)[0].numpy()


def rem_matrix(
    kind: str, decay: float, degrees: float | int, *more: int, **options: object
) -> Float64[np.ndarray, "t t"]:
    """The matrix of one head, with the arguments of :func:`rem_weights`."""
    return toeplitz(torch.tensor(rem_weights(kind, decay, degrees, *more, **options))[None])[0].numpy()


@torch.no_grad()
def six_kinds(*, causal: bool = True) -> dict[str, Float64[np.ndarray, "t t"]]:
    """The matrices of a layer with one head of each kind, all with the same decay; dilation 2."""
    layer = REM(6, causal=causal).double()
    layer.eta.fill_(math.atanh(REM_DECAY))
    layer.nu.fill_(math.log(REM_DECAY / (1 - REM_DECAY)))
    layer.theta.fill_(math.radians(REM_ANGLE))
    return dict(zip(REM_TITLES, layer.matrix(REM_LENGTH).numpy(), strict=True))


def rem_title(kind: str, decay: float, degrees: float | int, dilation: int) -> str:
    """Title of one of :data:`REM_VARIANTS`."""
    size = f"{'λ' if kind == 'real' else 'γ'} = {number(decay)}"
    turn = "" if kind == "real" else f", θ = {degrees:g}°"
    return kind + (f", d = {dilation}" if dilation > 1 else "") + f"\n{size}{turn}"


def reach(decay: float, dilation: int = 1) -> int:
    """Steps back until |λ|ⁿ or γⁿ, the envelope of all kinds, is below :data:`FORGOTTEN` for good."""
    return dilation * math.ceil(math.log(FORGOTTEN) / math.log(abs(decay)))


def reach_table() -> pd.DataFrame:
    """How far the heads look at the two ends of the paper's starting ranges, and at decays that training may reach."""
    ends = (("lowest", 0), ("highest", 1))
    named = {f"{name}, {end} at the start": REM_STARTS[name][place] for name in REM_STARTS for end, place in ends}
    return pd.DataFrame(
        {"decay": name, "value": value, "steps until below .01": reach(value), "with dilation 2": reach(value, 2)}
        for name, value in (named | {".99": 0.99, ".999": 0.999}).items()
    )
