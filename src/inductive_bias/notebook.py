"""What every notebook of the book needs: its study's results, a refusal of unknown parameters, its claims' verdicts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import pandas as pd

from inductive_bias import formatting, paths, plotting
from inductive_bias.errors import SettingError
from inductive_bias.plotting.page import PageHTML
from inductive_bias.studies import STUDIES, study_named
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import DECIDED, Contrast, Judgement

PARAMETERS = ("scale", "device")
#: The scale that is published, and of which the regimes of claims are true.
PUBLISHED = "laptop"
#: The largest p of a verdict that survives the correction for the number of claims: made by
#: ``inductive-bias tables`` from all of them, so that a chapter need not judge the others.
SURVIVING = "surviving_p.csv"
#: Up to so many runs a box says what so few runs mean.
FEW = 4
#: The chance of what one run in five does not do.
_NOT_ONE_IN_FIVE = 0.8
#: What a sentence shows for a number that a smaller or larger scale has no runs for.
NO_NUMBER = "–"
#: How a number fails that has no runs: no such cell or row, a claim that cannot be tested, an effect that is none.
_NOT_THERE = (LookupError, ValueError, SettingError, AttributeError, TypeError, StopIteration)
#: The kind of output that MyST-NB takes out of the page, for its sentences to show.
_GLUE = "application/papermill.record/"
_COUNTS = {1: "one run", 2: "two runs", 3: "three runs", 4: "four runs"}


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


def claim_boxes(results: Results, page: str, ids: Sequence[str] | None = None) -> PageHTML:
    """The claims that have their place on a page, judged: a box each, with the paper's words beside what was found.

    Args:
        results: of the study that makes the claims.
        page: the path of the notebook in the book, ``vision/distillation``.
        ids: only these claims, in this order; all of the page's if None.

    Raises:
        SettingError: if the page has no claims, or not that one.
    """
    return plotting.claim_boxes(_judged(results, page, ids))


def verdict_chips(results: Results, page: str) -> PageHTML:
    """The verdicts of a page in a line; each leads to its box further down.

    Raises:
        SettingError: if the page has no claims.
    """
    return plotting.verdict_chips(_judged(results, page))


def _judged(results: Results, page: str, ids: Sequence[str] | None = None) -> list[plotting.ShownClaim]:
    claims = {claim.id: claim for claim in study_named(results.study).claims_on(page)}
    if unknown := [name for name in ids or () if name not in claims] or ([] if claims else ["at all"]):
        raise SettingError(f"page {page!r} has no claim {unknown[0]} of {results.study!r}; it has {', '.join(claims)}")
    judged = _shown_on(results, page)
    return [judged[name] for name in (claims if ids is None else ids)]


def in_text(results: Results | None, **numbers: Callable[[], str]) -> None:
    """Numbers that a page's sentences show: ``{glue:text}`lead` `` in its prose is what ``lead`` gives here.

    So no result is typed into a sentence. The cell that calls this has the tag ``remove-cell``.

    Args:
        results: of the study, or None if the page has no study; at the published scale every number must be there.
        numbers: by name, what makes the words.

    Raises:
        LookupError: at the published scale, if there is no such number; other errors of what makes it as well.
    """
    from IPython.display import display

    for name, make in numbers.items():
        try:
            words = make()
        except _NOT_THERE:
            if results is None or results.scale == PUBLISHED:
                raise
            words = NO_NUMBER
        about = {"scrapbook": {"name": name, "mime_prefix": _GLUE}}
        display({f"{_GLUE}text/plain": repr(str(words))}, metadata=about, raw=True)


def finding(results: Results, claim: str) -> Finding:
    """What a claim's rule finds, made once per page: its boxes ask for it as well.

    Raises:
        KeyError: if the study has no such claim.
    """
    known = {each.id: each for each in study_named(results.study).claims}
    return _found(results, known[claim])


@lru_cache(maxsize=32)
def _found(results: Results, claim: Claim) -> Finding:
    return claim.judge(results)


def contrasts(judgement: Judgement) -> Iterator[tuple[Judgement, Contrast]]:
    """Contrasts of a judgement with the part that judges each: the parts first, since they name one side alone."""
    for part in judgement.parts:
        yield from contrasts(part)
    for side in (judgement.holds, judgement.fails):
        if side is not None:
            yield judgement, side.deciding


def contrast_of(results: Results, claim: str, name: str = "") -> Contrast:
    """The contrast of a claim's judgement that has this name; the first of all if the name is empty.

    Raises:
        KeyError: if there is none, with the names that there are.
    """
    found = [each for _, each in contrasts(finding(results, claim).judgement)]
    named = [each for each in found if name in ("", each.name.replace("\u00a0", " "))]
    if not named:
        raise KeyError(f"claim {claim} has no contrast {name!r}; it has {', '.join(each.name for each in found)}")
    return named[0]


def with_interval(contrast: Contrast, digits: int = 2) -> str:
    """``1.67 [1.47, 1.88]``: an effect with its 95 % interval, without a place for a line to break."""
    return formatting.with_interval(contrast.estimate, contrast.low, contrast.high, digits)


@lru_cache(maxsize=4)
def _shown_on(results: Results, page: str) -> Mapping[str, plotting.ShownClaim]:
    """Of a page's claims, by id: judging may take seconds, and a page shows the verdicts twice."""
    claims = study_named(results.study).claims_on(page)
    found = {claim: _found(results, claim) for claim in claims}
    counted = results.scale == PUBLISHED and results.study in STUDIES
    fragile = {claim: counted and is_fragile(found[claim].judgement, surviving_p()) for claim in claims}
    return {claim.id: shown(claim, found[claim], regime_of(claim, results), fragile=fragile[claim]) for claim in claims}


def surviving_p() -> float:
    """The largest p that survives the correction for the number of claims; 1 where nobody has computed it."""
    file = paths.published(SURVIVING)
    return float(pd.read_csv(file, comment="#")["p"].iloc[0]) if file.is_file() else 1.0


def is_fragile(judgement: Judgement, limit: float) -> bool:
    """Whether a verdict is decided alone, and open after the correction whose largest surviving p is the limit."""
    return judgement.verdict in DECIDED and not judgement.p <= limit


def shown(
    claim: Claim, finding: Finding, regime: str, *, part: str = "", page: str = "", fragile: bool = False
) -> plotting.ShownClaim:
    """A claim and what was found, as a page shows it.

    Args:
        claim: with its statement.
        finding: of its rule.
        regime: of :func:`regime_of`.
        part: of the book.
        page: address of its chapter; empty within that chapter.
        fragile: see :class:`~inductive_bias.plotting.ShownClaim`.
    """
    return plotting.ShownClaim(
        claim.id,
        claim.statement,
        claim.word(finding),
        claim.paper,
        effect_text(finding.shown),
        claim.source,
        "; ".join(filter(None, [finding.judgement.reason, finding.note])),
        part,
        page,
        regime,
        few_runs(finding.judgement),
        claim.own,
        fragile,
    )


def regime_of(claim: Claim, results: Results) -> str:
    """The size at which a verdict was found: in the claim's words at the published scale, else in the study's."""
    if results.scale == PUBLISHED and claim.regime:
        return claim.regime_at(results)
    size = study_named(results.study).sizes.get(results.scale)
    return "; ".join(filter(None, [size.models, size.data])) if size else ""


def few_runs(judgement: Judgement) -> str:
    """What a verdict by so few runs cannot see; nothing if there are more, or a single run that was found decides."""
    deciding = judgement.deciding
    found = judgement.verdict in DECIDED and judgement.p == 0
    if deciding is None or deciding.n > FEW or found:
        return ""
    unseen = 100 * _NOT_ONE_IN_FIVE**deciding.n
    return f"With {_COUNTS[deciding.n]}, an outcome that one run in five has is missed in {unseen:.0f} % of all cases."


def effect_text(effect: Contrast | None) -> str:
    """``+0.137 [+0.110, +0.164] accuracy``; a dash where nothing could be measured."""
    return "–" if effect is None else f"{effect} {effect.unit}"
