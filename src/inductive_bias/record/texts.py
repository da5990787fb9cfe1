"""The five texts behind the book: the chapters and claims of each, its claims as a list, and how to cite it."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.notebook import open_study, shown
from inductive_bias.notebook import regime_of as size_of
from inductive_bias.plotting import ShownClaim, seen_at, verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.chapters import chapter_numbers, chapters, link_to, title_of
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.results import Results
from inductive_bias.studies.study import Page
from inductive_bias.verdicts import OWN_WORDS, VERDICTS

#: Claims of a text: its sentences, further looks at one of them, and our own questions.
GROUPS = SENTENCES, AGAIN, OWN = "sentences", "again", "own"
#: What the author of the fifth text reported after the plan, see the file's header.
REPORT = Path(__file__).with_name("parent_report.csv")


@dataclass(frozen=True)
class Text:
    """One of the five texts, and what of the book is about it.

    Attributes:
        number: 1 to 5.
        key: short, for addresses: ``claims.html?text=rsa``.
        title: as it was published.
        author: the first author and the year.
        page: of the book, in a folder of its own: ``texts/distilling``.
        works: keys in ``references.bib``, the text first, then the paper behind it.
        chapters: beginnings of the paths of the chapters that test it.
        named: a source of a claim that begins so is this text's, on whatever page the claim stands.
    """

    number: int
    key: str
    title: str
    author: str
    page: str
    works: tuple[str, ...]
    chapters: tuple[str, ...]
    named: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Title and author in a line."""
        return f"{self.title} ({self.author})"

    @property
    def address(self) -> str:
        """The address of the page about this text, seen from the root of the site."""
        return f"{self.page}.html"

    def has(self, page: str) -> bool:
        """Whether a chapter is about this text."""
        return page.startswith(self.chapters)


TEXTS = (
    Text(
        1,
        "bias",
        "Recurrent Inductive Bias",
        "Abnar 2020",
        "texts/recurrent-bias",
        ("abnar2020recurrent", "abnar2020"),
        ("recurrence/bias", "recurrence/ladder"),
    ),
    Text(
        2,
        "rsa",
        "Encoding Recurrence into Transformers",
        "Huang 2023",
        "texts/encoding-recurrence",
        ("huang2023",),
        ("attention/",),
        ("Huang et al. 2023",),
    ),
    Text(
        3,
        "stability",
        "When Recurrent Models Don’t Need to be Recurrent",
        "Miller 2018",
        "texts/recurrent-models",
        ("miller2018", "miller2019"),
        ("stability/",),
    ),
    Text(
        4,
        "distilling",
        "Distilling Inductive Biases",
        "Abnar 2020",
        "texts/distilling",
        ("abnar2020distilling", "abnar2020"),
        (
            "vision/",
            "recurrence/inheritance",
            "recurrence/representations",
            "recurrence/grammar",
            "recurrence/perplexity",
            "recurrence/opinions",
        ),
    ),
    Text(
        5,
        "automata",
        "How do transformers implement recurrence?",
        "Parent 2023",
        "texts/transformers-and-rnns",
        ("parent2023", "parent2023report", "liu2023"),
        ("automata/",),
        ("Parent 2023",),
    ),
)


def text_of(claim: Claim) -> Text | None:
    """The text that a claim is about: the one that its source names, else the one of its chapter; None if it has none.

    Chapters whose questions are all the book's own may belong to no text.
    """
    named = (text for text in TEXTS if text.named and claim.source.startswith(text.named))
    about = (text for text in TEXTS if text.has(claim.page))
    return next(chain(named, about), None)


def claims_of_text(number: int) -> dict[str, list[Claim]]:
    """The claims of a text by the study that judges them, in the order of the studies."""
    text = TEXTS[number - 1]
    found = {name: [each for each in study.claims if text_of(each) is text] for name, study in STUDIES.items()}
    return {name: claims for name, claims in found.items() if claims}


def chapters_of_text(number: int) -> list[Page]:
    """The chapters that are about a text, in the order of the book."""
    return [page for page in chapters() if TEXTS[number - 1].has(page.path)]


def open_text(number: int, namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> dict[str, Results]:
    """Results of every study that judges a claim of the text, by name; see :func:`inductive_bias.notebook.open_study`.

    Raises:
        SettingError: unknown scale, device or parameter.
    """
    return {name: open_study(name, namespace, scale=scale, device=device) for name in claims_of_text(number)}


def judged_claims(number: int, opened: Mapping[str, Results]) -> dict[str, list[ShownClaim]]:
    """The claims of a text with their verdicts, by :data:`GROUPS`, with addresses as the text's page sees them.

    Every verdict is that of the claim alone: the correction for the number of claims needs all of the book's.
    """
    found: dict[str, list[ShownClaim]] = {group: [] for group in GROUPS}
    for name, claims in claims_of_text(number).items():
        for claim in claims:
            group = OWN if claim.own else SENTENCES if claim.primary else AGAIN
            finding, size = claim.judge(opened[name]), size_of(claim, opened[name])
            found[group].append(shown(claim, finding, size, page=f"../{claim.page}.html"))
    return found


def text_facts(judged: Mapping[str, Sequence[ShownClaim]]) -> str:
    """How many sentences of a text came out how, and how many questions of our own beside them."""
    parts = []
    for group, whose in ((SENTENCES, "Sentences that were tested"), (OWN, "Our own questions beside them")):
        words = [each.verdict for each in judged[group]]
        names = (OWN_WORDS[verdict] if group == OWN else verdict for verdict in VERDICTS)
        counts = ", ".join(f"{words.count(name)} {name}" for name in names if name in words)
        parts += [f"{whose}: {len(words)} ({counts})."] if words else []
    return " ".join(parts)


def claim_lines(claims: Sequence[ShownClaim]) -> PageHTML:
    """Claims as a list: verdict, the sentence with a link to its chapter, both numbers, and the size."""
    return PageHTML(
        f'<div class="corrections">{"".join(map(_line, claims))}</div>',
        "\n".join(f"{each.claim} · {each.statement} {each.judged}. Here: {each.found}" for each in claims),
    )


def _line(claim: ShownClaim) -> str:
    e = html.escape
    said = f"In the text: {e(claim.paper.removesuffix(chr(46)))}. " if claim.paper and not claim.own else ""
    here = f"Here: {e(claim.found)}" if claim.found != "–" else ""  # nothing could be measured
    return (
        f'<div class="correction"><p>{verdict_badge(claim.verdict)} <span class="regime">{e(seen_at(claim.regime))}'
        f'</span></p><p><a href="{e(claim.anchor)}">{e(claim.statement)}</a> ({e(claim.claim)})</p>'
        f'<p class="regime">{said}{here}</p></div>'
    )


def text_chapters(number: int) -> pd.DataFrame:
    """One row a chapter of a text: ``chapter``, a link by its number and title, and ``the question behind it``."""
    numbers = chapter_numbers()
    return pd.DataFrame(
        {
            "chapter": link_to(f"../{page.path}", f"{numbers[page.path]}. {title_of(page.path)}"),
            "the question behind it": page.question.replace("*", ""),
        }
        for page in chapters_of_text(number)
    )


def citations(number: int) -> PageHTML:
    """The BibTeX entries of a text and of the paper behind it, as the book's bibliography has them."""
    entries = "\n\n".join(_entries()[key] for key in TEXTS[number - 1].works)
    return PageHTML(f'<div class="cite-this"><pre>{html.escape(entries)}</pre></div>', entries)


@cache
def _entries() -> dict[str, str]:
    """Every entry of the bibliography, by its key."""
    text = (paths.home() / "book" / "references.bib").read_text("utf8")
    return {found[1]: found[0] for found in re.finditer(r"@\w+\{(\w+),\n.*?\n\}", text, flags=re.DOTALL)}


def reported_by_parent() -> pd.DataFrame:
    """The tables of the report that followed the plan: ``experiment, model, rmse, seconds, parameters``."""
    return pd.read_csv(REPORT, comment="#")
