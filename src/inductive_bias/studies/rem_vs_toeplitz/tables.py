"""A further table: what trained heads add from tokens so many steps back."""

import pandas as pd
import torch

from inductive_bias.studies.rem_vs_toeplitz.design import RSA, SINUSOIDAL, TOEPLITZ
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Variants whose lags are kept, to be drawn beside one another; and how many lags.
LAG_VARIANTS, MOST_LAGS = ("standard", "shared", "undilated"), 64


@torch.no_grad()
def lags(runs: Runs) -> pd.DataFrame:
    """What a head adds from the token so many steps back, σ(μ) fₙ: layers and heads from 1, lags from 0."""
    rows = []
    for trial in runs_with_lags(runs):
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


def runs_with_lags(runs: Runs) -> list[Trial]:
    """The runs whose lags are kept."""
    return runs.trials(positions=SINUSOIDAL, model=(TOEPLITZ, RSA), variant=LAG_VARIANTS)


TABLES = {"lags": Table(lags, uses=runs_with_lags, group=lambda cell, number: (cell, number))}
