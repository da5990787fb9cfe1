"""Numbers that pages about the whole book put into sentences: means of cells, and the contrasts that rules judged."""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from inductive_bias.errors import SettingError
from inductive_bias.formatting import decimals as decimals
from inductive_bias.formatting import percent as percent
from inductive_bias.notebook import contrasts as contrasts
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.verdicts import Contrast, Judgement

T = TypeVar("T")
#: What stands in place of a sentence whose runs a scale does not have.
NOT_YET = "At this scale there are no runs to tell."
#: A link in a sentence that a function writes: ``[words](page.html)``.
_LINK = re.compile(r"\[([^]]+)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Known:
    """What a sentence may take its numbers from.

    Attributes:
        opened: results by study.
        claims: table of :func:`~inductive_bias.record.all_claims`.
    """

    opened: Mapping[str, Results]
    claims: pd.DataFrame

    def judgement(self, claim: str) -> Judgement:
        """Judgement of a claim.

        Raises:
            KeyError: if there is no such claim.
        """
        rows = self.claims[self.claims["claim"] == claim]
        if rows.empty:
            raise KeyError(f"no claim {claim!r} among {len(self.claims)}")
        return rows["finding"].iloc[0].judgement

    def part(self, claim: str, name: str = "", unit: str = "") -> tuple[Judgement, Contrast]:
        """The first part of a claim's judgement whose contrast has this name and unit, with that contrast.

        Args:
            claim: the id.
            name: of the contrast; any if empty.
            unit: of the contrast; any if empty.

        Raises:
            KeyError: if there is none, with the names and units that there are.
        """
        found = [*contrasts(self.judgement(claim))]
        for judgement, contrast in found:
            # names have spaces at which no line may break
            if name in ("", contrast.name.replace("\u00a0", " ")) and unit in ("", contrast.unit):
                return judgement, contrast
        there = "; ".join(f"{each.name} ({each.unit})" for _, each in found)
        raise KeyError(f"claim {claim} has no contrast {name!r} ({unit}); it has {there}")

    def estimate(self, claim: str, name: str = "", unit: str = "") -> float:
        """Estimate of :meth:`part`."""
        return self.part(claim, name, unit)[1].estimate

    @property
    def published(self) -> bool:
        """Whether all results are those of the published scale, so that every sentence has its numbers."""
        return all(results.scale == PUBLISHED for results in self.opened.values())

    def told(self, make: Callable[["Known"], T]) -> T | None:
        """What ``make`` gives; None where a smaller or larger scale has no runs for it.

        Raises:
            LookupError: at the published scale, where every number must be there; other errors of ``make`` as well.
        """
        try:
            return make(self)
        except (LookupError, ValueError, SettingError):
            if self.published:
                raise
            return None

    def mean(self, study: str, metric: str, **at: object) -> float:
        """Mean over the runs of a cell."""
        return float(self.opened[study].values(metric, **at).mean())


def as_html(words: str) -> str:
    """A sentence with links in it, escaped."""
    return _LINK.sub(r'<a href="\2">\1</a>', html.escape(words, quote=False))


def as_text(words: str) -> str:
    """A sentence with the words of its links."""
    return _LINK.sub(r"\1", words)
