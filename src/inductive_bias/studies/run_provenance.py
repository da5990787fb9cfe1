"""Where runs come from: the code, versions, machine and data of each, and whether they may stand in one table."""

import json
from collections.abc import Iterable, Sequence

import pandas as pd

from inductive_bias.provenance import CHANGED, commit
from inductive_bias.running import ALONE
from inductive_bias.stacked_seeds import reason_alone
from inductive_bias.trials import Trial

FIELDS = ("id", "minutes", "commit", "device", "processor", "threads", "together")
MAPPINGS = ("versions", "data_sha256")

#: Versions of these are only reported; a difference of any other is a mixture.
HARMLESS = ("pandas",)


def origin_of(records: Sequence[dict]) -> dict[str, object]:
    """What the records of a publication say together, for its manifest.

    Several commits or versions, where they were allowed, are joined by commas.

    Returns:
        ``commit, versions, devices, processors, threads, together, data_sha256``.
    """
    packages = sorted({name for record in records for name in record["versions"]})
    return {
        "commit": _joined(record["commit"] for record in records),
        "versions": {name: _joined(record["versions"].get(name, "none") for record in records) for name in packages},
        "devices": sorted({record["device"] for record in records}),
        "processors": sorted({record["processor"] for record in records}),
        "threads": sorted({record["threads"] for record in records}),
        "together": sorted({record.get("together", ALONE) for record in records}),
        "data_sha256": {name: value for record in records for name, value in record["data_sha256"].items()},
    }


def problems_of_origin(records: Sequence[dict], *, mixed: bool) -> list[str]:
    """What keeps runs from being published together.

    Two contents of one data file and source code that is in no commit always do; several commits, or several versions
    of a package that makes numbers, do so unless ``mixed`` allows them.
    """
    found = []
    contents: dict[str, dict[str, str]] = {}
    for record in records:
        for file, sha256 in record["data_sha256"].items():
            contents.setdefault(file, {}).setdefault(sha256, record["id"])
    for file, by_hash in contents.items():
        if len(by_hash) > 1:
            runs = " and ".join(f"{sha256[:12]}… in trial {trial}" for sha256, trial in by_hash.items())
            found.append(f"{file} had two contents: {runs}")
    if dirty := [record["id"] for record in records if record["commit"].endswith(CHANGED)]:
        found.append(f"{len(dirty)} runs (the first: {dirty[0]}) were made by source code that is in no commit")
    if commit().endswith(CHANGED):
        found.append("the package differs from its commit: commit or undo the changes first")
    if not mixed:
        origin = origin_of(records)
        facts = {"commit": origin["commit"]} | {f"{name} version": text for name, text in origin["versions"].items()}
        several = {name: text for name, text in facts.items() if ", " in text and name.split()[0] not in HARMLESS}
        found += [
            f"runs of several kinds: {name} {text} (publish with --mixed to allow it)" for name, text in several.items()
        ]
    return found


def problems_of_ways(trials: Iterable[Trial], records: Sequence[dict], *, mixed: bool) -> list[str]:
    """Runs that were trained together beside others that could have been and were not, unless ``mixed`` allows it."""
    ways = {record["id"]: record.get("together", ALONE) for record in records}
    if mixed or set(ways.values()) == {ALONE}:
        return []
    apart = [trial for trial in trials if ways[trial.id] == ALONE and not reason_alone(trial)]
    if not apart:
        return []
    stacked = sum(way != ALONE for way in ways.values())
    return [
        f"{stacked} runs were trained together and {len(apart)} alone that need not be (the first: {apart[0].label}); "
        "train all in one way, or publish with --mixed"
    ]


def table_of_records(records: Sequence[dict]) -> pd.DataFrame:
    """What the records say of their origin, one row a run; mappings as JSON."""
    return pd.DataFrame(
        {name: record.get("together", ALONE) if name == "together" else record[name] for name in FIELDS}
        | {name: json.dumps(record[name], sort_keys=True) for name in MAPPINGS}
        for record in records
    )


def records_of(table: pd.DataFrame) -> list[dict]:
    """The records of :func:`table_of_records`; those of before seeds were trained together do not say how."""
    return [row | {name: json.loads(row[name]) for name in MAPPINGS} for row in table.to_dict("records")]


def _joined(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values)))
