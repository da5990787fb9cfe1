"""All claims in one table: the sentence first, its verdict, what was found and what would decide it; a row opens.

Without a script it is a plain table, whose cards are folds. `claims.js` makes a sentence the button that opens its
card, searches, filters and sorts, and keeps all of that in the address.
"""

import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inductive_bias.plotting.claims import FRAGILE, FRAGILE_WORDS, ShownClaim, seen_at
from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES, verdict_badge

#: Groups of verdicts that a reader may ask for at once, before the single ones.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "decided": ("reproduced", "not reproduced", "confirmed", "refuted"),
    "open": ("undecided", "beyond these data", "not testable here"),
}
#: The columns, by what sorting by them is called in the address.
COLUMNS = {"": "Sentence", "verdict": "Verdict, and the effect here", "time": "What would decide it"}


@dataclass(frozen=True)
class ClaimRow:
    """What the table says of one claim.

    Attributes:
        claim: what a page shows of it anywhere.
        text: key and title of the text that it is about, or what stands for none.
        chapter: title of its chapter.
        needs: what would decide it; nothing if it is decided.
        hours: that the missing runs take; infinite where no run would decide, NaN if it is decided.
        visible: the smallest effect that these runs could see, in words; nothing if it does not matter.
        again: whether it looks at the sentence of another claim again.
    """

    claim: ShownClaim
    text: tuple[str, str]
    chapter: str
    needs: str = ""
    hours: float = math.nan
    visible: str = ""
    again: bool = False


def claim_table(rows: Iterable[ClaimRow]) -> PageHTML:
    """The table with its form, which is hidden until a script shows it."""
    rows = list(rows)
    head = "".join(f'<th scope="col" data-sort="{key}">{words}</th>' for key, words in COLUMNS.items())
    table = (
        '<table class="claim-table" data-live><caption class="visually-hidden">Every claim</caption>'
        f"<thead><tr>{head}</tr></thead>{''.join(map(_row, range(len(rows)), rows))}</table>"
    )
    return PageHTML(f"{_form(rows)}{table}", "\n\n".join(map(_in_words, rows)))


def _form(rows: list[ClaimRow]) -> str:
    used = {row.claim.verdict for row in rows}
    verdicts = [*GROUPS, *(verdict for verdict in VERDICT_CLASSES if verdict in used)]
    lists = {
        "text": dict(row.text for row in rows),
        "part": {row.claim.part: row.claim.part for row in rows},
        "verdict": {verdict: verdict for verdict in verdicts},
        "whose": {row.claim.whose: row.claim.whose for row in rows},
    }
    chosen = "".join(
        f'<label>{name.capitalize()} <select name="{name}"><option value="">all</option>'
        + "".join(f'<option value="{html.escape(key)}">{html.escape(words)}</option>' for key, words in levels.items())
        + "</select></label> "
        for name, levels in lists.items()
    )
    return (
        '<form class="claim-filter" role="search" aria-label="Choose claims" hidden>'
        '<label class="wide">Search <input type="search" name="q" autocomplete="off"></label> '
        f'{chosen}<label><input type="checkbox" name="again" value="yes"> with second looks at a sentence</label> '
        f'<button type="reset">Start again</button> <output role="status">{len(rows)} claims</output></form>'
    )


def _row(place: int, row: ClaimRow) -> str:
    claim, e = row.claim, html.escape
    name = e(claim.claim)
    mark = f' <span class="fragile" title="{FRAGILE_WORDS}">{FRAGILE}</span>' if claim.fragile else ""
    asked = {"text": row.text[0], "part": claim.part, "verdict": claim.verdict, "whose": claim.whose}
    data = "".join(f' data-{key}="{e(value)}"' for key, value in asked.items())
    data += ' data-again="yes"' if row.again else ""
    order = list(VERDICT_CLASSES).index(claim.verdict)
    hours = "" if math.isnan(row.hours) else f' data-time="{min(row.hours, 1e9):.3f}"'
    size = f' <span class="regime">{e(seen_at(claim.regime))}</span>' if claim.regime else ""
    told = f"<span>{e(row.needs)}</span>" if row.needs else ""
    needs = f'<td class="needs" data-label="would decide it">{told}</td>'
    return (
        f'<tbody class="claim-row {VERDICT_CLASSES[claim.verdict]}-claim" id="claim-{name}" data-place="{place}" '
        f'data-order="{order}"{hours}{data}>'
        f'<tr><th scope="row"><span class="claim-statement">{e(claim.statement)}</span> <span class="claim-id">{name}'
        f"</span></th><td>{verdict_badge(claim.verdict)}{mark}{size} "
        f'<span class="here">{e(claim.found)}</span></td>{needs}</tr>'
        f'<tr class="claim-card"><td colspan="{len(COLUMNS)}"><details><summary>More on {name}</summary>'
        f"<dl>{_facts(row)}</dl></details></td></tr></tbody>"
    )


def _facts(row: ClaimRow) -> str:
    claim, e = row.claim, html.escape
    fragile = FRAGILE_WORDS.capitalize() if claim.fragile else ""
    facts = {
        "The paper": claim.paper,
        "Seen at": claim.regime,
        "How it was judged": "; ".join(filter(None, [claim.note, fragile])),
        "Few runs": claim.few,
        "Would decide it": row.needs,
        "Could see": row.visible,
        "Whose": f"{claim.whose.removesuffix('s').lower()}, {row.text[1]}",
        "Source": claim.source,
    }
    lines = "".join(f"<dt>{word}</dt><dd>{e(text)}</dd>" for word, text in facts.items() if text)
    return f'{lines}<dt>Chapter</dt><dd><a href="{e(claim.anchor)}">{e(row.chapter)}</a></dd>'


def _in_words(row: ClaimRow) -> str:
    claim = row.claim
    lines = [
        f"{claim.claim} · {claim.statement} {claim.judged}",
        f"paper: {claim.paper}",
        f"here: {claim.found}",
        f"would decide it: {row.needs}" if row.needs else "",
        f"could see: {row.visible}" if row.visible else "",
        claim.few,
        claim.note,
    ]
    return "\n".join(filter(None, lines))
