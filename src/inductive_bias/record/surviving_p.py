"""The largest p that survives the correction for the number of claims: stored, so that a chapter marks its verdicts.

``inductive-bias tables`` judges all claims and writes it.
"""

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


def surviving_p_file() -> str:
    """The largest p of the published claims that survives, as the text of its file."""
    largest = largest_surviving_p(all_claims(open_studies({}, scale=PUBLISHED), stored=True))
    return f"# The largest p that survives the correction. Made by `inductive-bias tables`.\np\n{largest!r}\n"
