"""Claims as a page shows them: a box each with its verdict, a chip that leads to it, and a mosaic of all.

The page's CSS puts the sign of its verdict before each, so that colour is never read alone.
"""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES, verdict_badge


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

    @property
    def anchor(self) -> str:
        """Where its box stands in its chapter."""
        return f"{self.page}#claim-{self.claim}"


def claim_boxes(claims: Iterable[ShownClaim]) -> PageHTML:
    """A box a claim: verdict and sentence, what the paper says and what was found, and, folded, how it was judged."""
    claims = list(claims)
    return PageHTML(f'<div class="claims">{"".join(map(_box, claims))}</div>', "\n\n".join(map(_in_words, claims)))


def verdict_chips(claims: Iterable[ShownClaim]) -> PageHTML:
    """A line of small badges, each with a claim's id and sign, that lead to the boxes."""
    claims = list(claims)
    text = " · ".join(f"{each.claim} {each.verdict}" for each in claims)
    return PageHTML(f'<p class="chips">{" ".join(map(_chip, claims))}</p>', text)


def mosaic(claims: Iterable[ShownClaim]) -> PageHTML:
    """One tile a claim, with its id and the sign of its verdict, by parts of the book; each leads to its box."""
    claims = list(claims)
    groups = {part: [each for each in claims if each.part == part] for part in dict.fromkeys(e.part for e in claims)}
    rows, words = [], []
    for part, members in groups.items():
        tiles = "".join(f"<li>{_tile(each)}</li>" for each in members)
        rows.append(
            f'<section><h3 class="mosaic-part">{html.escape(part)}</h3><ul class="mosaic">{tiles}</ul></section>'
        )
        words.append(f"{part}: " + ", ".join(f"{each.claim} {each.verdict}" for each in members))
    used = [verdict for verdict in VERDICT_CLASSES if any(each.verdict == verdict for each in claims)]
    key = " ".join(verdict_badge(verdict) for verdict in used)
    return PageHTML(f'<div class="mosaics">{"".join(rows)}<p class="mosaic-key">{key}</p></div>', "\n".join(words))


def _box(claim: ShownClaim) -> str:
    name, e = claim.claim, html.escape
    facts = {"The paper": claim.paper, "Here": claim.found, "Source": claim.source}
    lines = "".join(f"<dt>{word}</dt><dd>{e(text)}</dd>" for word, text in facts.items() if text)
    lines += f'<dt>Chapter</dt><dd><a href="{e(claim.anchor)}">{e(_chapter(claim.page))}</a></dd>' if claim.page else ""
    note = f"<details><summary>How it was judged</summary><p>{e(claim.note)}</p></details>" if claim.note else ""
    about = f'id="claim-{e(name)}" data-verdict="{e(claim.verdict)}" data-part="{e(claim.part)}"'
    return (
        f'<section class="claim {VERDICT_CLASSES[claim.verdict]}-claim" {about} aria-label="Claim {e(name)}">'
        f'<p class="claim-head"><span class="claim-id">{e(name)}</span> {verdict_badge(claim.verdict)}</p>'
        f'<p class="claim-statement">{e(claim.statement)}</p><dl>{lines}</dl>{note}</section>'
    )


def _chip(claim: ShownClaim) -> str:
    name, verdict = html.escape(claim.claim), claim.verdict
    return f'<a class="chip {VERDICT_CLASSES[verdict]}" href="{html.escape(claim.anchor)}">{name} {verdict}</a>'


def _tile(claim: ShownClaim) -> str:
    words = html.escape(f"{claim.claim}: {claim.statement} {claim.verdict}")
    link = f'class="tile {VERDICT_CLASSES[claim.verdict]}" href="{html.escape(claim.anchor)}"'
    return f'<a {link} title="{words}" aria-label="{words}">{html.escape(claim.claim)}</a>'


def _chapter(page: str) -> str:
    return page.split("/")[-1].removesuffix(".html")


def _in_words(claim: ShownClaim) -> str:
    lines = [f"{claim.claim} · {claim.statement} {claim.verdict}", f"paper: {claim.paper}", f"here: {claim.found}"]
    return "\n".join([*lines, *filter(None, [claim.note])])
