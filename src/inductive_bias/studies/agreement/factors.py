"""The four Transformers as two choices: may attention look ahead, and has every layer a block of its own?"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from inductive_bias.analysis import mean_interval
from inductive_bias.studies.agreement.figures import Place
from inductive_bias.studies.claims import signed
from inductive_bias.studies.study import Results

BOTH_WAYS, LEFT_TO_RIGHT = "both ways", "left to right"
OWN, SHARED = "a block for each layer", "one block for all layers"
#: What each model may see, and of how many blocks it is made.
FACTORS = {
    "Transformer": (BOTH_WAYS, OWN),
    "Sequential Transformer": (LEFT_TO_RIGHT, OWN),
    "Universal Transformer": (BOTH_WAYS, SHARED),
    "Sequential Universal Transformer": (LEFT_TO_RIGHT, SHARED),
}
#: Weights of the four models, in the order of FACTORS, in each effect.
CONTRASTS = {
    "reading left to right": (-0.5, 0.5, -0.5, 0.5),
    "sharing one block": (-0.5, -0.5, 0.5, 0.5),
    "interaction": (1.0, -1.0, -1.0, 1.0),
}


def factor_rows(results: Results, place: Place) -> pd.DataFrame:
    """Every seed of the four: ``cell, seed, attention, blocks, value``."""
    split, metric = place
    parts = []
    for cell, (attention, blocks) in FACTORS.items():
        rows = results.final(metric, split=split, cell=cell).sort_values("seed")
        parts.append(rows.assign(attention=attention, blocks=blocks))
    return pd.concat(parts)[["cell", "seed", "attention", "blocks", "value"]].reset_index(drop=True)


def factor_effects(results: Results, places: Mapping[str, Place]) -> pd.DataFrame:
    """Effect of each choice and of both together, one row an effect and one column a measure.

    A contrast is taken within a seed (the four models share its order of sentences), and over seeds it has Student's
    95 % interval. The interaction is how much more sharing does where attention looks only back.
    """
    rows = []
    for effect, weights in CONTRASTS.items():
        row = {"effect": effect}
        for words, place in places.items():
            seeds = factor_rows(results, place).pivot(index="seed", columns="cell", values="value")
            contrast = seeds[list(FACTORS)].to_numpy() @ np.array(weights)
            row[words] = signed(mean_interval(contrast[np.isfinite(contrast)]))
        rows.append(row)
    return pd.DataFrame(rows)
