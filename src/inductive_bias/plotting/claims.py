"""Claims as a page shows them: a box each with its verdict, and a chip that leads to it.

A verdict never stands without the size at which it was found. The page's CSS puts the sign of its verdict before each,
so that colour is never read alone.
"""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES, verdict_badge

#: Of a verdict that is decided alone and not among all claims: its sign, and what the sign means.
FRAGILE, FRAGILE_WORDS = "†", "not decided after the correction for the number of claims"
#: Whose claims are, in words.
PAPERS, OWN = "Sentences of the papers", "Our own questions"


@dataclass(frozen=True)
class ShownClaim:
    """What a page says of one claim.

    Attributes:
        claim: its id, ``V1``.
        statement: the sentence.
        verdict: in the words of a page.
        paper: what the paper reports.
        found: the effect here, with its interval.
        source: paper and section.
        note: how it was judged, and what else was seen; nothing if empty.
        part: of the book, by which a reader may choose.
        page: the address of its chapter; empty within that chapter.
        regime: at what size the verdict was found.
        few: what so few runs mean; nothing if empty.
        own: whether no paper asks it.
        fragile: whether the verdict is open after the correction for the number of claims.
    """

    claim: str
    statement: str
    verdict: str
    paper: str
    found: str
    source: str = ""
    note: str = ""
    part: str = ""
    page: str = ""
    regime: str = ""
    few: str = ""
    own: bool = False
    fragile: bool = False

    @property
    def whose(self) -> str:
        """The words that say whose it is."""
        return OWN if self.own else PAPERS

    @property
    def anchor(self) -> str:
        """Where its box stands in its chapter."""
        return f"{self.page}#claim-{self.claim}"

    @property
    def judged(self) -> str:
        """The verdict with its size and, if it is fragile, a word about that: ``reproduced (seen at: width 64)``."""
        about = "; ".join(filter(None, [seen_at(self.regime), FRAGILE_WORDS if self.fragile else ""]))
        return f"{self.verdict} ({about})" if about else self.verdict


def seen_at(regime: str) -> str:
    """The words that follow a verdict: ``seen at: width 64``; nothing if the size is not known."""
    if not regime:
        return ""
    return f"seen {regime}" if regime.startswith("at ") else f"seen at: {regime}"


def claim_boxes(claims: Iterable[ShownClaim]) -> PageHTML:
    """A box a claim: verdict and sentence, what the paper says and what was found, and, folded, how it was judged."""
    claims = list(claims)
    return PageHTML(f'<div class="claims">{"".join(map(_box, claims))}</div>', "\n\n".join(map(_in_words, claims)))


def verdict_chips(claims: Iterable[ShownClaim]) -> PageHTML:
    """Lines of small badges, each with a claim's id and verdict, that lead to the boxes: a line for each size.

    The words that end a line say at what size its verdicts were found: none is read without it.
    """
    lines: dict[str, list[ShownClaim]] = {}
    for claim in claims:
        lines.setdefault(seen_at(claim.regime), []).append(claim)
    text = [" · ".join(map(_said, group)) + (f" ({size})" if size else "") for size, group in lines.items()]
    return PageHTML("".join(_chips(size, group) for size, group in lines.items()), "\n".join(text))


def _chips(size: str, claims: list[ShownClaim]) -> str:
    beside = f' <span class="regime">{html.escape(size)}</span>' if size else ""
    return f'<p class="chips">{" ".join(map(_chip, claims))}{beside}</p>'


def _said(claim: ShownClaim) -> str:
    return f"{claim.claim} {claim.verdict}{FRAGILE if claim.fragile else ''}"


def _box(claim: ShownClaim) -> str:
    name, e = claim.claim, html.escape
    facts = {"The paper": claim.paper, "Here": claim.found, "Source": claim.source}
    lines = "".join(f"<dt>{word}</dt><dd>{e(text)}</dd>" for word, text in facts.items() if text)
    lines += f'<dt>Chapter</dt><dd><a href="{e(claim.anchor)}">{e(_chapter(claim.page))}</a></dd>' if claim.page else ""
    few = f'<p class="claim-few">{e(claim.few)}</p>' if claim.few else ""
    note = f"<details><summary>How it was judged</summary><p>{e(claim.note)}</p></details>" if claim.note else ""
    about = f'id="claim-{e(name)}" data-verdict="{e(claim.verdict)}" data-part="{e(claim.part)}"'
    beside = f'<span class="regime">{e(seen_at(claim.regime))}</span>' if claim.regime else ""
    beside += '<span class="regime">· a question of our own</span>' if claim.own else ""
    beside += f'<span class="fragile">{FRAGILE} {FRAGILE_WORDS}</span>' if claim.fragile else ""
    return (
        f'<section class="claim {VERDICT_CLASSES[claim.verdict]}-claim" {about} data-whose="{claim.whose}" '
        f'aria-label="Claim {e(name)}">'
        f'<p class="claim-head"><span class="claim-id">{e(name)}</span> {verdict_badge(claim.verdict)} {beside}</p>'
        f'<p class="claim-statement">{e(claim.statement)}</p><dl>{lines}</dl>{few}{note}</section>'
    )


def _chip(claim: ShownClaim) -> str:
    name, verdict, words = html.escape(claim.claim), claim.verdict, html.escape(f"{claim.statement} {claim.judged}")
    where = f'href="{html.escape(claim.anchor)}" title="{words}"'
    mark = FRAGILE if claim.fragile else ""
    return f'<a class="chip {VERDICT_CLASSES[verdict]}" {where}>{name} {verdict}{mark}</a>'


def _chapter(page: str) -> str:
    return page.split("/")[-1].removesuffix(".html")


def _in_words(claim: ShownClaim) -> str:
    lines = [f"{claim.claim} · {claim.statement} {claim.judged}", f"paper: {claim.paper}", f"here: {claim.found}"]
    return "\n".join([*lines, *filter(None, [claim.few, claim.note])])
