"""From the study's tables to the tidy frames that its figures draw and the tables beside them print."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from matplotlib.axes import Axes

from inductive_bias.layers.lags import toeplitz
from inductive_bias.plotting import cell_style
from inductive_bias.plotting.style import MUTED
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.rnn_heads.claims import EPS
from inductive_bias.studies.rnn_heads.design import CONTROLS, LINEAR, NONLINEAR, UNTRAINED
from inductive_bias.studies.rnn_heads.matrices import FAMILIES, NEARLY_DEFECTIVE
from inductive_bias.studies.rnn_heads.tables import (
    ANY_FILTER,
    AT_MEAN,
    AT_ZERO,
    FITTED,
    LAG_ZERO,
    MISMATCHED,
    NETWORK,
)
from inductive_bias.studies.study import Results
from inductive_bias.tasks.signals.filters import POLES

TRAINED = "trained"
#: Groups of matrices, in the order of a legend.
GROUPS = (*FAMILIES, NEARLY_DEFECTIVE, TRAINED)
STAND_INS = (AT_ZERO, AT_MEAN, FITTED, ANY_FILTER, MISMATCHED)


def matrices(results: Results) -> pd.DataFrame:
    """The table of exactness with the column ``group``: the families of random matrices, and ``trained``."""
    table = results.table("exactness")
    return table.assign(group=table["family"].where(~table["family"].isin(LINEAR), TRAINED))


def error_plot(table: pd.DataFrame, x: str, *, ax: Axes) -> None:
    """Relative error of the states against ``size`` or ``condition``, one mark a matrix; a ring is a warning."""
    for group in GROUPS:
        rows, style = table[table["group"] == group], cell_style(group)
        # an error of 0 has no place on a log scale: it is drawn at a tenth of the precision
        errors = rows["state_error"].clip(lower=EPS / 10)
        # eigenvectors that coincide to the last digit have a condition number of anything from here to infinity
        places = rows[x].clip(upper=1 / EPS)
        ax.scatter(places, errors, s=22, c=style.colour, marker=style.marker, alpha=0.7, linewidths=0.3,
                   edgecolors="white", label=group)  # fmt: skip
        warned = rows["warned"].astype(bool)
        ax.scatter(places[warned], errors[warned], s=70, facecolors="none", edgecolors=MUTED, linewidths=0.7)
    ax.set(xscale="log", yscale="log")


def defective_table(results: Results) -> pd.DataFrame:
    """Matrices ever closer to a Jordan block: what the warning says, and what the states lose; worst of the seeds."""
    table = results.table("exactness")
    table = table[table["family"] == NEARLY_DEFECTIVE]
    rows = []
    for distance, group in table.groupby("distance", sort=False):
        rows.append(
            {"distance": f"{distance:.0e}" if distance else "0", "condition number": f"{group['condition'].max():.0e}",
             "warned": f"{int(group['warned'].sum())} of {len(group)}",
             "error of the powers": f"{group['power_error'].max():.0e}",
             "error of the states": f"{group['state_error'].max():.0e}"}
        )  # fmt: skip
    return pd.DataFrame(rows)


def exactness_table(results: Results) -> pd.DataFrame:
    """One row a group: matrices, largest condition number, median and worst error of the states."""
    table = matrices(results)
    return pd.DataFrame(
        {"matrices": group, "how many": len(rows), "largest condition number": f"{rows['condition'].max():.0e}",
         "median error": f"{rows['state_error'].median():.0e}", "worst error": f"{rows['state_error'].max():.0e}"}
        for group in GROUPS for rows in (table[table["group"] == group],)
    )  # fmt: skip


def modes(results: Results, cell: str) -> pd.DataFrame:
    """One row a seed × mode of a trained linear RNN: ``pole`` (complex), ``kind`` and its ``share`` of the outputs.

    A pair's cos and sin head are one mode; the share is the mean over outputs of what it carries, lag 0 left out.
    """
    table = results.table("trained_heads")
    table = table[(table["cell"] == cell) & (table["kind"] != LAG_ZERO)]
    total = table.groupby(["seed", "mode", "output"])["share"].sum().groupby(["seed", "mode"]).mean()
    first = table.groupby(["seed", "mode"]).first()
    poles = first["decay"].to_numpy() * np.exp(1j * first["angle"].to_numpy())
    kinds = np.where(first["kind"] == "real", "real head", "cos head")
    return first[[]].assign(pole=poles, kind=kinds, share=total).reset_index()


def pole_plot(table: pd.DataFrame, *, ax: Axes, targets: bool) -> None:
    """Poles in the complex plane, upper half: the larger a mark, the more its heads carry; crosses are the task's."""
    turn = np.exp(1j * np.linspace(0, np.pi, 200))
    ax.plot(turn.real, turn.imag, color=MUTED, lw=0.8)
    for kind, rows in table.groupby("kind", sort=True):
        style, label = cell_style(str(kind)), {"real head": "real", "cos head": "pair"}[str(kind)]
        size, pole = 14 + 320 * rows["share"].abs().clip(upper=1), rows["pole"].to_numpy()
        ax.scatter(pole.real, pole.imag, s=size, c=style.colour, marker=style.marker, alpha=0.45, linewidths=0.5,
                   edgecolors="white", label=label)  # fmt: skip
    if targets:
        ax.scatter(np.real(POLES), np.imag(POLES), marker="x", s=90, color="black", linewidths=1.6, label="the task's")
    ax.set(xlim=(-1.1, 1.1), ylim=(-0.06, 1.1), aspect="equal", xlabel="real part", ylabel="imaginary part")


def strongest_heads(results: Results, cell: str, *, seed: int = 0, most: int = 4) -> pd.DataFrame:
    """The heads of one trained linear RNN that carry most (largest absolute share of an output): as in the table."""
    table = results.table("trained_heads")
    table = table[(table["cell"] == cell) & (table["seed"] == seed)]
    wide = table.pivot_table(index=["mode", "kind", "decay", "angle"], columns="output", values="share")
    wide.columns = [f"share of output {int(output) + 1}" for output in wide.columns]
    order = wide.abs().max(axis=1).sort_values(ascending=False, kind="stable").index
    return wide.loc[order[:most]].reset_index().drop(columns="mode")


def head_matrix(kind: str, decay: float, angle: float, length: int = 32) -> Float64[np.ndarray, "t t"]:
    """The matrix of one head of a trained RNN, whose decay no bound holds; that of lag 0 is the identity."""
    if kind == LAG_ZERO:
        return np.eye(length)
    steps = torch.arange(length, dtype=torch.float64)
    lags = decay**steps * (torch.sin(angle * steps) if kind == "sin" else torch.cos(angle * steps))
    lags[0] = 0
    return toeplitz(lags[None])[0].numpy()


def explained_states(results: Results, *, trained: bool, stand_ins: Sequence[str] = STAND_INS) -> pd.DataFrame:
    """Share of the held-out states' variance that a stand-in explains from the inputs, at least 0, one row a seed.

    Columns ``cell, seed, stand_in, value``; the cells of untrained networks have their tasks' names only.
    """
    table = results.table("linear_part")
    wanted = NONLINEAR if trained else CONTROLS
    rows = table[(table["scale"] == 1.0) & table["cell"].isin(wanted) & table["stand_in"].isin(stand_ins)]
    rows = rows.assign(value=_explained(rows["free"]), cell=rows["cell"].str.removesuffix(f", {UNTRAINED}"))
    return rows[["cell", "seed", "stand_in", "value"]].reset_index(drop=True)


def explained_by_scale(results: Results, cell: str) -> pd.DataFrame:
    """The same for one tanh RNN whose inputs are multiplied: columns ``scale, seed, stand_in, value``."""
    table = results.table("linear_part")
    rows = table[(table["cell"] == cell) & table["stand_in"].isin([AT_ZERO, AT_MEAN, FITTED, ANY_FILTER])]
    return rows.assign(value=_explained(rows["free"]))[["scale", "seed", "stand_in", "value"]].reset_index(drop=True)


def _explained(unexplained: pd.Series) -> pd.Series:
    """1 − x, at least 0: a roll-out that explodes explains nothing."""
    return (1 - unexplained.astype(float)).clip(lower=0).fillna(0.0)


def one_step_table(results: Results) -> pd.DataFrame:
    """Explained one step ahead from the true states, and from the inputs alone: the fit and its control."""
    table = results.table("linear_part")
    table = table[table["scale"] == 1.0]
    rows = []
    for cell in (*NONLINEAR, *CONTROLS):
        row = {"network": cell}
        for stand_in, words in ((FITTED, "fitted"), (MISMATCHED, "inputs of others")):
            chosen = table[(table["cell"] == cell) & (table["stand_in"] == stand_in)]
            row[f"{words}, one step"] = mean_std(_explained(chosen["one_step"]).tolist())
            row[f"{words}, from inputs"] = mean_std(_explained(chosen["free"]).tolist())
        rows.append(row)
    return pd.DataFrame(rows)


def task_table(results: Results) -> pd.DataFrame:
    """Share of the target's variance missed by the networks, and by their read-outs on the states of stand-ins."""
    table = results.table("linear_part")
    table = table[table["scale"] == 1.0]
    rows = []
    for cell in NONLINEAR:
        of_cell = table[table["cell"] == cell].set_index("stand_in")["task"]
        rows.append({"network": cell} | {
            name: mean_std(of_cell.loc[[name]].tolist()) for name in (NETWORK, FITTED, ANY_FILTER, MISMATCHED)
        })  # fmt: skip
    for cell in LINEAR:
        rows.append({"network": cell, NETWORK: mean_std(results.values(cell, "test", "unexplained"))})
    return pd.DataFrame(rows).fillna("–")


def trace(results: Results, cell: str, output: int = 0) -> pd.DataFrame:
    """One test sequence: steps down, one column a series."""
    table = results.table("traces")
    rows = table[(table["cell"] == cell) & (table["output"] == output)]
    return rows.pivot_table(index="step", columns="series", values="value", sort=False)
