"""Published results: tidy tables and a manifest in ``data/results/<study>/``; only :func:`publish` writes there."""

import contextlib
import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from inductive_bias import places
from inductive_bias.engine import missing
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.provenance import commit, versions
from inductive_bias.studies.runs import COLUMNS, local_rows, local_table
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.tasks.files import checksum

if TYPE_CHECKING:
    from inductive_bias.studies.study import Results, Study

MANIFEST = "manifest.json"


def table_path(study: str, scale: str, name: str | None = None) -> Path:
    """``<scale>.parquet``, or ``<scale>-<name>.parquet`` for a further table."""
    return places.published(study) / f"{scale}{'-' + name if name else ''}.parquet"


def read_rows(study: str, scale: str) -> pd.DataFrame | None:
    """The published rows, or None if this scale has not been published."""
    path = table_path(study, scale)
    return _read(path) if path.is_file() else None


def read_table(study: str, scale: str, name: str) -> pd.DataFrame:
    """A further published table."""
    return _read(table_path(study, scale, name))


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"the published table {path} cannot be read ({error}); restore it from git, or publish the study again"
        ) from error


def read_manifest(study: str) -> dict:
    """The manifest by scale; empty if nothing has been published."""
    path = places.published(study) / MANIFEST
    return json.loads(path.read_text()) if path.is_file() else {}


def publish(study: "Study", scale: str, *, root: Path | None = None) -> list[Path]:
    """Write the tables and the manifest of one scale from complete local runs; returns the files.

    Raises:
        SettingError: if trials are missing, or ``scale`` is ``smoke``, or a check of :func:`problems_of` fails;
            what was published before stays.
        StoreError: if a file cannot be written.
    """
    if check_scale(scale) == "smoke":
        raise SettingError("scale 'smoke' is for tests and is never published; choose laptop or paper")
    store = study.store()
    if absent := missing(study.trials(scale), store):
        raise SettingError(
            f"{len(absent)} of {len(study.trials(scale))} trials of {study.name} at scale {scale} have not been run "
            f"(the first: {absent[0].label}); run `inductive-bias run {study.name} --scale {scale}` first"
        )
    cells = study.cells(scale)
    rows = local_rows(study, scale, [trial for members in cells.values() for trial in members])
    if problems := problems_of(study, scale, rows):
        raise SettingError(f"{study.name} at scale {scale} is not fit to publish: " + "; ".join(problems))
    tables = {None: rows} | {name: local_table(study, scale, name, root) for name in study.tables}
    written = {table_path(study.name, scale, name): frame for name, frame in tables.items()}
    for path, frame in written.items():
        _write(path, lambda draft, frame=frame: frame.to_parquet(draft, index=False))
    manifest = read_manifest(study.name) | {scale: _entry(study, scale, rows, list(written))}
    path = places.published(study.name) / MANIFEST
    _write(path, lambda draft: draft.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n"))
    return [*written, path]


def _write(path: Path, write) -> None:
    """Through a draft and a rename: a full disk leaves the old file."""
    draft = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(draft)
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise StoreError(f"{path} could not be written: {error}; what was published before is untouched") from error


def _entry(study: "Study", scale: Scale, rows: pd.DataFrame, files: list[Path]) -> dict:
    store = study.store()
    records = [store.record(trial) for trial in study.trials(scale)]
    minutes = pd.Series({record["id"]: record["minutes"] for record in records})
    trials = rows.drop_duplicates("trial")
    by_cell = trials.assign(minutes=trials["trial"].map(minutes)).groupby("cell", sort=False)
    return {
        "commit": commit(),
        "published": f"{datetime.now(UTC):%Y-%m-%d}",
        "versions": versions(),
        "devices": sorted({record["device"] for record in records}),
        "trials": len(records),
        "seeds_per_cell": int(rows.groupby("cell")["seed"].nunique().min()),
        "minutes": round(float(minutes.sum()), 1),
        "minutes_per_trial": {cell: round(float(group["minutes"].mean()), 2) for cell, group in by_cell},
        "data_sources": sorted(rows["data_source"].unique()),
        "data_sha256": {name: value for record in records for name, value in record["data_sha256"].items()},
        "files": {path.name: {"sha256": checksum(path), "rows": len(_read(path))} for path in files},
    }


def problems_of(study: "Study", scale: Scale, rows: pd.DataFrame) -> list[str]:
    """What keeps a table from being published: an incomplete grid, too few seeds, sample data in a real table."""
    found = []
    if list(rows.columns) != COLUMNS:
        return [f"columns are {list(rows.columns)}, expected {COLUMNS}"]
    for cell, trials in study.cells(scale).items():
        there = set(rows.loc[rows["cell"] == cell, "trial"])
        if there != {trial.id for trial in trials}:
            found.append(f"cell {cell!r} has trials {sorted(there)}, expected {sorted(t.id for t in trials)}")
        if len({trial.seed for trial in trials}) < study.min_seeds:
            found.append(f"cell {cell!r} has fewer than {study.min_seeds} seeds")
    diverged = set(rows.loc[(rows["metric"] == "diverged") & (rows["value"] == 1), "trial"])
    final = rows[rows["epoch"].isna() & ~rows["trial"].isin(diverged)]
    learnt_from = rows[rows["split"] == "train"].drop_duplicates("trial").set_index("trial")["data_source"]
    # models of one name may differ in what there is to report of them, such as the kinds of their heads
    settings = {trial.id: repr(trial.model) for trials in study.cells(scale).values() for trial in trials}
    for _, group in final.groupby([final["trial"].map(settings), final["trial"].map(learnt_from)]):
        grids = group.groupby("trial")[["split", "metric", "x"]].apply(
            lambda g: frozenset(g.astype({"x": str}).itertuples(index=False, name=None))
        )
        if grids.nunique() > 1:
            name = group["model"].iloc[0]
            found.append(f"trials of model {name!r} do not have the same splits and metrics")
    # a cell may be made of generated data only where its task says so: nothing stands in for the real data
    kind_of = {cell: trials[0].task.kind for cell, trials in study.cells(scale).items()}
    expected = rows["cell"].map(lambda cell: "generated:" if kind_of.get(cell, "").startswith("generated") else "real:")
    named = pd.DataFrame({"source": rows["data_source"], "expected": expected}).drop_duplicates()
    pretended = sorted({row.source for row in named.itertuples() if not row.source.startswith(row.expected)})
    if pretended:
        found.append(f"data sources {pretended} are not real data, or not what their cells say")
    return found


def problems_of_published(study: "Study", scale: Scale) -> list[str]:
    """Checks a published scale again from its files: the manifest's hashes and counts, and the rows' own checks."""
    entry = read_manifest(study.name).get(scale)
    if entry is None:
        return [f"{study.name} has a table for {scale} but no manifest entry"]
    found = []
    expected = {table_path(study.name, scale, name).name for name in (None, *study.tables)}
    if set(entry["files"]) != expected:
        found.append(f"the manifest lists {sorted(entry['files'])}, expected {sorted(expected)}")
    for name, promised in entry["files"].items():
        path = places.published(study.name) / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif checksum(path) != promised["sha256"] or len(_read(path)) != promised["rows"]:
            found.append(f"{name} is not the file the manifest describes")
    rows = read_rows(study.name, scale)
    return found + (["the table of rows is missing"] if rows is None else problems_of(study, scale, rows))


def provenance_line(results: "Results") -> str:
    """Study, scale, trials, data, code and machine of what a notebook shows."""
    rows = results.rows
    sources = ", ".join(sorted({source.split("+")[0] for source in rows["data_source"].unique()}))
    trials = f"{rows['trial'].nunique()} trials, {rows.groupby('cell')['seed'].nunique().min()} seeds a cell"
    head = f"Study {results.study.name}, scale {results.scale}: {trials}, data {sources}"
    entry = read_manifest(results.study.name).get(results.scale) if results.complete_publication else None
    if entry is None:
        return f"{head}; trained here, not published."
    return (
        f"{head}; published {entry['published']} from commit {entry['commit'][:10]}, "
        f"torch {entry['versions']['torch']}, device {', '.join(entry['devices'])}, "
        f"{entry['minutes']:.0f} minutes of training."
    )
