"""From the study's tables to what its figures draw and the tables beside them print."""

import numpy as np
import pandas as pd
from jaxtyping import Float64

from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.rem import matrix
from inductive_bias.studies.rnn_heads.tables import LAG_ZERO


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
    return np.eye(length) if kind == LAG_ZERO else matrix(kind, decay, np.degrees(angle), length=length)
