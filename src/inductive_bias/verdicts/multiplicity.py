"""The correction for the number of claims: which verdicts stay decided after Holm."""

from collections.abc import Mapping

import pandas as pd

from inductive_bias.verdicts.judgement import Judgement
from inductive_bias.verdicts.pivots import ALPHA


def holm(judgements: Mapping[str, Judgement]) -> pd.DataFrame:
    """Holm's correction over all primary claims that are testable here, decided or not.

    One row a claim, in their order: ``verdict``, ``p`` (of the verdict reached), ``corrected`` (Holm's p; NaN if not
    testable), ``after`` (the verdict then) and ``changes`` (whether a decided verdict becomes undecided).
    """
    from statsmodels.stats.multitest import multipletests

    table = pd.DataFrame(
        {"verdict": [each.verdict for each in judgements.values()], "p": [each.p for each in judgements.values()]},
        index=pd.Index(list(judgements), name="claim"),
    )
    tested = table["verdict"] != "not testable here"
    table["corrected"] = float("nan")
    if tested.any():
        table.loc[tested, "corrected"] = multipletests(table.loc[tested, "p"], alpha=ALPHA, method="holm")[1]
    decided = table["verdict"].isin(["reproduced", "not reproduced"])
    table["changes"] = decided & (table["corrected"] >= ALPHA)
    table["after"] = table["verdict"].where(~table["changes"], "undecided")
    return table[["verdict", "p", "corrected", "after", "changes"]]
