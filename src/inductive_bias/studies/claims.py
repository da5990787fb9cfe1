"""A sentence of a paper that can fail, and what was found. The rules themselves are written in ``verdicts``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inductive_bias.errors import NoRunsError
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.verdicts import OWN_WORDS, Asked, Contrast, Judgement, Verdict, after_looks, at_look, untestable


def in_words(*contrasts: Contrast, units: bool = False) -> str:
    """Contrasts that are looked at beside the deciding one, each with its interval, and with its unit if wanted."""
    return "; ".join(f"{each.name} {each} {each.unit}" if units else f"{each.name} {each}" for each in contrasts)


def after_published_looks(results: Results, judgement: Judgement, looks: Sequence[int]) -> Judgement:
    """:func:`~inductive_bias.verdicts.after_looks` for published results; at another scale nobody has looked yet.

    Args:
        results: that are judged.
        judgement: by all runs.
        looks: how many runs there were at each look; equal neighbours are one look, and one look costs nothing.
    """
    different = tuple(dict.fromkeys(looks))
    return after_looks(judgement, different) if results.scale == PUBLISHED and len(different) > 1 else judgement


def at_published_look(results: Results, judgement: Judgement, runs: int, looks: Sequence[int]) -> Judgement:
    """:func:`~inductive_bias.verdicts.at_look` for published results; at another scale nobody has looked yet."""
    return at_look(judgement, runs, looks) if results.scale == PUBLISHED else judgement


@dataclass(frozen=True)
class Finding:
    """What a rule found: its judgement, the contrast that is shown for it, and what else was looked at.

    Attributes:
        judgement: the verdict with its p, the seeds that would decide, and why.
        effect: the contrast to show; the deciding one if None.
        note: further numbers in words.
    """

    judgement: Judgement
    effect: Contrast | None = None
    note: str = ""

    @property
    def shown(self) -> Contrast | None:
        """The contrast that stands beside the verdict; None where nothing could be measured."""
        return self.effect if self.effect is not None else self.judgement.deciding

    @property
    def asked(self) -> Asked | None:
        """What is asked of the effect; of the part that decides if nothing is, None where no part has a size."""
        found = self.judgement.asked
        return next((each for each in found if each.contrast is self.effect), found[0] if found else None)


@dataclass(frozen=True)
class Claim:
    """One falsifiable sentence.

    Attributes:
        id: short and stable, such as ``V1``.
        page: on which it has its place, ``vision/distillation``.
        source: paper and section; something that a reader can open.
        statement: in our words.
        paper: what the paper reports, as text for the table.
        rule: from the results to the finding; written, with its margins, before the runs that it judges.
        own: a question that no paper asks. Its verdict is *confirmed* or *refuted*, and counted apart.
        primary: the one claim of its sentence that is corrected for the number of claims; others look at it again.
        regime: at what size the published verdict was found: ``width 64, words of 16 actions``. Where the paper's sizes
            are within a factor of two of ours it begins with ``at the paper's size``. A page never shows the verdict
            without it. A function takes it from the results.
        headline: one of the few claims that carry the book's answers; these are corrected for each other by Holm.
    """

    id: str
    page: str
    source: str
    statement: str
    paper: str
    rule: Callable[[Results], Finding]
    own: bool = False
    primary: bool = True
    regime: str | Callable[[Results], str] = ""
    headline: bool = False

    def judge(self, results: Results) -> Finding:
        """What the rule finds; *not testable here* where it asks for cells that have no run at this scale yet."""
        try:
            return self.rule(results)
        except NoRunsError as error:
            return Finding(untestable(str(error)))

    def regime_at(self, results: Results) -> str:
        """The sizes at which the claim was judged, in words; empty if no run was judged, or the claim names no size."""
        try:
            return self.regime if isinstance(self.regime, str) else self.regime(results)
        except NoRunsError:
            return ""

    def word(self, finding: Finding) -> str:
        """The verdict as a page shows it."""
        return self.words(finding.judgement.verdict)

    def words(self, verdict: Verdict) -> str:
        """A verdict in the words that fit a sentence of a paper, or a question of our own."""
        return OWN_WORDS[verdict] if self.own else verdict
