"""What the claims compare, and the tables that stand beside the figures.

Runs of one number are paired: they read the same windows in the same order and start from the same embedding, so that
what these do to both alike is no noise of their difference.
"""

import math

import pandas as pd

from inductive_bias.studies.design import Cell
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.rem_vs_toeplitz.design import (
    ATTENTION,
    GATE_LOGIT,
    MODELS,
    RSA,
    SIZES,
    VARIANTS,
    mixer_name,
    twin_of,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import Scale
from inductive_bias.verdicts import Contrast, paired, unpaired

#: σ(μ) before training.
GATE_START = 1 / (1 + math.exp(-GATE_LOGIT))


def uniform_guess(scale: Scale) -> float:
    """What a diverged run counts as, in bits per character: a guess that every character is as likely."""
    return math.log2(SIZES[scale].task.dimensions["outputs"])


def fewer_bits(results: Results, ours: Cell, other: Cell, *, pairs: bool = True) -> Contrast:
    """How many bits per character of the test text ``ours`` saves: those of the other cell less its own.

    ``pairs``: seed by seed; else as if the runs shared nothing.
    """
    values = [results.values("bpc", split="test", **cell) for cell in (other, ours)]
    name = " − ".join(results.design.name(cell) for cell in (other, ours))
    contrast = paired if pairs else unpaired
    return contrast(*values, name=name, unit="BPC", failed_value=uniform_guess(results.scale))


def with_mixer(frame: pd.DataFrame) -> pd.DataFrame:
    """With a column of what mixes the tokens, for panels whose titles say the positions."""
    names = [mixer_name(*pair) for pair in zip(frame["model"], frame["variant"], strict=True)]
    known = [mixer_name(model, variant) for model in MODELS for variant in VARIANTS]
    return frame.assign(mixer=pd.Categorical(names, [name for name in known if name in names], ordered=True))


def less_twin(frame: pd.DataFrame, *by: str) -> pd.DataFrame:
    """The frame without the twins, each value less that of its twin with the same number and coordinates ``by``.

    NaN where one of the two diverged.
    """
    at = pd.DataFrame({"positions": [twin_of(told)["positions"] for told in frame["positions"]]}, index=frame.index)
    at = at.join(frame[["number", *by]])
    is_twin = (frame["model"] == ATTENTION) & (frame["positions"].astype(str) == at["positions"])
    twins = frame.loc[is_twin, "value"].set_axis(pd.MultiIndex.from_frame(at[is_twin]))
    own = frame[~is_twin]
    return own.assign(value=own["value"] - twins.loc[pd.MultiIndex.from_frame(at[~is_twin])].to_numpy())


def bpc_table(results: Results) -> pd.DataFrame:
    """One row a cell: test BPC, that with half a window of context or more, and the difference to the twin.

    The difference is given with its paired and its Welch interval, and in percent of the twin's BPC. A diverged run
    counts there as a uniform guess; it is left out of the means.
    """
    rows = []
    for cell in results.cells:
        bits, late = (results.values("bpc", split="test", **cell, **part) for part in ({}, {"part": "second half"}))
        lost = f" ({bits.isna().sum()} diverged)" if bits.isna().any() else ""
        row = {"model": results.design.name(cell), "BPC": mean_std(bits) + lost, "BPC, second half": mean_std(late)}
        if cell != (twin := twin_of(cell["positions"])):
            pairs, welch = (fewer_bits(results, twin, cell, pairs=each) for each in (True, False))
            alone = results.values("bpc", split="test", **twin).fillna(uniform_guess(results.scale)).mean()
            percent = f"{100 * pairs.estimate / alone:+.2f}".replace("-", "−")
            row |= {"− twin, paired": str(pairs), "− twin, Welch": str(welch), "in percent": percent}
        rows.append(row)
    return pd.DataFrame(rows)


def decay_table(results: Results) -> pd.DataFrame:
    """One row a cell with a REM and a layer: gate, |decays| and angles of the heads, mean ± deviation over seeds.

    Signs of decays are left out: they are drawn anew for every seed, and a mean over both would say nothing.
    """
    shapes = {"gate": ("layer", "head"), "decay": ("layer", "head", "kind"), "angle": ("layer", "head", "kind")}
    frames = [results.frame(name, split="model", by=by).assign(metric=name) for name, by in shapes.items()]
    rows = pd.concat(frames)
    rows = rows[rows["cell"].isin(frames[1]["cell"])].astype({"cell": str, "layer": int})
    rows["value"] = rows["value"].where(rows["metric"] != "decay", rows["value"].abs())
    heads = rows.groupby(["cell", "layer", "metric", "head"])["value"].apply(mean_std, 2)
    table = heads.groupby(["cell", "layer", "metric"]).agg("; ".join).unstack("metric", fill_value="–")
    table = table.loc[list(dict.fromkeys(frames[1]["cell"])), list(shapes)]
    return table.rename_axis(columns=None).rename_axis(["model", "layer"]).reset_index()


def paper_gains(results: Results) -> pd.DataFrame:
    """BPC in the paper, a row a comparison: ``base, text, layers``, RSA and what it is compared with, and its gain."""
    at = ["base", "text", "layers"]
    rows = results.paper[results.paper["metric"] == "bpc"]
    ours, others = (rows.loc[side, [*at, "model", "mean"]] for side in (rows["model"] == RSA, rows["model"] != RSA))
    table = others.rename(columns={"model": "compared with", "mean": "its BPC"}).merge(ours, on=at)
    table = table.rename(columns={"mean": "BPC of RSA"}).drop(columns="model")
    return table.assign(gain=(table["its BPC"] - table["BPC of RSA"]).round(4))
