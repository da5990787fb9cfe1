"""Claims as a page shows them: a box each with its verdict, a chip that leads to it, and a mosaic of all.

A verdict never stands without the size at which it was found. Sentences of the papers come first, our own questions
apart. The page's CSS puts the sign of its verdict before each, so that colour is never read alone.
"""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES, verdict_badge

#: Of a verdict that is decided alone and not among all claims: its sign, and what the sign means.
FRAGILE, FRAGILE_WORDS = "†", "not decided after the correction for the number of claims"
#: Whose claims are: under these words they stand apart.
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
        fragile: whether the verdict is open after the correction for the number of claims. A chapter knows nothing of
            other claims, and marks none.
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
        """The words under which it stands."""
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


def claim_groups(claims: Iterable[ShownClaim]) -> PageHTML:
    """The boxes of the papers' sentences, and under a heading of their own those of our questions."""
    boxes = {whose: claim_boxes(members) for whose, members in apart(claims).items()}
    groups = (f'<section class="claim-group"><h3>{name}</h3>{each.html}</section>' for name, each in boxes.items())
    return PageHTML("".join(groups), "\n\n".join(f"{name}\n\n{each.text}" for name, each in boxes.items()))


def verdict_chips(claims: Iterable[ShownClaim]) -> PageHTML:
    """A line of small badges, each with a claim's id and sign, that lead to the boxes."""
    claims = list(claims)
    text = " · ".join(f"{each.claim} {each.verdict}" for each in claims)
    return PageHTML(f'<p class="chips">{" ".join(map(_chip, claims))}</p>', text)


def mosaic(claims: Iterable[ShownClaim]) -> PageHTML:
    """One tile a claim, with its id and the sign of its verdict, by parts of the book; each leads to its box."""
    claims = list(claims)
    rows, words = [], []
    for part, members in _grouped(claims, lambda each: each.part).items():
        groups = apart(members)
        tiles = "".join(
            f'<p class="mosaic-whose">{whose}</p><ul class="mosaic" aria-label="{html.escape(f"{whose}: {part}")}">'
            f"{''.join(f'<li>{_tile(each)}</li>' for each in its)}</ul>"
            for whose, its in groups.items()
        )
        rows.append(f'<section><h3 class="mosaic-part">{html.escape(part)}</h3>{tiles}</section>')
        words += [
            f"{part}. {whose}: " + ", ".join(f"{each.claim} {each.judged}" for each in its)
            for whose, its in groups.items()
        ]
    used = [verdict for verdict in VERDICT_CLASSES if any(each.verdict == verdict for each in claims)]
    key = [verdict_badge(verdict) for verdict in used]
    key += [f"<span>{FRAGILE} {FRAGILE_WORDS}</span>"] if any(each.fragile for each in claims) else []
    return PageHTML(
        f'<div class="mosaics">{"".join(rows)}<p class="mosaic-key">{" ".join(key)}</p></div>', "\n".join(words)
    )


def apart(claims: Iterable[ShownClaim]) -> Mapping[str, Sequence[ShownClaim]]:
    """Claims by whose they are, the papers' first; without those of which there are none."""
    return _grouped(sorted(claims, key=lambda each: each.own), lambda each: each.whose)


def _grouped(claims: Iterable[ShownClaim], key: Callable[[ShownClaim], str]) -> dict[str, list[ShownClaim]]:
    """In the order in which the groups first occur."""
    groups: dict[str, list[ShownClaim]] = {}
    for each in claims:
        groups.setdefault(key(each), []).append(each)
    return groups


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
    return f'<a class="chip {VERDICT_CLASSES[verdict]}" {where}>{name} {verdict}</a>'


def _tile(claim: ShownClaim) -> str:
    words = html.escape(f"{claim.claim}: {claim.statement} {claim.judged}")
    kind = f"tile {VERDICT_CLASSES[claim.verdict]}" + (" fragile" if claim.fragile else "")
    link = f'class="{kind}" href="{html.escape(claim.anchor)}"'
    mark = f"<sup>{FRAGILE}</sup>" if claim.fragile else ""
    return f'<a {link} title="{words}" aria-label="{words}">{html.escape(claim.claim)}{mark}</a>'


def _chapter(page: str) -> str:
    return page.split("/")[-1].removesuffix(".html")


def _in_words(claim: ShownClaim) -> str:
    lines = [f"{claim.claim} · {claim.statement} {claim.judged}", f"paper: {claim.paper}", f"here: {claim.found}"]
    return "\n".join([*lines, *filter(None, [claim.few, claim.note])])
