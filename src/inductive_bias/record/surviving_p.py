"""The largest p that survives the correction for the number of claims: stored, so that a chapter marks its verdicts.

``python -m inductive_bias.record.surviving_p data/results/surviving_p.csv`` judges all claims and writes it.
"""

import sys

import pandas as pd

from inductive_bias.notebook import PUBLISHED
from inductive_bias.record.claims import all_claims, open_studies
from inductive_bias.verdicts import DECIDED


def largest_surviving_p(claims: pd.DataFrame) -> float:
    """The largest p of a verdict that is decided among all claims; NaN if none is.

    Args:
        claims: of :func:`~inductive_bias.record.all_claims`.
    """
    counted = claims[claims["primary"] & ~claims["fragile"]]
    decided = (finding.judgement for finding in counted["finding"] if finding.judgement.verdict in DECIDED)
    return max((float(judgement.p) for judgement in decided), default=float("nan"))


if __name__ == "__main__":
    largest = largest_surviving_p(all_claims(open_studies({}, scale=PUBLISHED), stored=True))
    with open(sys.argv[1], "w", encoding="utf8") as file:
        file.write(
            f"# The largest p that survives the correction. Made by python -m {__spec__.name}.\np\n{largest!r}\n"
        )
