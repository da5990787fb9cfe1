"""All claims of all studies with their verdicts, and what the correction for their number leaves of them."""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from inductive_bias import studies
from inductive_bias.notebook import effect_text, open_study
from inductive_bias.record.chapters import chapter_of
from inductive_bias.record.reading import noting
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import OWN_WORDS, VERDICTS, corrected


def open_studies(namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> dict[str, Results]:
    """Every study's results by name; see :func:`inductive_bias.notebook.open_study`.

    Raises:
        SettingError: unknown scale, device or parameter.
    """
    return {name: open_study(name, namespace, scale=scale, device=device) for name in STUDIES}


def all_claims(opened: Mapping[str, Results]) -> pd.DataFrame:
    """Every claim of the opened studies, judged: one row a claim, in the order of the studies.

    Returns:
        Columns ``study, claim, statement, own, primary, headline, regime, found, verdict, corrected, chapter, finding,
        read``. ``corrected`` is the verdict of a primary claim after the correction for their number: a false discovery
        rate of 5 % over all of them, or Holm's over the headline claims. ``finding`` is what the rule found, and
        ``read`` the ids of the trials that it read.
    """
    found = []
    for name, results in opened.items():
        noted = noting(results)
        for claim in STUDIES[name].claims:
            noted.read.clear()
            found.append((name, claim, claim.rule(noted), frozenset(noted.read)))
    # an own question is a claim too: whoever asks often finds something
    primary = {claim.id: finding.judgement for _, claim, finding, _ in found if claim.primary}
    headline = {claim.id: finding.judgement for _, claim, finding, _ in found if claim.headline}
    after = {**corrected(primary, "fdr")["after"], **corrected(headline, "holm")["after"]}
    rows = []
    for study, claim, finding, read in found:
        rows.append(
            {"study": study, "claim": claim.id, "statement": standing_alone(claim), "own": claim.own,
             "primary": claim.primary, "headline": claim.headline, "regime": claim.regime, "found": effect_text(finding.shown), "verdict": claim.word(finding),
             "corrected": claim.words(after[claim.id]) if claim.primary else "",
             "chapter": chapter_of(claim.id), "finding": finding, "read": read}
        )  # fmt: skip
    return pd.DataFrame(rows)


def standing_alone(claim: Claim) -> str:
    """What a claim says where the one before it may be far away, ``The same as R5 of Informer alone``."""
    return re.sub("^The same", f"The same as {claim.id.rsplit('-', 1)[0]}", claim.statement)


def verdict_counts(claims: pd.DataFrame) -> pd.DataFrame:
    """How many claims have each verdict, the papers' and our own apart."""
    kinds = claims["own"].map({False: "of the papers", True: "our own questions"})
    order = [*dict.fromkeys(word for verdict in VERDICTS for word in (verdict, OWN_WORDS[verdict]))]
    counts = claims.groupby([kinds, "verdict"]).size().unstack(fill_value=0).reindex(columns=order, fill_value=0)
    return counts.assign(**{"in all": counts.sum(axis=1)}).rename_axis(index=None, columns=None)


def changed_verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """Verdicts that changed when the rules did, one row a claim: ``claim, before, now, why``."""
    table = before_the_change().merge(claims[["claim", "verdict"]], "left", "claim", validate="one_to_one")
    return table.rename(columns={"verdict": "now"})[["claim", "before", "now", "why"]]


def before_the_change() -> pd.DataFrame:
    """What each study keeps of its verdicts under the rules before: ``claim, before, why``."""
    folder = Path(studies.__file__).parent
    # some studies stand within others
    kept = [path for name in STUDIES for path in folder.rglob(f"{name}/changed.csv")]
    frames = [pd.read_csv(path, comment="#") for path in kept]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["claim", "before", "why"])
