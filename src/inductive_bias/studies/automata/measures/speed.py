"""Exponents and ratios of the published times.

A sample is one repeat of the benchmark, and each repeat measures every model once, in turns. So an interval says how
sure the numbers are for this machine on this day. It says nothing of another machine.
"""

import numpy as np
import pandas as pd

from inductive_bias.studies.timings import TRAINING
from inductive_bias.verdicts import Contrast, paired

#: From which length on a law of growth is fitted.
LONG = 1024


def lengths(table: pd.DataFrame) -> list[int]:
    """The lengths at which training was timed."""
    return sorted(table.loc[table["measure"] == TRAINING, "size"].astype(int).unique().tolist())


def per_token(table: pd.DataFrame, model: str, length: int) -> pd.Series:
    """Seconds of a training step per token, by repeat."""
    at = (table["measure"] == TRAINING) & (table["model"] == model) & (table["size"] == length)
    return table[at].set_index("repeat")["value"]


def exponents(table: pd.DataFrame, model: str) -> pd.Series:
    """The power s of the law *time of training per sequence* ~ lengthˢ, by repeat: the slope of the logarithms.

    Over all lengths from :data:`LONG` on, by least squares. The time per sequence is that per token times the length:
    who takes the same time for every token has s = 1.
    """
    long = [length for length in lengths(table) if length >= LONG]
    times = pd.DataFrame({length: per_token(table, model, length) * length for length in long})
    slopes = np.polyfit(np.log2(long), np.log2(times.to_numpy().T), 1)[0]
    return pd.Series(slopes, index=times.index)


def faster(table: pd.DataFrame, fast: str, slow: str, length: int) -> Contrast:
    """log₂ of the time of the slow one over that of the fast one."""
    times = (per_token(table, model, length) for model in (slow, fast))
    return paired(*times, name=f"{slow} over {fast}, {length:,} tokens", unit="log₂ of the ratio of times", log2=True)
