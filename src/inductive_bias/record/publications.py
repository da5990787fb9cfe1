"""How the published tables were made: code, machine, time, data and files, as the manifests say it."""

from collections.abc import Mapping

import pandas as pd

from inductive_bias.plotting import PageTable, display_table, paragraph
from inductive_bias.plotting.page import PageHTML
from inductive_bias.studies import STUDIES
from inductive_bias.studies.manifest import read_manifest

NOTHING = "nothing has been published yet"


def published_entries() -> dict[str, dict]:
    """What the manifests say, by ``study, scale``; empty if nothing has been published."""
    return {f"{study}, {scale}": entry for study in STUDIES for scale, entry in read_manifest(study).items()}


def publications(entries: Mapping[str, dict]) -> pd.DataFrame:
    """One row a publication: ``published, on, commit, trials, seeds per cell, minutes, data``."""
    rows = [
        {
            "published": name,
            "on": entry["published"],
            "commit": _commits(entry),
            "trials": entry["trials"],
            "seeds per cell": str(entry["seeds_per_cell"]),
            "minutes": f"{entry['minutes']:.0f}",
            "data": ", ".join(entry["data_sources"]),
        }
        for name, entry in entries.items()
    ]
    return pd.DataFrame(rows, columns=["published", "on", "commit", "trials", "seeds per cell", "minutes", "data"])


def how_made(entry: Mapping[str, object]) -> pd.DataFrame:
    """Machine, ways of training and versions of one publication: columns ``fact, value``."""
    facts = {
        "commit": _commits(entry),
        "device": ", ".join(entry["devices"]),
        "processor": ", ".join(entry.get("processors", ["not recorded then"])),
    } | {f"{package} version": version for package, version in entry["versions"].items()}
    return pd.DataFrame(facts.items(), columns=["fact", "value"])


def details(entries: Mapping[str, dict]) -> PageHTML:
    """Details of each publication, folded: how it was made, the data that it read, and the tables that it wrote."""
    parts, words = [], []
    for name, entry in entries.items():
        tables = [
            display_table(how_made(entry), f"{name}: code and machine", index=False),
            display_table(data_files(entry), f"{name}: files read", index=False),
            display_table(published_files(entry), f"{name}: files in data/results/", index=False),
        ]
        parts.append(f"<details><summary>{name}</summary>{''.join(each.html for each in tables)}</details>")
        words += [each.text for each in tables]
    nothing = paragraph(NOTHING)
    return PageHTML("".join(parts) or nothing.html, "\n\n".join(words) or nothing.text)


def minutes_per_trial(entries: Mapping[str, dict]) -> pd.DataFrame:
    """Minutes of one trial, over the cells of a publication: shortest, mean and longest, one row a publication."""
    found = {name: pd.Series(entry["minutes_per_trial"], dtype=float) for name, entry in entries.items()}
    return pd.DataFrame(
        [
            {
                "published": name,
                "cells": len(cells),
                "shortest": cells.min(),
                "mean": cells.mean(),
                "longest": cells.max(),
                "the longest is": cells.idxmax(),
            }
            for name, cells in found.items()
        ],
        columns=["published", "cells", "shortest", "mean", "longest", "the longest is"],
    )


def data_files(entry: Mapping[str, object]) -> pd.DataFrame:
    """The data files that the trials of a publication read: columns ``file, sha256``."""
    rows = [{"file": file, "sha256": _shortened(sha256)} for file, sha256 in sorted(entry["data_sha256"].items())]
    return pd.DataFrame(rows, columns=["file", "sha256"])


def published_files(entry: Mapping[str, object]) -> pd.DataFrame:
    """The tables of a publication: columns ``file, rows, sha256``."""
    return pd.DataFrame(
        [
            {"file": file, "rows": about["rows"], "sha256": _shortened(about["sha256"])}
            for file, about in sorted(entry["files"].items())
        ],
        columns=["file", "rows", "sha256"],
    )


def table_or_nothing(frame: pd.DataFrame, caption: str, *, decimals: int = 3, index: bool = False) -> PageTable:
    """The table, or one that says that nothing has been published yet."""
    if frame.empty:
        frame, index = pd.DataFrame({"": [NOTHING]}), False
    return display_table(frame, caption, decimals=decimals, index=index)


def _commits(entry: Mapping[str, object]) -> str:
    return ", ".join(_shortened(each) for each in entry["commit"].split(", "))


def _shortened(digest: str, length: int = 12) -> str:
    """The first digits of a hash, and whatever is said after it (``+changes``)."""
    digits, plus, rest = digest.partition("+")
    return f"{digits[:length]}{plus}{rest}"
