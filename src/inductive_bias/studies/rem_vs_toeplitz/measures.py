"""What the claims compare: bits per character of pairs of cells, extra parameters, and the numbers of the paper."""

import math

import pandas as pd
import torch
from torch import nn

from inductive_bias.studies.design import Cell
from inductive_bias.studies.results import Results
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired, partners, unpaired


def fewer_bits(results: Results, ours: Cell, other: Cell, *, pairs: bool = True) -> Contrast:
    """How many bits per character of the test text ``ours`` saves: those of the other cell less its own.

    Runs of one number read the same windows in the same order and start from the same embedding: what these do to both
    alike is no noise of their difference: where one cell has more runs, those with numbers that both have are compared.
    With ``pairs=False`` they are compared as if they shared nothing. A run that diverged counts as a guess that every
    character is as likely.
    """
    values = [results.values("bpc", split="test", **cell) for cell in (other, ours)]
    name = " − ".join(results.design.name(cell) for cell in (other, ours))
    failed = math.log2(results.cells[ours][0].task.dimensions["outputs"])
    told = {"name": name, "unit": "BPC", "failed_value": failed}
    return paired(*partners(*values), **told) if pairs else unpaired(*values, **told)


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
