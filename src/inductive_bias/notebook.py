"""What every notebook of the book needs: its study's results, a refusal of unknown parameters, its claims' verdicts."""

from collections.abc import Mapping, Sequence

import pandas as pd

from inductive_bias import plotting
from inductive_bias.errors import SettingError
from inductive_bias.studies import study_named
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

PARAMETERS = ("scale", "device")


def open_study(name: str, namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> Results:
    """The study's results for the notebook's parameters, and the book's plotting style.

    ``namespace`` is the notebook's ``globals()``: papermill only warns of a parameter that the notebook does not have,
    so that a misspelt one would silently change nothing.

    Raises:
        SettingError: unknown study, scale, device or parameter.
    """
    refuse_unknown(namespace)
    plotting.use_book_style()
    return study_named(name).results(scale, device=device)


def refuse_unknown(namespace: Mapping[str, object], known: tuple[str, ...] = PARAMETERS) -> None:
    """Refuse plain values in the notebook's namespace that are not among its ``known`` parameters.

    Raises:
        SettingError: naming them.
    """
    plain = (str, int, float, bool, list, tuple, dict, type(None))
    unknown = {
        key: value
        for key, value in namespace.items()
        # In, Out, _dh … are IPython's own
        if not key.startswith("_") and key not in ("In", "Out", *known) and isinstance(value, plain)
    }
    if unknown:
        listed = ", ".join(f"{key}={value!r}" for key, value in unknown.items())
        raise SettingError(f"unknown parameter {listed}; this notebook knows {', '.join(known)}")


def claim_table(
    results: Results, page: str, ids: Sequence[str] | None = None, *, caption: str = "", note: bool = True
) -> plotting.PageTable:
    """Verdict, effect and 95 % interval of the claims that have their place on a page, beside the paper's words.

    Args:
        results: of the study that makes the claims.
        page: the path of the notebook in the book, ``vision/distillation``.
        ids: only these claims, in this order; all of the page's if None.
        caption: above the table.
        note: whether the finding's explanation follows the effect; a chapter shows it, an overview need not.

    Raises:
        SettingError: if the page has no claims, or not that one.
    """
    claims = {claim.id: claim for claim in study_named(results.study).claims_on(page)}
    if unknown := [name for name in ids or () if name not in claims] or ([] if claims else ["at all"]):
        raise SettingError(f"page {page!r} has no claim {unknown[0]} of {results.study!r}; it has {', '.join(claims)}")
    rows = []
    for claim in (claims[name] for name in (claims if ids is None else ids)):
        finding = claim.rule(results)
        found = [finding.judgement.reason, finding.note] if note else [effect_text(finding.shown)]
        rows.append(
            {"claim": claim.id, "statement": claim.statement, "paper": claim.paper,
             "found": "; ".join(filter(None, found)), "verdict": claim.word(finding)}
        )  # fmt: skip
    return plotting.display_table(pd.DataFrame(rows), caption, index=False)


def effect_text(effect: Contrast | None) -> str:
    """``+0.137 [+0.110, +0.164] accuracy``; a dash where nothing could be measured."""
    return "–" if effect is None else f"{effect} {effect.unit}"
