"""The correction for the number of claims: which verdicts stay decided among all of them."""

from collections.abc import Mapping
from typing import Literal

import pandas as pd

from inductive_bias.verdicts.judgement import DECIDED, Judgement
from inductive_bias.verdicts.test_statistics import ALPHA

#: ``fdr``: Benjamini and Hochberg (1995), at most 5 % of the decided verdicts are wrong, on average. ``holm``: Holm
#: (1979), none of them is wrong, with 95 % confidence.
Correction = Literal["fdr", "holm"]
_METHODS = {"fdr": "fdr_bh", "holm": "holm"}


def corrected(judgements: Mapping[str, Judgement], correction: Correction) -> pd.DataFrame:
    """Verdicts after a correction over all claims that are testable here, decided or not.

    Returns:
        One row a claim, in their order: ``verdict``, ``p`` (of the verdict reached), ``corrected`` (p after the
        correction; NaN if not testable), ``after`` (the verdict then) and ``changes`` (whether a decided verdict
        becomes undecided).

    Raises:
        KeyError: unknown correction.
    """
    from statsmodels.stats.multitest import multipletests

    table = pd.DataFrame(
        {"verdict": [each.verdict for each in judgements.values()], "p": [each.p for each in judgements.values()]},
        index=pd.Index(list(judgements), name="claim"),
    )
    tested = table["verdict"] != "not testable here"
    table["corrected"] = float("nan")
    method = _METHODS[correction]
    if tested.any():
        table.loc[tested, "corrected"] = multipletests(table.loc[tested, "p"], alpha=ALPHA, method=method)[1]
    table["changes"] = table["verdict"].isin(DECIDED) & (table["corrected"] >= ALPHA)
    table["after"] = table["verdict"].where(~table["changes"], "undecided")
    return table[["verdict", "p", "corrected", "after", "changes"]]
