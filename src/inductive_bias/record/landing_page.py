"""What surrounds the answers on the first page: how much was done, at what size, and where a reader may go."""

import html
from collections.abc import Mapping

import pandas as pd

from inductive_bias.plotting import verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.claims import counted
from inductive_bias.record.known_numbers import Known
from inductive_bias.record.texts import TEXTS
from inductive_bias.studies import STUDIES
from inductive_bias.studies.manifest import read_manifest

#: Four readers and the pages that each wants: what it leads to, by its words.
DOORS: Mapping[str, Mapping[str, str]] = {
    "I read a text": {text.words: text.address for text in TEXTS},
    "I teach": {
        "From zero": "from-zero.html",
        "Ways through the book": "ways.html",
        "Exercises with solutions": "exercises.html",
        "A recurrence as a matrix, with sliders": "attention/rem.html#move-it",
        "How long a window must be, with a calculator": "stability/truncation.html#try-it",
        "Shift a digit": "vision/convolution.html",
        "An automaton, step by step": "automata/depth.html",
        "Words of the field": "glossary.html",
    },
    "I build": {
        "Profile a model of your own": "profile.html",
        "What should I use?": "use.html",
        "Code to take": "code-to-take.html",
        "Your own model, data or claim": "bring-your-own.html",
        "Run it": "run-it-yourself.html",
    },
    "I doubt a claim": {
        "Every claim, with what would decide it": "claims.html",
        "All findings on one page": "findings.html",
        "Where we depart from the papers": "differences.html",
        "What made the tables": "provenance.html",
    },
}
#: What a verdict means for who has never seen one.
MEANS: Mapping[str, str] = {
    "reproduced": "the effect was seen: at least half as large as reported",
    "not reproduced": "less than half as large, or reversed. The paper need not be wrong",
    "undecided": "more runs would tell",
    "beyond these data": "more patients, languages or tables would tell",
    "not testable here": "these models do not meet a condition of the sentence",
}


def how_much(scale: str) -> str:
    """How many texts and runs, in a line."""
    entries = [entry for name in STUDIES if (entry := read_manifest(name).get(scale))]
    runs, hours = sum(each["trials"] for each in entries), sum(each["minutes"] for each in entries) / 60
    behind = f": {runs:,} runs, {hours:,.0f} hours" if entries else ""
    return f"Five texts, run again with small models{behind}."


def size_box(known: Known) -> PageHTML:
    """A box: the sizes of the models, and how many sentences of the papers have which verdict, and what it means."""
    weights = pd.concat([results.trials["parameters"] for results in known.opened.values()]).dropna().astype(float)
    counts = counted(known.claims, own=False)
    size = (
        f"Half of the networks have fewer than {_rounded(weights.median())} weights, and 99 in 100 fewer than "
        f"{_rounded(weights.quantile(0.99))}. The papers’ are often hundreds of times larger and trained for longer. "
        "Every verdict holds at the size beside it."
    )
    tested = f"Of {sum(counts.values())} sentences of the papers, after a correction for the number of claims:"
    kept = {verdict: count for verdict, count in counts.items() if count}
    badges = "".join(
        f"<li>{verdict_badge(verdict, f'{count} {verdict}')} <span>{MEANS[verdict]}</span></li>"
        for verdict, count in kept.items()
    )
    box = (
        f'<section class="size-box" aria-label="At what size"><p><strong>Small models.</strong> {html.escape(size)}</p>'
        f"<p>{tested}</p><ul>{badges}</ul></section>"
    )
    said = "; ".join(f"{count} {verdict}: {MEANS[verdict]}" for verdict, count in kept.items())
    return PageHTML(box, f"Small models. {size} {tested} {said}")


def doors() -> PageHTML:
    """Four boxes of links, one for each kind of reader."""
    boxes = "".join(
        f'<section class="door"><h3>{html.escape(reader)}</h3><ul>'
        + "".join(f'<li><a href="{page}">{html.escape(words)}</a></li>' for words, page in links.items())
        + "</ul></section>"
        for reader, links in DOORS.items()
    )
    text = "\n".join(f"{reader}: {', '.join(links)}" for reader, links in DOORS.items())
    return PageHTML(f'<nav class="doors" aria-label="Where to go">{boxes}</nav>', text)


def own_facts(claims: pd.DataFrame) -> str:
    """How many of our own questions came out how, corrected for their number, and how many claims are not counted."""
    counts, again = counted(claims, own=True), len(claims) - claims["primary"].sum()
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return (
        f"{sum(counts.values())} claims are questions of our own, and counted apart: {said}. {again} more claims "
        "look at one of these sentences again, in another way, and are not counted."
    )


def _rounded(weights: float) -> str:
    """``18,000`` or ``0.9 million``."""
    if weights >= 5e5:
        return f"{weights / 1e6:.1f} million"
    return f"{round(weights, -3):,.0f}"
