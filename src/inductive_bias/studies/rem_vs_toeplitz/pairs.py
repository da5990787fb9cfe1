"""Differences of cells, seed by seed."""

import pandas as pd

from inductive_bias.analysis import Interval
from inductive_bias.studies.comparisons import interval_of
from inductive_bias.studies.study import Results


def differences(results: Results, cell: str, baseline: str, *, split: str = "test", metric: str = "bpc") -> pd.Series:
    """``cell`` minus ``baseline`` by seed, in their order; NaN where one of the two diverged."""
    ours, theirs = (
        results.final(metric, split=split, cell=name).set_index("seed")["value"] for name in (cell, baseline)
    )
    return (ours - theirs).sort_index()


def paired_gain(results: Results, cell: str, baseline: str, *, split: str = "test", metric: str = "bpc") -> Interval:
    """Mean of ``cell`` minus ``baseline`` over seeds, with the 95 % interval of Student's t for pairs.

    Both runs of a pair read the same windows in the same order and start from the same embedding, so that what these
    do to both alike is no noise of their difference. A pair of which one diverged is left out; ``n`` counts the others
    (0 and NaN without any).
    """
    return interval_of(differences(results, cell, baseline, split=split, metric=metric))
