"""What the first page says, made from all results: how much was done, a card a part, and every claim as a tile."""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from inductive_bias.notebook import shown
from inductive_bias.plotting import ShownClaim, apart, claim_groups, mosaic, verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.strips import seed_strip
from inductive_bias.plotting.tables import VERDICT_CLASSES
from inductive_bias.protocols.measures.shifted import BEYOND
from inductive_bias.record.chapters import parts
from inductive_bias.record.claims import WHOSE, counted
from inductive_bias.studies import STUDIES, agreement, shift, signal_models, vision
from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.results import Results
from inductive_bias.studies.truncation.design import ERRORS, TANH_TRAINED, TEXT
from inductive_bias.studies.truncation.figures import windows_of

#: Where a reader may go from the first page.
WAYS = {
    "Start": "vision/convolution.html",
    "Play with a recurrence": "attention/rem.html#move-it",
    "All claims": "claims.html",
    "Run it": "run-it-yourself.html",
}


@dataclass(frozen=True)
class Card:
    """A part of the book on the first page: what it asks, what came out in a line, and a picture of it."""

    question: str
    answer: str
    study: str
    picture: Callable[[Results], str]


def _loan(results: Results) -> str:
    names = {"MLP": vision.design.TWIN, "taught by a CNN": vision.design.TAUGHT, "CNN": vision.design.CNN}
    rows = {name: _numbers(results, "accuracy", split="translate", **cell) for name, cell in names.items()}
    return seed_strip(rows, limits=(0.0, 1.0), words="shifted digits read")


def _ladder(results: Results) -> str:
    words = dict(zip(agreement.design.LADDER, ("Transformer", "one direction", "one block", "LSTM"), strict=True))
    at = dict(zip(("split", "metric"), agreement.measures.MEASURES[agreement.measures.A_ACC], strict=True))
    rows = {word: _numbers(results, **at, **agreement.design.cell(model)) for model, word in words.items()}
    return seed_strip(rows, limits=(0.3, 1.0), words="agreement, A-acc")


def _signal(results: Results) -> str:
    at = {"split": "test", "rho": 1.0, "samples": results.design.levels(results.scale)["samples"][1]}
    kinds = {"attention": signal_models.TWIN, "with recurrence": signal_models.RSA}
    rows = {word: _numbers(results, "excess_error", **at, **kind._asdict()) for word, kind in kinds.items()}
    return seed_strip(rows, limits=(0.0, 1.0), words="error, few sequences")


def _windows(results: Results) -> str:
    found = windows_of(results, TANH_TRAINED, inputs=TEXT, error=ERRORS[1])
    rows = {f"λ ≤ {limit}": numbers for limit, numbers in found.items()}
    return seed_strip(rows, limits=(0.0, max(map(max, rows.values()), default=1.0)), words="characters needed")


def _far(results: Results) -> str:
    models = {"Transformer": shift.design.TWIN, "with recurrence": shift.design.RSA, "LSTM": shift.design.LSTM}
    rows = {word: shift.measures.far(results, model, BEYOND).dropna().tolist() for word, model in models.items()}
    return seed_strip(rows, limits=(0.4, 1.0), words="parity, long words")


def _numbers(results: Results, metric: str, **at: object) -> list[float]:
    return results.values(metric, **at).dropna().tolist()


#: By part of the book. The answers are ours to write; verdicts and pictures beside them come from the results.
CARDS = {
    "Transferring a bias by distillation": Card(
        "Can a network learn an inductive bias from the answers of another network?",
        "In part. A perceptron that a convolutional network has taught reads more shifted digits, and stays behind its "
        "teacher.",
        "vision",
        _loan,
    ),
    "Recurrence in language": Card(
        "Does recurrence improve subject–verb agreement, and can a Transformer learn it from a teacher?",
        "A teacher can harm: an LSTM that a bidirectional Transformer has taught agrees less well than one that an "
        "LSTM has taught.",
        "agreement",
        _ladder,
    ),
    "Recurrence inside attention": Card(
        "Can a recurrent network be written as attention, and does recurrence improve attention?",
        "Exactly, if it is linear. Other recurrent networks lose much if they are written as such heads of attention.",
        "signal_vs_samples",
        _signal,
    ),
    "Stable recurrent networks": Card(
        "When can a network with a short window replace a recurrent network?",
        "When it is stable: then a window of its last inputs is enough. Trained without that bound, an RNN or an LSTM "
        "still needs little more than its last inputs.",
        "truncation",
        _windows,
    ),
    "Automata and real data": Card(
        "Can a few layers of attention do the work of a recurrent network?",
        "An LSTM does its work with one layer, for every automaton here. The chapters say for which of them attention "
        "does, with how many layers, and how far beyond the lengths it has seen.",
        "shift",
        _far,
    ),
}


def shown_claims(claims: pd.DataFrame) -> list[ShownClaim]:
    """Claims of the table as a page at the root of the site shows them."""
    known = {claim.id: (claim, study.part) for study in STUDIES.values() for claim in study.claims}
    rows = zip(*(claims[name] for name in ("claim", "finding", "regime", "fragile")), strict=True)
    return [
        shown(claim, finding, regime, part=part, page=f"{claim.page}.html", fragile=bool(fragile))
        for (claim, part), finding, regime, fragile in ((known[name], *rest) for name, *rest in rows)
    ]


def facts(claims: pd.DataFrame, scale: str) -> str:
    """How many of the papers' sentences came out how, corrected for their number, and the runs and hours behind."""
    counts = counted(claims, own=False)
    entries = [entry for name in STUDIES if (entry := read_manifest(name).get(scale))]
    runs, hours = sum(each["trials"] for each in entries), sum(each["minutes"] for each in entries) / 60
    behind = f" Behind them stand {runs:,} trained networks and {hours:.0f} hours of computing." if entries else ""
    return (
        f"{sum(counts.values())} sentences of the papers were put to the test: {_in_words(counts)}. A verdict counts "
        f"only if it survives a correction for the number of claims.{behind}"
    )


def own_facts(claims: pd.DataFrame) -> str:
    """How many of our own questions came out how, corrected for their number, and how many claims are not counted."""
    counts, again = counted(claims, own=True), len(claims) - claims["primary"].sum()
    return (
        f"{sum(counts.values())} questions are our own, and counted apart: {_in_words(counts)}. {again} more claims "
        "look at one of these sentences again, in another way, and are not counted."
    )


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def ways() -> PageHTML:
    """The links that a reader most likely wants next."""
    links = "".join(f'<a class="way" href="{page}">{html.escape(words)}</a>' for words, page in WAYS.items())
    return PageHTML(f'<nav class="ways" aria-label="Where to go">{links}</nav>', " · ".join(WAYS))


def part_cards(claims: pd.DataFrame, opened: Mapping[str, Results]) -> PageHTML:
    """A card a part: question, answer, picture, and how many verdicts of each kind, counted as in :func:`facts`."""
    drawn, words = [], []
    own_part = claims["study"].map({name: study.part for name, study in STUDIES.items()})
    for part, card in CARDS.items():
        counts = {whose: counted(claims[own_part == part], own=own) for own, whose in WHOSE.items()}
        chips = "".join(map(_chips, counts, counts.values()))
        first = parts()[part][0].path
        drawn.append(
            f'<section class="card-part"><h3><a href="{first}.html">{html.escape(part)}</a></h3>'
            f'<p class="asked">{html.escape(card.question)}</p>{card.picture(opened[card.study])}'
            f"<p>{html.escape(card.answer)}</p>{chips}</section>"
        )
        said = "; ".join(f"{whose}: {_in_words(each)}" for whose, each in counts.items() if any(each.values()))
        words.append(f"{part}. {card.question} {card.answer} {said}")
    return PageHTML(f'<div class="cards-parts">{"".join(drawn)}</div>', "\n".join(words))


def _chips(whose: str, counts: Mapping[str, int]) -> str:
    """How many verdicts of each kind, as badges under the words that say whose claims they are; nothing without any."""
    badges = [verdict_badge(verdict, f"{count} {verdict}") for verdict, count in counts.items() if count]
    items = "".join(f"<li>{each}</li>" for each in badges)
    return f'<p class="whose">{whose.capitalize()}</p><ul class="chips">{items}</ul>' if badges else ""


def claim_browser(claims: pd.DataFrame) -> PageHTML:
    """Every claim as a box, and lists to choose from: parts of the book, whose, verdicts. A script of the page hides.

    Without the script all boxes stay, and the lists are not shown.
    """
    every = shown_claims(claims)
    boxes, used = claim_groups(every), {each.verdict for each in every}
    lists = {
        "part": dict.fromkeys(each.part for each in every),
        "whose": apart(every),
        "verdict": [verdict for verdict in VERDICT_CLASSES if verdict in used],
    }
    chosen = "".join(
        f'<label>{name.capitalize()} <select data-filter="{name}"><option value="">all</option>'
        + "".join(f"<option>{html.escape(each)}</option>" for each in levels)
        + "</select></label> "
        for name, levels in lists.items()
    )
    form = f'<form class="claim-filter" hidden>{chosen}<output role="status">{len(every)} claims</output></form>'
    return PageHTML(form + boxes.html, boxes.text)


def claim_mosaic(claims: pd.DataFrame) -> PageHTML:
    """Every claim as a tile that leads to its chapter."""
    return mosaic(shown_claims(claims))
