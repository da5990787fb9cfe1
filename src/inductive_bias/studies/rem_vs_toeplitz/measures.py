"""What the claims compare and the figures draw beside the study's own rows."""

import math

import pandas as pd
import torch
from torch import nn

from inductive_bias.formatting import number
from inductive_bias.studies.design import Cell
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.rem_vs_toeplitz.design import ATTENTION, SINUSOIDAL, SIZES, mixer_name, twin_of
from inductive_bias.studies.results import Results
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired, partners, unpaired

#: Whose lags are drawn beside one another, and how many.
SHOWN, MOST_LAGS = ("standard", "shared", "undilated"), 64


def fewer_bits(results: Results, ours: Cell, other: Cell, *, pairs: bool = True) -> Contrast:
    """How many bits per character of the test text ``ours`` saves: those of the other cell less its own.

    Runs of one number read the same windows in the same order and start from the same embedding: what these do to both
    alike is no noise of their difference: where one cell has more runs, those with numbers that both have are compared.
    With ``pairs=False`` they are compared as if they shared nothing. A run that diverged counts as a guess that every
    character is as likely.
    """
    values = [results.values("bpc", split="test", **cell) for cell in (other, ours)]
    name = " − ".join(results.design.name(cell) for cell in (other, ours))
    failed = math.log2(SIZES[results.scale].task.dimensions["outputs"])
    told = {"name": name, "unit": "BPC", "failed_value": failed}
    return paired(*partners(*values), **told) if pairs else unpaired(*values, **told)


def with_mixer(frame: pd.DataFrame) -> pd.DataFrame:
    """With a column of what mixes the tokens, for panels whose titles say the positions."""
    names = list(map(mixer_name, frame["positions"], frame["model"], frame["variant"]))
    return frame.assign(mixer=pd.Categorical(names, list(dict.fromkeys(names)), ordered=True))


def less_twin(frame: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Of :func:`with_mixer`, by number and coordinates: each ``value`` less that of attention alone; without the twin.

    Of the numbers that the twin has; NaN where one of the two diverged.
    """
    frame = frame[frame["number"].isin(frame.loc[frame["mixer"] == ATTENTION, "number"])]
    wide = frame.pivot(index=["number", *by], columns="mixer", values="value")
    tall = wide.sub(wide[ATTENTION], axis=0).drop(columns=ATTENTION).melt(ignore_index=False).reset_index()
    return tall.assign(mixer=tall["mixer"].cat.remove_unused_categories())


def bpc_table(results: Results) -> pd.DataFrame:
    """One row a cell: test BPC, that with half a window of context or more, and the difference to the twin.

    The difference is given with its paired and its Welch interval, and in percent of the twin's BPC. A diverged run
    counts in it, and is left out of the means.
    """
    rows = []
    for cell in results.cells:
        bits, late = (results.values("bpc", split="test", **cell, **part) for part in ({}, {"part": "second half"}))
        lost = f" ({bits.isna().sum()} diverged)" if bits.isna().any() else ""
        row = {"model": results.design.name(cell), "BPC": mean_std(bits) + lost, "BPC, second half": mean_std(late)}
        if cell != (twin := twin_of(cell["positions"])):
            pairs, welch = (fewer_bits(results, twin, cell, pairs=each) for each in (True, False))
            share = pairs.estimate / results.values("bpc", split="test", **twin).mean()
            percent = number(100 * share, "+.2f")
            row |= {"− twin, paired": str(pairs), "− twin, Welch": str(welch), "in percent": percent}
        rows.append(row)
    return pd.DataFrame(rows)


def fresh_model(trial: Trial) -> nn.Module:
    """The trial's model before training, for its shapes; no global seed is touched."""
    # on the device "meta" it would take longer, for torch then imports its compiler
    with torch.random.fork_rng(devices=[]):
        return trial.model.build(**trial.task.dimensions)


def extra_scalars(trial: Trial, *, trained: bool = False) -> int:
    """Parameters of a layer's mixer beyond those of the four projections of attention; or of those that are trained."""
    found, width = fresh_model(trial).blocks[0].mixer.parameters(), trial.model.width
    return sum(each.numel() for each in found if each.requires_grad or not trained) - 4 * width * (width + 1)


def paper_bits(results: Results) -> pd.DataFrame:
    """BPC in the paper by base, text and layers, a column a model."""
    rows = results.paper[results.paper["metric"] == "bpc"]
    return rows.pivot_table(index=["base", "text", "layers"], columns="model", values="mean", sort=False)


@torch.no_grad()
def lags(runs: Runs) -> pd.DataFrame:
    """What a head adds from the token so many steps back, σ(μ) fₙ: layers and heads from 1, lags from 0."""
    rows = []
    for trial in drawn(runs):
        length = min(MOST_LAGS, trial.task.window)
        for layer, block in enumerate(runs.model(trial).blocks, start=1):
            mixer = block.mixer
            matrix = mixer.matrix(length) if hasattr(mixer, "matrix") else mixer.rem.matrix(length)
            # the last row of a causal Toeplitz matrix holds all lags, the largest first
            values = mixer.gate[:, None] * matrix[:, -1].flip(-1)
            for head, row in enumerate(values.tolist(), start=1):
                known = {"trial": trial.id, "layer": layer, "head": head}
                rows += [known | {"lag": lag, "value": value} for lag, value in enumerate(row)]
    return pd.DataFrame(rows)


def drawn(runs: Runs) -> list[Trial]:
    """The runs whose heads are drawn."""
    return runs.trials(positions=SINUSOIDAL, model=("Free Toeplitz", "RSA"), variant=SHOWN)
