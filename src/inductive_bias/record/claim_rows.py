"""Every claim for the table of claims: what a page shows of it, with what would decide it."""

import math

import pandas as pd

from inductive_bias.notebook import shown
from inductive_bias.plotting import ShownClaim
from inductive_bias.plotting.claim_table import ClaimRow, claim_table
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.open_claims import UNTESTABLE, in_words
from inductive_bias.record.texts import text_of
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Claim

#: Key and words of a claim that is about no text, in place of a text's.
NO_TEXT = ("none", "none of the five texts")


def shown_claims(claims: pd.DataFrame) -> list[ShownClaim]:
    """Claims of the table as a page at the root of the site shows them."""
    known = _known()
    rows = zip(*(claims[name] for name in ("claim", "finding", "regime", "fragile")), strict=True)
    return [
        shown(claim, finding, regime, part=part, page=f"{claim.page}.html", fragile=bool(fragile))
        for (claim, part), finding, regime, fragile in ((known[name], *rest) for name, *rest in rows)
    ]


def claim_rows(claims: pd.DataFrame, table: pd.DataFrame) -> list[ClaimRow]:
    """Rows of the table of claims, in the order of the book.

    Args:
        claims: of :func:`~inductive_bias.record.all_claims`.
        table: of :func:`~inductive_bias.record.open_claims`.
    """
    needed = {each["claim"]: each for each in table.to_dict("records")}
    known, rows = _known(), []
    for each, claim in zip(claims.to_dict("records"), shown_claims(claims), strict=True):
        text = text_of(known[claim.claim][0])
        more = {"text": (text.key, text.words) if text else NO_TEXT, "chapter": each["chapter"].words}
        more |= {"again": not each["primary"]}
        if open_claim := needed.get(claim.claim):
            hours = open_claim["hours"]
            more |= {"needs": in_words(open_claim), "hours": math.inf if math.isnan(hours) else hours}
            more |= {"visible": _visible(open_claim)}
        rows.append(ClaimRow(claim, **more))
    return rows


def claim_browser(claims: pd.DataFrame, table: pd.DataFrame) -> PageHTML:
    """Every claim in one table, with the open ones' needs: see :func:`claim_rows`."""
    return claim_table(claim_rows(claims, table))


def _known() -> dict[str, tuple[Claim, str]]:
    """Every claim by its id, with the part of the book that it stands in."""
    return {claim.id: (claim, study.part) for study in STUDIES.values() for claim in study.claims}


def _visible(open_claim: dict) -> str:
    """The smallest effect that these runs could see."""
    if open_claim["verdict"] == UNTESTABLE:
        return ""
    value = open_claim["visible"]
    return f"with power .8 an effect of {value:.2g} or more" if math.isfinite(value) else "no effect, however large"
