"""Publishing: complete local runs become tidy tables and a manifest; only :func:`publish` writes there."""

import json
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.engine import missing
from inductive_bias.errors import SettingError
from inductive_bias.protocols.measures import COORDINATES, COUNT
from inductive_bias.protocols.measures.ranges import implausible
from inductive_bias.protocols.measures.sentences import SLICES
from inductive_bias.provenance import commit
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.design import Design
from inductive_bias.studies.published import MANIFEST, read_manifest, read_parquet, read_rows, read_table, table_path
from inductive_bias.studies.run_provenance import (
    RUNS,
    origin_of,
    problems_of_origin,
    problems_of_ways,
    records_of,
    table_of_records,
)
from inductive_bias.studies.runs import FIRST, LAST, Runs, in_design_order, in_order, local_rows, local_table
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.studies.study import Study
from inductive_bias.tasks.files import checksum


def publish(
    study: Study, scale: str, *, root: Path | None = None, mixed: bool = False, extend: bool = False
) -> list[Path]:
    """Write the tables and the manifest of one scale from complete local runs; returns the files.

    Args:
        study: whose runs.
        scale: ``laptop`` or ``paper``.
        root: folder of the data, for tables that read them again.
        mixed: publish runs of several commits or versions of a package as well; the manifest then names all of them.
        extend: keep the rows of trials that were published before and are not here: a design may grow in steps. Its
            factors and the names of its levels may have changed since; a table that compares runs grows by whole
            groups of runs, see :class:`~inductive_bias.studies.runs.Table`. Without any new run the names alone change,
            and what the manifest says of the runs stays.

    Raises:
        SettingError: if trials are missing, or ``scale`` is ``smoke``, or a table cannot grow, or a check of
            :func:`problems_of` or of :mod:`~inductive_bias.studies.run_provenance` fails. What was published before
            stays.
        StoreError: if a file cannot be written.
    """
    if check_scale(scale) == "smoke":
        raise SettingError("scale 'smoke' is for tests and is never published; choose laptop or paper")
    store, trials = study.store(), study.trials(scale)
    absent = missing(trials, store)
    before, kept = _published_before(study, scale, {trial.id for trial in absent}) if extend else ([], None)
    there = {record["id"] for record in before}
    if absent := [trial for trial in absent if trial.id not in there]:
        raise SettingError(
            f"{len(absent)} of {len(trials)} trials of {study.name} at scale {scale} have not been run "
            f"(the first: {absent[0].label}); run `inductive-bias run {study.name} --scale {scale}` first"
        )
    records = before + [store.record(trial) for trial in trials if trial.id not in there]
    here = [trial for _, _, trial in study.design.members(scale).values() if trial.id not in there]
    rows = local_rows(study.design, scale, store, here)
    if kept is not None and len(kept):
        kept = _relabelled(kept, study.design, scale)
        rows = in_design_order(pd.concat([kept, rows], ignore_index=True) if here else kept, study.design, scale)
    problems = problems_of(study, scale, rows) + problems_of_origin(records, mixed=mixed)
    if problems := problems + problems_of_ways(trials, records, mixed=mixed):
        raise SettingError(f"{study.name} at scale {scale} is not fit to publish: " + "; ".join(problems))
    runs = study.runs(scale, root)
    tables = {None: rows, RUNS: table_of_records(records)}
    tables |= {name: _table(study, name, runs, there) for name in study.tables}
    written = {table_path(study.name, scale, name): frame for name, frame in tables.items()}
    for path, frame in written.items():
        write(path, lambda draft, frame=frame: frame.to_parquet(draft, index=False))
    entry = _entry(study, scale, records, rows, list(written))
    if not here:  # nothing was measured: the same publication under other names
        entry = read_manifest(study.name)[scale] | {name: entry[name] for name in ("files", "minutes_per_trial")}
    write_manifest(study.name, scale, entry)
    return [*written, paths.published(study.name) / MANIFEST]


def _published_before(study: Study, scale: str, wanted: set[str]) -> tuple[list[dict], pd.DataFrame | None]:
    """Records and rows of those of the wanted trials that are published."""
    rows = read_rows(study.name, scale)
    if rows is None:
        return [], None
    records = [record for record in records_of(read_table(study.name, scale, RUNS)) if record["id"] in wanted]
    return records, rows[rows["trial"].isin({record["id"] for record in records})]


def _relabelled(rows: pd.DataFrame, design: Design, scale: Scale) -> pd.DataFrame:
    """Published rows with the factors and levels that their trials have in the design by now."""
    members = design.members(scale)
    measured = rows[[name for name in ("trial", *FIRST, *COORDINATES, *LAST) if name in rows]]
    levels = pd.DataFrame([dict(members[trial][0]) for trial in measured["trial"]], index=measured.index)
    return in_order(pd.concat([measured, levels], axis=1), design)


def _table(study: Study, name: str, runs: Runs, there: set[str]) -> pd.DataFrame:
    """A table of the local runs, after the published rows of groups whose runs are published only (``there``)."""
    table = study.tables[name]
    here, published = [], {}
    for group, trials in table.groups(runs).items():
        count = sum(trial.id in there for trial in trials)
        if 0 < count < len(trials):
            of = f" of group {group}" if table.group else ""
            raise SettingError(
                f"the table {name} of {study.name} compares {len(trials)} runs{of}, so all of them must be here; "
                f"{count} are published only"
            )
        if count:
            published |= {trial.id: group for trial in trials}
        else:
            here += trials
    if not published:
        return local_table(study.name, name, table, runs)
    before = read_table(study.name, runs.scale, name)
    kept = before if table.group is None else _of_groups(before, published)
    if lost := set(published.values()) - set(_groups(kept, published)) if table.group else set():
        raise SettingError(
            f"the published table {name} of {study.name} has no rows of group {min(lost, key=repr)}; run it again"
        )
    made = [local_table(study.name, name, table, runs.restricted(here))] if here else []
    return pd.concat([kept, *made], ignore_index=True)


def _of_groups(table: pd.DataFrame, published: Mapping[str, Hashable]) -> pd.DataFrame:
    """The rows that compare runs of one published group only; ``published`` is the group of each run."""
    named = _named(table)
    groups = [named[column].map(published) for column in named]
    return table[pd.concat([each.notna() & (each == groups[0]) for each in groups], axis=1).all(axis=1)]


def _groups(table: pd.DataFrame, published: Mapping[str, Hashable]) -> list[Hashable]:
    return [published[trial] for trial in pd.unique(_named(table).to_numpy().ravel())]


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """The columns that name runs."""
    return table[[name for name in table if name == "trial" or name.startswith("trial_")]]


def write_manifest(study: str, scale: str, entry: dict) -> None:
    """Put the entry of one scale into the manifest; the others stay."""
    manifest = read_manifest(study) | {scale: entry}
    text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    write(paths.published(study) / MANIFEST, lambda draft: draft.write_text(text))


def _entry(study: Study, scale: Scale, records: list[dict], rows: pd.DataFrame, files: list[Path]) -> dict:
    members = study.design.members(scale)
    minutes = pd.Series({record["id"]: record["minutes"] for record in records})
    names = {trial: study.design.name(cell) for trial, (cell, _, _) in members.items()}
    by_cell = minutes.groupby(minutes.index.map(lambda trial: names.get(trial, "teachers outside the design")))
    return origin_of(records) | {
        "published": f"{datetime.now(UTC):%Y-%m-%d}",
        "published_by": commit(),
        "trials": len(records),
        "seeds_per_cell": min(len(trials) for trials in study.judged(scale).values()),
        "minutes": round(float(minutes.sum()), 1),
        "minutes_per_trial": {cell: round(float(value), 2) for cell, value in by_cell.mean().items()},
        "data_sources": sorted(rows["data_source"].unique()),
        "files": described(files),
    }


def described(files: list[Path]) -> dict[str, dict[str, object]]:
    """Checksum and number of rows of each file, by its name."""
    return {path.name: {"sha256": checksum(path), "rows": len(read_parquet(path))} for path in files}


def problems_of(study: Study, scale: Scale, rows: pd.DataFrame) -> list[str]:
    """What keeps a table from being published.

    An incomplete grid, too few seeds, levels that are not those of the design, values that no measurement gives, rows
    that are there twice, sample data in a real table.
    """
    design = study.design
    first = ["trial", *design.factors, *FIRST]
    if list(rows.columns[: len(first)]) != first or list(rows.columns[-len(LAST) :]) != list(LAST):
        return [f"columns are {list(rows.columns)}, expected {first}, coordinates, {list(LAST)}"]
    members = design.members(scale)
    if odd := sorted(set(rows["trial"]) ^ set(members)):
        return [f"trials {odd[:3]} ({len(odd)} in all) are not those of the design"]
    found = []
    for name, here in rows.drop_duplicates(["trial", *design.factors, "seed"]).groupby("trial"):
        cell, _, trial = members[name]
        said = here[[*design.factors, "seed"]].to_dict("records")
        if said != [{**cell, "seed": trial.seed}]:
            found.append(f"trial {name} is said to be {said}, but the design has {dict(cell)}, seed {trial.seed}")
    for cell, trials in study.judged(scale).items():
        if len({trial.seed for trial in trials}) < study.min_seeds:
            found.append(f"cell {design.name(cell)!r} has fewer than {study.min_seeds} seeds")
    return found + _odd_values(rows) + _uneven(rows, members) + _pretended(rows, members)


def _odd_values(rows: pd.DataFrame) -> list[str]:
    """Values that were never measured, and numbers that have several values."""
    found = []
    odd = rows[implausible(rows)]
    if len(odd):
        first = odd.iloc[0]
        found.append(
            f"{len(odd)} values are none that a measurement gives (the first: {first['metric']} {first['value']} on "
            f"{first['split']} of trial {first['trial']})"
        )
    place = [name for name in rows.columns if name not in ("value", "data_source")]
    if twice := int(rows.duplicated(place).sum()):
        found.append(f"{twice} numbers are there more than once")
    return found


def _uneven(rows: pd.DataFrame, members: dict) -> list[str]:
    """Trials of equal models, data and tasks must have been measured in equal places.

    So must those whose data another seed drew; but of what is counted in drawn sentences a draw may lack a rare value.
    """
    diverged = set(rows.loc[(rows["metric"] == "diverged") & (rows["value"] == 1), "trial"])
    # of what is counted, a place without a row had none
    final = rows[rows["epoch"].isna() & ~rows["trial"].isin(diverged) & (rows["metric"] != COUNT)]
    learnt_from = rows[rows["split"] == "train"].drop_duplicates("trial").set_index("trial")["data_source"]
    first = list(rows.columns).index("epoch") + 1
    places_ = final[["trial", "split", "metric", *rows.columns[first : -len(LAST)]]]
    counted = [name for name in SLICES if name in places_]
    any_value = places_.assign(**{name: places_[name].notna() for name in counted})
    found = []
    # where nothing is counted, equal places across draws are equal within each
    for drawn_alike, seen in ((False, any_value), *([(True, places_)] if counted else [])):
        # models of one name may differ in what there is to report of them, such as the kinds of their heads
        settings = {
            name: repr((trial.model, trial.task.model_dump(exclude=set() if drawn_alike else {"data_seed"})))
            for name, (_, _, trial) in members.items()
        }
        for _, group in seen.groupby([seen["trial"].map(settings), seen["trial"].map(learnt_from)]):
            grids = group.drop(columns="trial").astype(str).groupby(group["trial"])
            if len({frozenset(grid.itertuples(index=False, name=None)) for _, grid in grids}) > 1:
                name = members[group["trial"].iloc[0]][2].model.name
                found.append(f"trials of model {name!r} do not have the same splits and metrics")
    return list(dict.fromkeys(found))


def _pretended(rows: pd.DataFrame, members: dict) -> list[str]:
    """A cell may be made of generated data only where its task says so: nothing stands in for the real data."""
    expected = {name: "generated:" if trial.task.generated else "real:" for name, (_, _, trial) in members.items()}
    named = pd.DataFrame({"source": rows["data_source"], "expected": rows["trial"].map(expected)}).drop_duplicates()
    wrong = sorted({row.source for row in named.itertuples() if not row.source.startswith(row.expected)})
    return [f"data sources {wrong} are not real data, or not what their cells say"] if wrong else []


def problems_of_published(study: Study, scale: Scale) -> list[str]:
    """Checks a published scale again from its files: the manifest's hashes and counts, and the rows' own checks."""
    entry = read_manifest(study.name).get(scale)
    if entry is None:
        return [f"{study.name} has a table for {scale} but no manifest entry"]
    found = []
    expected = {table_path(study.name, scale, name).name for name in (None, RUNS, *study.tables)}
    if set(entry["files"]) != expected:
        found.append(f"the manifest lists {sorted(entry['files'])}, expected {sorted(expected)}")
    for name, promised in entry["files"].items():
        path = paths.published(study.name) / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif checksum(path) != promised["sha256"] or len(read_parquet(path)) != promised["rows"]:
            found.append(f"{name} is not the file the manifest describes")
    rows = read_rows(study.name, scale)
    return found + (["the table of rows is missing"] if rows is None else problems_of(study, scale, rows))
