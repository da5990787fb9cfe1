"""The pages that are about the book itself: all claims with their verdicts, and how the published tables were made."""

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from inductive_bias.notebook import effect_text, open_study
from inductive_bias.plotting import Link, PageTable, display_table
from inductive_bias.studies import STUDIES, Results
from inductive_bias.studies.publishing import read_manifest

#: By study, the pages as the site calls them, each with the claims whose figures it shows.
CHAPTERS: dict[str, dict[str, tuple[str, ...]]] = {
    "vision": {
        "vision/generalisation": ("V12", "V15"),
        "vision/distillation": ("V1", "V2", "V3", "V4", "V16"),
        "vision/paths": ("V14",),
        "vision/solutions": ("V13", "V17"),
    },
    "agreement": {
        "recurrence/ladder": ("A5", "A12", "A15", "AS"),
        "recurrence/inheritance": ("A6", "A7", "A8", "A16"),
        "recurrence/representations": ("A13", "A14"),
    },
    "language_models": {
        "recurrence/perplexity": ("L10",),
        "recurrence/opinions": ("L8", "L9", "L11"),
    },
    "rnn_heads": {"attention/rnn_heads": ("R1", "R1b")},
    "signal_vs_samples": {"attention/signal": ("R2", "R3", "R4", "R11")},
    "regular_languages": {"attention/languages": ("R9", "RH")},
    "rem_vs_toeplitz": {"attention/form": ("R6", "R8", "R10")},
}


def chapter_of(study: str, claim: str) -> Link:
    """The page that shows a claim, by its short name, seen from a page at the root of the site.

    Raises:
        KeyError: if no chapter shows it.
    """
    for page, claims in CHAPTERS.get(study, {}).items():
        if claim in claims:
            return Link(page.split("/")[-1], f"{page}.html")
    raise KeyError(f"no chapter shows claim {claim} of study {study}")


def open_studies(namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> dict[str, Results]:
    """Every study's results by name; see :func:`inductive_bias.notebook.open_study`.

    Raises:
        SettingError: unknown scale, device or parameter.
    """
    return {name: open_study(name, namespace, scale=scale, device=device) for name in STUDIES}


def all_claims(opened: Iterable[Results]) -> pd.DataFrame:
    """Every claim of the opened studies, judged: one row a claim, in the order of the studies.

    Returns:
        Columns ``study, paper, place`` (the two halves of the source), ``claim, statement, reported, found, verdict,
        note, chapter``.
    """
    rows = []
    for results in opened:
        for claim in results.study.claims:
            finding = claim.check(results)
            paper, place = re.fullmatch(r"(.*?\d{4}),? ?(.*)", claim.source).groups()
            rows.append(
                {"study": results.study.name, "paper": paper, "place": place, "claim": claim.id,
                 "statement": claim.statement, "reported": claim.paper, "found": effect_text(finding),
                 "verdict": finding.verdict, "note": finding.note, "chapter": chapter_of(results.study.name, claim.id)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def published_entries() -> dict[str, dict]:
    """What the manifests say, by ``study, scale``; empty if nothing has been published."""
    return {f"{study}, {scale}": entry for study in STUDIES for scale, entry in read_manifest(study).items()}


def how_made(entries: Mapping[str, dict]) -> pd.DataFrame:
    """Commit, date, versions, machine, trials and minutes: one row a fact, one column a publication."""
    facts = {}
    for name, entry in entries.items():
        facts[name] = {
            "commit": _shortened(entry["commit"]),
            "published on": entry["published"],
            "device": ", ".join(entry["devices"]),
            "trials": str(entry["trials"]),
            "seeds a cell": str(entry["seeds_per_cell"]),
            "training, minutes in all": f"{entry['minutes']:.0f}",
            "data": ", ".join(sorted({source.split("+")[0] for source in entry["data_sources"]})),
        } | {f"{package} version": version for package, version in entry["versions"].items()}
    return pd.DataFrame(facts)


def minutes_per_trial(entries: Mapping[str, dict]) -> pd.DataFrame:
    """Mean minutes of one trial by cell: one column a publication."""
    return pd.DataFrame({name: entry["minutes_per_trial"] for name, entry in entries.items()})


def data_files(entries: Mapping[str, dict]) -> pd.DataFrame:
    """The data files that the trials read, each once for each checksum: columns ``published, file, sha256``."""
    return pd.DataFrame(
        [
            {"published": name, "file": file, "sha256": _shortened(sha256)}
            for name, entry in entries.items()
            for file, sha256 in sorted(entry["data_sha256"].items())
        ],
        columns=["published", "file", "sha256"],
    )


def published_files(entries: Mapping[str, dict]) -> pd.DataFrame:
    """The published tables: columns ``published, file, rows, sha256``."""
    return pd.DataFrame(
        [
            {"published": name, "file": file, "rows": about["rows"], "sha256": _shortened(about["sha256"])}
            for name, entry in entries.items()
            for file, about in sorted(entry["files"].items())
        ],
        columns=["published", "file", "rows", "sha256"],
    )


def table_or_nothing(frame: pd.DataFrame, caption: str, *, decimals: int = 3, index: bool = False) -> PageTable:
    """The table, or one that says that nothing has been published yet."""
    if frame.empty:
        frame, index = pd.DataFrame({"": ["nothing has been published yet"]}), False
    return display_table(frame, caption, decimals=decimals, index=index)


def _shortened(digest: str, length: int = 12) -> str:
    """The first digits of a hash, and whatever is said after it (``+changes``)."""
    digits, plus, rest = digest.partition("+")
    return f"{digits[:length]}{plus}{rest}"
