"""How the published tables were made: code, machine, time, data and files, as the manifests say it."""

from collections.abc import Mapping

import pandas as pd

from inductive_bias.plotting import PageTable, display_table
from inductive_bias.studies import STUDIES
from inductive_bias.studies.published import read_manifest


def published_entries() -> dict[str, dict]:
    """What the manifests say, by ``study, scale``; empty if nothing has been published."""
    return {f"{study}, {scale}": entry for study in STUDIES for scale, entry in read_manifest(study).items()}


def how_made(entries: Mapping[str, dict]) -> pd.DataFrame:
    """Commit, date, versions, machine, trials and minutes: one row a fact, one column a publication."""
    facts = {}
    for name, entry in entries.items():
        facts[name] = {
            "commit": ", ".join(_shortened(each) for each in entry["commit"].split(", ")),
            "published on": entry["published"],
            "device": ", ".join(entry["devices"]),
            "processor": ", ".join(entry.get("processors", ["not recorded then"])),
            "trials": str(entry["trials"]),
            "seeds a cell": str(entry["seeds_per_cell"]),
            "training, minutes in all": f"{entry['minutes']:.0f}",
            "data": ", ".join(sorted({source.split("+")[0] for source in entry["data_sources"]})),
        } | {f"{package} version": version for package, version in entry["versions"].items()}
    return pd.DataFrame(facts)


def minutes_per_trial(entries: Mapping[str, dict]) -> pd.DataFrame:
    """Minutes of one trial, over the cells of a publication: shortest, mean and longest, one row a publication."""
    found = {name: pd.Series(entry["minutes_per_trial"], dtype=float) for name, entry in entries.items()}
    return pd.DataFrame(
        [
            {"published": name, "cells": len(cells), "shortest": cells.min(), "mean": cells.mean(),
             "longest": cells.max(), "the longest is": cells.idxmax()}
            for name, cells in found.items()
        ],
        columns=["published", "cells", "shortest", "mean", "longest", "the longest is"],
    )  # fmt: skip


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
