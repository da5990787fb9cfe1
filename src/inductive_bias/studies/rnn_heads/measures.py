"""What the claims compare and the pages draw: how much of a network's states a linear stand-in explains."""

import numpy as np
import pandas as pd

from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.design import NETWORK
from inductive_bias.verdicts import Contrast, single

#: The precision of a number, in whose units errors of states are given.
EPS = float(np.finfo(np.float64).eps)
FROM_INPUTS = "from inputs"
#: Columns of the table of linear parts, as the pages call them.
COLUMNS = {"one_step": "one step", "free": FROM_INPUTS}


def variance_explained(results: Results, **levels: Level) -> pd.DataFrame:
    """Share of the variance of a network's held-out states that a linear stand-in explains, one row a seed.

    At least 0, what a constant explains: a roll-out that explodes is no worse. Of the columns ``scale, stand_in, part``
    the last is *one step* ahead from the true states (empty for a filter) or *from inputs* alone.
    """
    table = results.table("linear_part").rename(columns=COLUMNS)
    kept = [*results.design.factors, "cell", "seed", "number", "scale", "stand_in"]
    found = table[table["stand_in"] != NETWORK].melt(kept, list(COLUMNS.values()), "part")
    found = found[np.logical_and.reduce([found[name] == level for name, level in levels.items()])]
    return found.assign(value=(1 - found["value"].astype(float)).clip(lower=0)).reset_index(drop=True)


def explained_from_inputs(results: Results, stand_in: str, **cell: Level) -> Contrast:
    """What a stand-in explains from the inputs alone in one cell; nothing of states that are no numbers."""
    found = variance_explained(results, stand_in=stand_in, part=FROM_INPUTS, scale=1.0, **cell)
    name, unit = results.design.label(**cell), "of the states' variance explained"
    return single(found.set_index("number")["value"], name=name, unit=unit, failed_value=0.0)
