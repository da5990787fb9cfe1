"""The lags that the trained position matrices hold."""

import pandas as pd
import torch

from inductive_bias.studies.rem_vs_toeplitz.design import RSA, SHARED, SINUSOIDAL, STANDARD, TOEPLITZ, UNDILATED
from inductive_bias.studies.runs import Runs

#: Whose lags are drawn beside one another.
SHOWN = {"positions": SINUSOIDAL, "model": (TOEPLITZ, RSA), "variant": (STANDARD, SHARED, UNDILATED)}
MOST_LAGS = 64


@torch.no_grad()
def lags(runs: Runs) -> pd.DataFrame:
    """What a head adds from the token so many steps back: σ(μ) fₙ.

    Returns:
        ``trial, layer, head, lag, value``, layers and heads from 1, lags from 0 to 63 at most.
    """
    rows = []
    for trial in runs.trials(**SHOWN):
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


TABLES = {"lags": lags}
