"""From the study's results to the tidy frames that its figures draw and the tables beside them print."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from inductive_bias.plotting.style import cell_style
from inductive_bias.studies.claims import signed
from inductive_bias.studies.comparisons import gain
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.rem_vs_toeplitz.design import GATE_LOGIT, SINUSOIDAL, twin_of
from inductive_bias.studies.rem_vs_toeplitz.pairs import differences, paired_gain
from inductive_bias.studies.study import Results

#: σ(μ) before training.
GATE_START = 1 / (1 + math.exp(-GATE_LOGIT))


def short(cell: str) -> str:
    """The name under an axis whose title says the positions, in two lines."""
    return (
        cell.removesuffix(SINUSOIDAL).replace(", ", ",\n").replace("printed ", "printed\n").replace(" only", "\nonly")
    )


def gains_over_twin(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Each cell less its twin, seed by seed: ``cell, seed, value`` (NaN where one of the two diverged)."""
    frames = [differences(results, cell, twin_of(cell)).reset_index().assign(cell=cell) for cell in cells]
    return pd.concat(frames, ignore_index=True)[["cell", "seed", "value"]]


def bpc_table(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """One row a cell: test BPC, that with half a window of context or more, and the difference to the twin.

    The difference is given with its paired and its Welch interval, and in percent of the twin's BPC.
    """
    rows = []
    for cell in cells:
        row = {
            "model": cell,
            "BPC": mean_std(results.values(cell, "test", "bpc")),
            "BPC, second half": mean_std(results.values(cell, "test", "bpc, second half")),
        }
        twin = twin_of(cell)
        if cell != twin:
            paired = paired_gain(results, cell, twin)
            relative = 100 * paired.mean / np.nanmean(results.values(twin, "test", "bpc"))
            row |= {
                "− twin, paired": signed(paired),
                "− twin, Welch": signed(gain(results, cell, twin, "test", "bpc")),
                "in percent": f"{relative:+.2f}".replace("-", "−"),
            }
        rows.append(row)
    return pd.DataFrame(rows)


def by_context(results: Results, cells: Sequence[str], *, less_twin: bool = False) -> pd.DataFrame:
    """BPC by longest context of a bin (1, 2, 4, 8 …): ``cell, seed, context, bpc``; ``less_twin``: by seed."""
    frames = []
    for cell in cells:
        ours = _curve(results, cell)
        frames.append((ours - _curve(results, twin_of(cell)) if less_twin else ours).reset_index().assign(cell=cell))
    table = pd.concat(frames, ignore_index=True).rename(columns={"x": "context", "value": "bpc"})
    return table[["cell", "seed", "context", "bpc"]]


def _curve(results: Results, cell: str) -> pd.Series:
    return results.final("bpc by context", split="test", cell=cell).set_index(["seed", "x"])["value"].sort_index()


def gates(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """The learned σ(μ), the share of the position matrix: ``cell, seed, layer, gate``."""
    rows = results.final("gate")
    rows = rows[rows["cell"].isin(cells)].sort_values(["seed", "split", "x"], kind="stable")
    rows = rows.sort_values("cell", key=lambda names: names.map(list(cells).index), kind="stable")
    table = rows.assign(layer=_layers(rows), gate=rows["value"])
    return table[["cell", "seed", "layer", "gate"]].reset_index(drop=True)


def _layers(rows: pd.DataFrame) -> pd.Series:
    """Numbers of the layers, from 1, that the splits of rows of mixers name."""
    return rows["split"].str.removeprefix("layer ").astype(int)


def decay_table(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """One row a cell and layer: gate, |decays| and angles of the heads, mean ± standard deviation over seeds.

    Signs of decays are left out: they are drawn anew for every seed, and a mean over both would say nothing.
    """
    rows = []
    for cell in cells:
        found = results.rows[(results.rows["cell"] == cell) & results.rows["epoch"].isna()]
        found = found[found["split"].str.startswith("layer ")]
        found = found.assign(kind=found["metric"].str.split(",").str[0])
        for layer, here in found.groupby(_layers(found)):
            row = {"model": cell, "layer": int(layer), "gate": "–", "decay": "–", "angle": "–"}
            for (kind, _), values in here.groupby(["kind", "x"]):
                known = [] if row[kind] == "–" else [row[kind]]
                numbers = values["value"].abs() if kind == "decay" else values["value"]
                row[kind] = "; ".join([*known, mean_std(numbers, 2).replace("-", "−")])
            rows.append(row)
    return pd.DataFrame(rows)


def draw_lags(lags: pd.DataFrame, cell: str, layer: int, ax: Axes, *, longest: int = 40) -> Axes:
    """One line a head, thick for the first seed and thin for the others, from lag 0 to ``longest``.

    Args:
        lags: the study's table ``lags``.
        cell: whose.
        layer: which, from 1.
        ax: axes to draw on.
        longest: last lag shown.
    """
    rows = lags[(lags["cell"] == cell) & (lags["layer"] == layer) & (lags["lag"] <= longest)]
    colour, lines = cell_style(cell).colour, ("-", "--", "-.", ":")
    for (seed, head), line in rows.groupby(["seed", "head"]):
        first = seed == rows["seed"].min()
        look = {"lw": 1.6, "zorder": 3} if first else {"lw": 0.6, "alpha": 0.3}
        ax.plot(line["lag"], line["value"], color=colour, ls=lines[(head - 1) % 4], **look)
    ax.axhline(0, color="#6b6b6b", lw=0.8)
    return ax
