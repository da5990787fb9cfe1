"""All claims of all studies with their verdicts, and what the correction for their number leaves of them."""

import html
from collections.abc import Callable, Mapping

import pandas as pd

from inductive_bias.notebook import effect_text, is_fragile, open_study, regime_of
from inductive_bias.plotting import seen_at, verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.chapters import chapter_of
from inductive_bias.record.judging import judge, judged_once
from inductive_bias.studies import STUDIES
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import DECIDED, OWN_WORDS, VERDICTS, corrected

#: Whose claims are, by the column ``own``, the papers' first.
WHOSE = {False: "sentences of the papers", True: "our own questions"}
_SHORT = {False: "papers", True: "our own"}


def open_studies(namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> dict[str, Results]:
    """Every study's results by name; see :func:`inductive_bias.notebook.open_study`.

    Raises:
        SettingError: unknown scale, device or parameter.
    """
    return {name: open_study(name, namespace, scale=scale, device=device) for name in STUDIES}


def all_claims(opened: Mapping[str, Results], *, stored: bool = False) -> pd.DataFrame:
    """Every claim of the opened studies, judged: one row a claim, in the order of the studies.

    Args:
        opened: results by study.
        stored: whether findings may come from the user cache, see
            :func:`~inductive_bias.record.judging.judged_once`: pages ask so, since judging takes half a minute.

    Returns:
        Columns ``study, claim, statement, own, primary, headline, regime, found, verdict, corrected, fragile, chapter,
        finding, read``. ``corrected`` is the verdict of a primary claim after the correction for their number, a false
        discovery rate of 5 % over all of them; empty for claims that look at a sentence again. ``fragile`` are decided
        verdicts whose p is above the largest one that survives that correction, these others' too. ``finding`` is what
        the rule found, and ``read`` the ids of the trials that it read.
    """
    known = {claim.id: claim for name in opened for claim in STUDIES[name].claims}
    by_study = {results.study: results for results in opened.values()}
    found = judged_once(opened) if stored else judge(opened)
    found = [(by_study[each.study], known[each.claim], each.finding, each.read) for each in found]
    # an own question is a claim too: whoever asks often finds something
    after = corrected({claim.id: finding.judgement for _, claim, finding, _ in found if claim.primary}, "fdr")
    limit = after.loc[after["after"].isin(DECIDED), "p"].max()  # NaN if none survives: then every one is above it
    rows = []
    for results, claim, finding, read in found:
        judgement = finding.judgement
        rows.append(
            {
                "study": results.study,
                "claim": claim.id,
                "statement": claim.statement,
                "own": claim.own,
                "primary": claim.primary,
                "headline": claim.headline,
                "regime": regime_of(claim, results),
                "found": effect_text(finding.shown),
                "verdict": claim.word(finding),
                "corrected": claim.words(after.loc[claim.id, "after"]) if claim.primary else "",
                "fragile": is_fragile(judgement, limit),
                "chapter": chapter_of(claim.id),
                "finding": finding,
                "read": read,
            }
        )
    return pd.DataFrame(rows)


def counted(claims: pd.DataFrame, *, own: bool, column: str = "corrected") -> dict[str, int]:
    """How many primary claims have each verdict, by its words for a paper's sentence or an own question.

    Args:
        claims: of :func:`all_claims`.
        own: whether to count our own questions, or the papers' sentences.
        column: ``corrected`` for the verdicts after the correction for their number, ``verdict`` for those of each
            claim alone.
    """
    words = claims.loc[claims["primary"] & (claims["own"] == own), column].tolist()
    return {word: words.count(word) for verdict in VERDICTS if (word := OWN_WORDS[verdict] if own else verdict)}


def verdict_counts(claims: pd.DataFrame) -> pd.DataFrame:
    """How many primary claims have each verdict, after the correction and alone, the papers' first and ours apart."""
    columns = [" / ".join(dict.fromkeys((verdict, OWN_WORDS[verdict]))) for verdict in VERDICTS]
    ways = {"corrected": "corrected", "each alone": "verdict"}
    rows = {
        f"{whose}, {words}": [*counted(claims, own=own, column=column).values()]
        for own, whose in _SHORT.items()
        for words, column in ways.items()
    }
    counts = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return counts.assign(**{"in all": counts.sum(axis=1)})


def fragile_verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """Decided verdicts that the correction for their number leaves open: claim, sentence, size, verdict and p."""
    rows = claims[claims["fragile"]].sort_values("own", kind="stable")
    return pd.DataFrame(
        {
            "claim": rows["claim"],
            "whose": rows["own"].map(_SHORT),
            "sentence": rows["statement"],
            "seen at": rows["regime"],
            "alone": rows["verdict"],
            "p": [finding.judgement.p for finding in rows["finding"]],
            "among all": rows["corrected"].where(rows["primary"], "not counted"),
        }
    )


def fragile_list(claims: pd.DataFrame) -> PageHTML:
    """:func:`fragile_verdicts` for a page: verdict and size, the sentence, and what the correction leaves."""
    return _listed(fragile_verdicts(claims), "alone", lambda row: f"p = {row['p']:.3f}; among all: {row['among all']}")


def headline_list(claims: pd.DataFrame) -> PageHTML:
    """:func:`headline_verdicts` for a page: a line for verdict and size, the sentence, and both p."""
    return _listed(
        headline_verdicts(claims), "verdict", lambda row: f"{row['here']}; p {row['p']}, by Holm {row['p, Holm']}"
    )


def _listed(table: pd.DataFrame, verdict: str, words: Callable[[Mapping], str]) -> PageHTML:
    """One entry a row: id, verdict and size; the sentence; and further words."""
    entries, texts = [], []
    for row in table.to_dict("records"):
        size, rest = seen_at(row["seen at"]), words(row)
        entries.append(
            f'<div class="correction"><p><span class="claim-id">{html.escape(row["claim"])}</span> '
            f'{verdict_badge(row[verdict])} <span class="regime">{html.escape(size)}</span></p>'
            f"<p>{html.escape(row['sentence'])}</p><p>{html.escape(rest)}</p></div>"
        )
        texts.append(f"{row['claim']} {row[verdict]} ({size}). {row['sentence']} {rest}")
    return PageHTML(f'<div class="corrections">{"".join(entries)}</div>', "\n".join(texts))


def headline_verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """The few claims that carry the book's answers, corrected for one another by Holm: one row a claim."""
    rows = claims[claims["headline"]].sort_values("own", kind="stable")
    judgements = {name: each.judgement for name, each in zip(rows["claim"], rows["finding"], strict=True)}
    after = corrected(judgements, "holm").reindex(rows["claim"])
    words = [OWN_WORDS[each] if own else each for own, each in zip(rows["own"], after["after"], strict=True)]
    return pd.DataFrame(
        {
            "claim": rows["claim"],
            "sentence": rows["statement"],
            "seen at": rows["regime"],
            "here": rows["found"],
            "alone": rows["verdict"],
            "p": [_small(each) for each in after["p"]],
            "p, Holm": [_small(each) for each in after["corrected"]],
            "verdict": words,
        }
    )


def _small(p: float) -> str:
    """A p-value of which the order of magnitude is enough."""
    return "–" if pd.isna(p) else "0, a run proves it" if p == 0 else "< .0001" if p < 1e-4 else f"{p:.4f}".lstrip("0")
