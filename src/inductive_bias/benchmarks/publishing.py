"""The committed table of each benchmark, and a manifest that says on which machine it was measured."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import torch

from inductive_bias import paths
from inductive_bias.benchmarks.base import Benchmark, problems_of
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.provenance import commit, processor_name, versions
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.fetching import fetch_absent
from inductive_bias.studies.manifest import MANIFEST, read_manifest
from inductive_bias.studies.published import BENCHMARKS, measured_path, read_parquet
from inductive_bias.tasks.files import checksum

#: Fewer say nothing about spread.
MIN_REPEATS = 3


def read_table(name: str) -> pd.DataFrame:
    """The published table.

    Raises:
        StoreError: if it is not there or cannot be read.
    """
    fetch_absent(BENCHMARKS)
    if not measured_path(name).is_file():
        raise StoreError(
            f"benchmark {name!r} has not been published; run `inductive-bias bench {name} --publish` on a quiet machine"
        )
    return read_parquet(measured_path(name))


def measure_and_publish(benchmark: Benchmark, repeats: int) -> tuple[pd.DataFrame, list[Path]]:
    """Measure on real data and write table and manifest; returns the table and the files.

    Raises:
        SettingError: if there are fewer than :data:`MIN_REPEATS` repeats. DataError: if the real data are not there.
        StoreError: if a file cannot be written; what was published before stays.
    """
    if repeats < MIN_REPEATS:
        raise SettingError(f"repeats={repeats} is too few to publish a benchmark; at least {MIN_REPEATS}")
    # before measuring: afterwards the load is the benchmark's own
    with benchmark.on_its_threads():
        about = machine()
    table = benchmark.run(repeats, real=True)
    path, manifest = measured_path(benchmark.name), paths.published(BENCHMARKS) / MANIFEST
    write(path, lambda draft: table.to_parquet(draft, index=False))
    entry = {
        "commit": commit(),
        "published": f"{datetime.now(UTC):%Y-%m-%d}",
        "versions": versions(),
        "machine": about,
        "repeats": repeats,
        "data_sources": sorted(table["data_source"].unique()),
        "files": {path.name: {"sha256": checksum(path), "rows": len(table)}},
    }
    entries = read_manifest(BENCHMARKS) | {benchmark.name: entry}
    write(manifest, lambda draft: draft.write_text(json.dumps(entries, indent=1, sort_keys=True) + "\n"))
    return table, [path, manifest]


def machine() -> dict[str, str | int | float]:
    """Processor, cores, torch's threads and instruction set, and the load of the minute before."""
    return {
        "cpu": processor_name(),
        "cores": os.cpu_count() or 1,
        "threads": torch.get_num_threads(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0,
    }


def machine_table(name: str) -> pd.DataFrame:
    """What the manifest says of a published table's machine and code: columns ``fact, value``, all text."""
    entry = _entry(name)
    about: Mapping[str, object] = entry["machine"]
    facts = {
        "processor": about["cpu"],
        "cores": about["cores"],
        "threads": about["threads"],
        "widest instructions": about["instructions"],
        "load average before": about["load"],
        "repeats": entry["repeats"],
        "data": ", ".join(entry["data_sources"]),
        "torch": entry["versions"]["torch"],
        "Python": entry["versions"]["python"],
    }
    return pd.DataFrame([{"fact": fact, "value": str(value)} for fact, value in facts.items()])


def provenance_line(name: str) -> str:
    """Benchmark, repeats, data, code and machine of what a page shows."""
    entry = _entry(name)
    threads = entry["machine"]["threads"]
    return (
        f"Benchmark {name}: {entry['repeats']} repeats in one run, data {', '.join(entry['data_sources'])}; "
        f"published {entry['published']} from commit {entry['commit'][:10]}, torch {entry['versions']['torch']}, "
        f"{threads} thread{'' if threads == 1 else 's'} of {entry['machine']['cpu']}."
    )


def _entry(name: str) -> dict:
    entry = read_manifest(BENCHMARKS).get(name)
    if entry is None:
        raise StoreError(f"the manifest of the benchmarks has no entry {name!r}; publish the benchmark again")
    return entry


def problems_of_published(name: str) -> list[str]:
    """Checks a published table again: its columns and ratios, and the manifest's hash and count."""
    entry, table = read_manifest(BENCHMARKS).get(name), read_table(name)
    if entry is None:
        return [f"{name} has a table but no manifest entry"]
    promised = entry["files"].get(measured_path(name).name, {})
    found = problems_of(table)
    if promised.get("sha256") != checksum(measured_path(name)) or promised.get("rows") != len(table):
        found.append(f"{measured_path(name).name} is not the file the manifest describes")
    return found
