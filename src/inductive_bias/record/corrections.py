"""Rules that changed after their first verdict was published: what each study keeps of the old ones."""

import html
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from inductive_bias import studies
from inductive_bias.plotting import seen_at, verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES
from inductive_bias.studies import STUDIES

#: Of claims that came before the language of contrasts and margins.
CHANGED, CHANGED_COLUMNS = "changed.csv", ("claim", "before", "why")
#: Of claims whose rule, margin, condition or sentence was put right after the verdict had been published.
CORRECTIONS, CORRECTED_COLUMNS = "corrections.csv", ("claim", "before", "old_rule", "new_rule", "why")


def changed_verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """Verdicts that changed when the rules did, one row a claim: ``claim, before, now, why``."""
    return _with_verdicts(before_the_change(), claims)[["claim", "before", "now", "why"]]


def corrected_rules(claims: pd.DataFrame) -> pd.DataFrame:
    """Rules that were put right after their verdict was published, of claims that there are.

    Returns:
        Columns ``claim, verdict before, verdict now, old rule, new rule, why``; those whose verdict changed first.
    """
    table = _with_verdicts(post_hoc(), claims)
    same = table["before"] == table["verdict"]
    return _for_a_page(table.assign(same=same).sort_values("same", kind="stable"))


def dropped_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims that are no more, with what they said and what stands in their place: as :func:`corrected_rules`."""
    table = post_hoc()
    gone = table[~table["claim"].isin(claims["claim"])]
    return _for_a_page(gone.assign(now="–"))


def correction_list(*tables: pd.DataFrame) -> PageHTML:
    """Rows of :func:`corrected_rules` or :func:`dropped_claims`: a folded line each, with both verdicts."""
    rows = [row for table in tables for row in table.to_dict("records")]
    words = "\n\n".join("\n".join(f"{name}: {value}" for name, value in row.items()) for row in rows)
    return PageHTML(f'<div class="corrections">{"".join(map(_folded, rows))}</div>', words)


def _folded(row: Mapping[str, str]) -> str:
    now, _, size = row["verdict now"].partition(" (")
    size = f' <span class="regime">{html.escape(size.removesuffix(")"))}</span>' if size else ""
    facts = "".join(
        f"<dt>{name.capitalize()}</dt><dd>{html.escape(row[name])}</dd>" for name in ("old rule", "new rule", "why")
    )
    before = _badge(row["verdict before"])
    return (
        f'<details class="correction"><summary><span class="claim-id">{html.escape(row["claim"])}</span> {before} → '
        f"{_badge(now)}{size}</summary><dl>{facts}</dl></details>"
    )


def _badge(verdict: str) -> str:
    return verdict_badge(verdict) if verdict in VERDICT_CLASSES else html.escape(verdict)


def corrections_in_words(claims: pd.DataFrame) -> str:
    """How many rules were put right, and of how many the verdict changed."""
    table = _with_verdicts(post_hoc(), claims)
    changed, gone = (table["before"] != table["verdict"]).sum(), len(dropped_claims(claims))
    return (
        f"{len(table)} claims have a rule, a margin, a condition or a sentence that was put right after its verdict "
        f"had been published; {changed} of them have another verdict now."
        + (f" {gone} more claims were dropped or replaced." if gone else "")
    )


def before_the_change() -> pd.DataFrame:
    """What each study keeps of its verdicts under the rules before: ``claim, before, why``."""
    return _kept(CHANGED, CHANGED_COLUMNS)


def post_hoc() -> pd.DataFrame:
    """What each study keeps of rules that were put right: ``claim, before, old_rule, new_rule, why``."""
    return _kept(CORRECTIONS, CORRECTED_COLUMNS)


def _kept(name: str, columns: tuple[str, ...]) -> pd.DataFrame:
    """The files of that name in the studies' folders, in the order of the claims; of dropped ones last.

    Raises:
        ValueError: if one of them has other columns.
    """
    frames = []
    for path in sorted(Path(studies.__file__).parent.rglob(name)):
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        if tuple(frame.columns) != columns:
            raise ValueError(f"{path} must have the columns {', '.join(columns)}, not {', '.join(frame.columns)}")
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(columns), dtype=str)
    known = [claim.id for study in STUDIES.values() for claim in study.claims]
    places = table["claim"].map({name: place for place, name in enumerate(known)})
    return table.iloc[places.fillna(len(known)).argsort(kind="stable")].reset_index(drop=True)


def _with_verdicts(table: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """Those of claims that there are, with ``verdict``, and ``now``: the verdict and the size at which it was found."""
    table = table.merge(claims[["claim", "verdict", "regime"]], "inner", "claim", validate="many_to_one")
    about = table["regime"].map(seen_at)
    return table.assign(now=table["verdict"] + about.map(lambda words: f" ({words})" if words else ""))


def _for_a_page(table: pd.DataFrame) -> pd.DataFrame:
    names = {"before": "verdict before", "now": "verdict now", "old_rule": "old rule", "new_rule": "new rule"}
    return table.rename(columns=names)[["claim", *names.values(), "why"]].reset_index(drop=True)
