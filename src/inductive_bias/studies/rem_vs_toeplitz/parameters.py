"""How many numbers each model has, counted from the models themselves."""

import pandas as pd
import torch
from torch import nn

from inductive_bias.studies.rem_vs_toeplitz.design import twin_of
from inductive_bias.studies.results import Results
from inductive_bias.trials import Trial


def count(module: nn.Module) -> int:
    """Numbers that training may change, and those of a frozen REM."""
    return sum(parameter.numel() for parameter in module.parameters())


def shapes_only(trial: Trial) -> nn.Module:
    """The trial's model without memory for its numbers."""
    with torch.device("meta"):
        return trial.model.build(**trial.task.dimensions)


def extra_scalars(trial: Trial) -> float:
    """Parameters of a layer's mixer beyond those of the four projections of attention, mean over layers."""
    blocks = shapes_only(trial).blocks
    width = trial.model.width
    return sum(count(block.mixer) for block in blocks) / len(blocks) - 4 * width * (width + 1)


def parameter_table(results: Results) -> pd.DataFrame:
    """One row a cell: parameters, those of one layer's mixer, and what it has beyond its twin's, trained or not.

    A model without attention is no twin with something added: its last two columns are the plain difference.
    """
    rows = []
    for cell, (trial, *_) in results.cells.items():
        model, twin = shapes_only(trial), shapes_only(results.cells[twin_of(cell["positions"])][0])
        mixer, other = (count(each.blocks[0].mixer) for each in (model, twin))
        trained = sum(p.numel() for p in model.blocks[0].mixer.parameters() if p.requires_grad)
        rows.append(
            {"model": results.design.name(cell), "parameters": count(model), "mixer of a layer": mixer,
             "more than its twin's": mixer - other, "of these trained": trained - other}
        )  # fmt: skip
    return pd.DataFrame(rows)
