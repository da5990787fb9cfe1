"""Publishing: complete local runs become tidy tables and a manifest; only :func:`publish` writes there."""

import json
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.engine import missing
from inductive_bias.errors import SettingError
from inductive_bias.protocols.measures import COORDINATES, COUNT
from inductive_bias.protocols.measures.ranges import RANGES, implausible
from inductive_bias.protocols.measures.sentences import SLICES
from inductive_bias.provenance import commit
from inductive_bias.store import Store
from inductive_bias.studies.atomic_write import refuse_unwritable, write
from inductive_bias.studies.design import Design
from inductive_bias.studies.manifest import MANIFEST, read_manifest
from inductive_bias.studies.published import (
    FACTS,
    RUNS,
    SEARCH,
    TRIALS,
    read_parquet,
    read_rows,
    read_table,
    table_path,
)
from inductive_bias.studies.run_provenance import (
    origin_of,
    problems_of_origin,
    problems_of_ways,
    records_of,
    table_of_records,
)
from inductive_bias.studies.runs import (
    FIRST,
    LAST,
    Runs,
    in_columns,
    in_design_order,
    local_rows,
    local_table,
    with_origin,
)
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.studies.study import Study, trained_on
from inductive_bias.studies.task_facts import gathered, split_facts
from inductive_bias.studies.trial_table import task_id, trial_table
from inductive_bias.tasks.files import checksum
from inductive_bias.trials import Trial, in_order


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
        StoreError: if a file cannot be written; a folder that cannot be is refused at once.
    """
    if check_scale(scale) == "smoke":
        raise SettingError("scale 'smoke' is for tests and is never published; choose laptop or paper")
    refuse_unwritable(paths.published(study.name))
    store = study.store()
    trials = in_order(trial for design in study.designs.values() for trial in design.trials(scale))
    absent = missing(trials, store)
    before = _published_before(study, scale, {trial.id for trial in absent}) if extend else _Before()
    _refuse_absent(study, scale, [trial for trial in absent if trial.id not in before.ids], of=len(trials))
    records = before.records + [store.record(trial) for trial in trials if trial.id not in before.ids]
    tables = _measured(study, scale, trials, before)
    rows = pd.concat([tables[name] for name in study.designs], ignore_index=True)
    problems = [each for name in study.designs for each in problems_of(study, scale, tables[name], name)]
    problems += problems_of_facts(study, scale, tables[FACTS]) + problems_of_origin(records, mixed=mixed)
    if problems := problems + problems_of_ways(trials, records, mixed=mixed):
        raise SettingError(f"{study.name} at scale {scale} is not fit to publish: " + "; ".join(problems))
    runs = study.runs(scale, root)
    tables[RUNS] = table_of_records(records)
    tables[TRIALS] = trial_table(study.trial_roles(scale), rows=rows, known_steps=before.steps, root=root)
    tables |= {name: _table(study, name, runs, before.ids) for name in study.tables}
    written = {table_path(study.name, scale, name): frame for name, frame in tables.items()}
    for path, frame in written.items():
        write(path, lambda draft, frame=frame: frame.to_parquet(draft, index=False))
    entry = _entry(study, scale, records, rows, list(written))
    if len(before.ids) == len(trials):  # nothing was measured: the same publication under other names
        old = read_manifest(study.name)[scale]
        entry |= {name: old[name] for name in ("published", "published_by")}
    write_manifest(study.name, scale, entry)
    return [*written, paths.published(study.name) / MANIFEST]


@dataclass(frozen=True)
class _Before:
    """What is published of trials that are wanted and not here: their records and rows, all facts, steps by trial."""

    records: list[dict] = field(default_factory=list)
    rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    facts: pd.DataFrame = field(default_factory=pd.DataFrame)
    steps: dict[str, int] = field(default_factory=dict)

    @property
    def ids(self) -> set[str]:
        """Of the trials that are published and not here."""
        return {record["id"] for record in self.records}


def _published_before(study: Study, scale: Scale, wanted: set[str]) -> _Before:
    found = [read_rows(study.name, scale, name) for name in (None, SEARCH)]
    if found[0] is None:
        return _Before()
    records = [record for record in records_of(read_table(study.name, scale, RUNS)) if record["id"] in wanted]
    rows = pd.concat([with_origin(each) for each in found if each is not None], ignore_index=True)
    facts, listed = (read_rows(study.name, scale, name) for name in (FACTS, TRIALS))
    steps = {} if listed is None else listed.set_index("id")["optimiser_steps"].dropna().to_dict()
    rows = rows[rows["trial"].isin({record["id"] for record in records})]
    return _Before(records, rows, pd.DataFrame() if facts is None else facts, steps)


def _refuse_absent(study: Study, scale: Scale, absent: list[Trial], of: int) -> None:
    """Name the command that trains what has been run nowhere, if anything has not."""
    if not absent:
        return
    judged = absent[0].id in study.design.members(scale) or study.tuning is None
    raise SettingError(
        f"{len(absent)} of {of} trials of {study.name} at scale {scale} have not been run (the first: "
        f"{absent[0].label}); run `inductive-bias {'run' if judged else 'tune'} {study.name} --scale {scale}` first"
    )


def _measured(study: Study, scale: Scale, trials: list[Trial], before: _Before) -> dict[str | None, pd.DataFrame]:
    """The rows of every design by its name, and the facts of the tasks, each published ones and local ones."""
    tasks = {trial.id: task_id(trial) for trial in trials}
    tables, facts = {}, [before.facts[before.facts["task_id"].isin(tasks.values())]] if len(before.facts) else []
    for name, design in study.designs.items():
        rows = _rows(design, scale, study.store(), before.rows, before.ids)
        tables[name], found = split_facts(rows, tasks, design.factors)
        facts.append(found)
    return tables | {FACTS: gathered(pd.concat(facts, ignore_index=True))}


def _rows(design: Design, scale: Scale, store: Store, before: pd.DataFrame, there: set[str]) -> pd.DataFrame:
    """Published and local rows of a design, with the factors and levels that its trials have by now."""
    members = design.members(scale)
    here = local_rows(design, scale, store, [trial for name, (_, _, trial) in members.items() if name not in there])
    kept = before[before["trial"].isin(members)] if len(before) else before
    if not len(kept):
        return here
    coordinates = [name for name in COORDINATES if name in kept and name not in design.factors]
    measured = kept[["trial", *FIRST, *coordinates, *LAST]]
    levels = pd.DataFrame([dict(members[trial][0]) for trial in measured["trial"]], index=measured.index)
    kept = in_columns(pd.concat([measured, levels], axis=1), design)
    return in_design_order(pd.concat([kept, here], ignore_index=True) if len(here) else kept, design, scale)


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
    kept = _of_runs(before, published) if table.group is None else _of_groups(before, published)
    if lost := set(published.values()) - set(_groups(kept, published)) if table.group else set():
        raise SettingError(
            f"the published table {name} of {study.name} has no rows of group {min(lost, key=repr)}; run it again"
        )
    made = [local_table(study.name, name, table, runs.restricted(here))] if here else []
    return pd.concat([kept, *made], ignore_index=True)


def _of_runs(table: pd.DataFrame, published: Iterable[str]) -> pd.DataFrame:
    """The rows that name no run but these: a run may have left the design since."""
    named = _named(table)
    return table[(named.isin([*published]) | named.isna()).all(axis=1)].reset_index(drop=True)


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
    minutes = pd.Series({record["id"]: record["minutes"] for record in records})
    names = {
        trial: design.name(cell)
        for design in study.designs.values()
        for trial, (cell, _, _) in design.members(scale).items()
    }
    by_cell = minutes.groupby(minutes.index.map(lambda trial: names.get(trial, "teachers outside the design")))
    return origin_of(records) | {
        "published": f"{datetime.now(UTC):%Y-%m-%d}",
        "published_by": commit(),
        "trials": len(records),
        "seeds_per_cell": min(len(trials) for trials in study.design.cells(scale).values()),
        "minutes": round(float(minutes.sum()), 1),
        "minutes_per_trial": {cell: round(float(value), 2) for cell, value in by_cell.mean().items()},
        "data_sources": trained_on(rows),
        "files": described(files),
    }


def described(files: list[Path]) -> dict[str, dict[str, object]]:
    """Checksum and number of rows of each file, by its name."""
    return {path.name: {"sha256": checksum(path), "rows": len(read_parquet(path))} for path in files}


def problems_of(study: Study, scale: Scale, rows: pd.DataFrame, name: str | None = None) -> list[str]:
    """What keeps a table of rows from being published.

    An incomplete grid, too few seeds, levels that are not those of the design, values that no measurement gives, rows
    that are there twice, sample data in a real table.

    Args:
        study: whose.
        scale: at which.
        rows: without facts of tasks.
        name: of the table: None for what is judged, or that of the search for settings.
    """
    design = study.designs[name]
    first = ["trial", *design.factors, *FIRST]
    if list(rows.columns[: len(first)]) != first or list(rows.columns[-len(LAST) :]) != list(LAST):
        return [f"columns are {list(rows.columns)}, expected {first}, coordinates, {list(LAST)}"]
    members = design.members(scale)
    if odd := sorted(set(rows["trial"].unique()) ^ set(members)):
        return [f"trials {odd[:3]} ({len(odd)} in all) are not those of the design"]
    found = []
    for each, here in rows.drop_duplicates(["trial", *design.factors, "seed"]).groupby("trial"):
        cell, _, trial = members[each]
        said = here[[*design.factors, "seed"]].astype(object)
        said = said.where(said.notna(), None).to_dict("records")
        if said != [{**cell, "seed": trial.seed}]:
            found.append(f"trial {each} is said to be {said}, but the design has {dict(cell)}, seed {trial.seed}")
    for cell, trials in study.design.cells(scale).items() if name is None else ():
        if len({trial.seed for trial in trials}) < study.min_seeds:
            found.append(f"cell {design.name(cell)!r} has fewer than {study.min_seeds} seeds")
    return found + _odd_values(rows) + _uneven(rows, members) + _pretended(rows, members)


def _odd_values(rows: pd.DataFrame) -> list[str]:
    """Values that were never measured, and numbers that have several values."""
    found = []
    if unknown := sorted(set(rows["metric"]) - set(RANGES)):
        found.append(f"metric {unknown[0]!r} has no range: write it into RANGES of protocols/measures/ranges.py")
    odd = rows[implausible(rows) & ~rows["metric"].isin(unknown)]
    if len(odd):
        first = odd.iloc[0]
        found.append(
            f"{len(odd)} values are none that a measurement gives (the first: {first['metric']} {first['value']} on "
            f"{first['split']} of trial {first['trial']})"
        )
    place = [name for name in rows.columns if name not in LAST]
    if twice := int(rows.duplicated(place).sum()):
        found.append(f"{twice} numbers are there more than once")
    return found


def _uneven(rows: pd.DataFrame, members: dict) -> list[str]:
    """Trials of equal models, data and tasks must have been measured in equal places.

    So must those whose data another seed drew; but of what is counted in drawn sentences a draw may lack a rare value.
    """
    places = _places_of_results(rows)
    learnt_from = rows[rows["split"] == "train"].drop_duplicates("trial").set_index("trial")["dataset"]
    trials = {name: trial for name, (_, _, trial) in members.items()}
    counted = [name for name in SLICES if name in places]
    any_value = places.assign(**{name: places[name].notna() for name in counted})
    # models of one name may differ in what there is to report of them, such as the kinds of their heads
    alike = {name: repr((each.model, each.task.model_dump(exclude={"data_seed"}))) for name, each in trials.items()}
    uneven = _unequal(any_value, alike, learnt_from)
    if counted:  # where nothing is counted, equal places across draws are equal within each
        same_draw = {name: repr((each.model, each.task.model_dump())) for name, each in trials.items()}
        uneven |= _unequal(places, same_draw, learnt_from)
    names = sorted({trials[each].model.name for each in uneven})
    return [f"trials of model {name!r} do not have the same splits and metrics" for name in names]


def _places_of_results(rows: pd.DataFrame) -> pd.DataFrame:
    """``trial``, ``split``, ``metric`` and the coordinates of every final value but counts: a count may be none."""
    diverged = set(rows.loc[(rows["metric"] == "diverged") & (rows["value"] == 1), "trial"])
    final = rows[rows["epoch"].isna() & ~rows["trial"].isin(diverged) & (rows["metric"] != COUNT)]
    first = list(rows.columns).index("epoch") + 1
    return final[["trial", "split", "metric", *rows.columns[first : -len(LAST)]]]


def _unequal(places: pd.DataFrame, settings: Mapping[str, str], learnt_from: pd.Series) -> set[str]:
    """One trial of every group of equal settings and data in which not all trials have the same places."""
    found = set()
    for _, group in places.groupby([places["trial"].map(settings), places["trial"].map(learnt_from)]):
        grids = group.drop(columns="trial").astype(str).groupby(group["trial"])
        if len({frozenset(grid.itertuples(index=False, name=None)) for _, grid in grids}) > 1:
            found.add(group["trial"].iloc[0])
    return found


def _pretended(rows: pd.DataFrame, members: dict) -> list[str]:
    """A cell may be made of generated data only where its task says so: nothing stands in for the real data."""
    expected = {name: origin_of_task(trial) for name, (_, _, trial) in members.items()}
    named = rows[["origin", "dataset"]].assign(expected=rows["trial"].map(expected)).drop_duplicates()
    return _not_expected(named)


def _not_expected(named: pd.DataFrame) -> list[str]:
    wrong = named[named["origin"] != named["expected"]]
    sources = sorted({f"{each.origin}:{each.dataset}" for each in wrong.itertuples()})
    return [f"data sources {sources} are not real data, or not what their cells say"] if sources else []


def origin_of_task(trial: Trial) -> str:
    """Where the examples of a trial come from when nothing stands in for them: ``generated`` or ``real``."""
    return "generated" if trial.task.generated else "real"


def problems_of_facts(study: Study, scale: Scale, facts: pd.DataFrame) -> list[str]:
    """What keeps the table of facts from being published: facts of other tasks, twice, odd, or of stand-in data."""
    tasks = {task_id(trial): origin_of_task(trial) for each in study.designs.values() for trial in each.trials(scale)}
    if odd := sorted(set(facts["task_id"]) - set(tasks)):
        return [f"facts are there of tasks {odd[:3]} ({len(odd)} in all), which no trial has"]
    named = facts[["origin", "dataset"]].assign(expected=facts["task_id"].map(tasks)).drop_duplicates()
    return _odd_values(facts.assign(trial=facts["task_id"])) + _not_expected(named)


def problems_of_published(study: Study, scale: Scale) -> list[str]:
    """Check a published scale from its files: hashes, a manifest made anew from runs and rows, and the rows' checks."""
    entry = read_manifest(study.name).get(scale)
    if entry is None:
        return [f"{study.name} has a table for {scale} but no manifest entry"]
    found = []
    names = (*study.designs, RUNS, TRIALS, FACTS, *study.tables)
    expected = {table_path(study.name, scale, name).name for name in names}
    if set(entry["files"]) != expected:
        found.append(f"the manifest lists {sorted(entry['files'])}, expected {sorted(expected)}")
    for name, promised in entry["files"].items():
        path = paths.published(study.name) / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif checksum(path) != promised["sha256"] or len(read_parquet(path)) != promised["rows"]:
            found.append(f"{name} is not the file the manifest describes")
    tables = {name: read_rows(study.name, scale, name) for name in study.designs}
    for name, rows in tables.items():
        lost = f"the table {name or 'of rows'} is missing"
        found += [lost] if rows is None else problems_of(study, scale, rows, name)
    if not found:
        found += _not_of_the_runs(study, scale, entry, pd.concat(tables.values(), ignore_index=True))
    facts = read_rows(study.name, scale, FACTS)
    return found + (["the table of facts is missing"] if facts is None else problems_of_facts(study, scale, facts))


def _not_of_the_runs(study: Study, scale: Scale, entry: dict, rows: pd.DataFrame) -> list[str]:
    """What a manifest says and the published runs and rows do not say, such as commits, minutes or devices."""
    table = read_table(study.name, scale, RUNS)
    wanted = {trial.id for design in study.designs.values() for trial in in_order(design.trials(scale))}
    if odd := sorted(set(table["id"]) ^ wanted):
        return [f"runs {odd[:3]} ({len(odd)} in all) are not those of the design"]
    again = _entry(study, scale, records_of(table), rows, [])
    apart = {"published", "published_by", "files"}  # when it was, and what has been compared already
    differs = sorted(name for name in {*again, *entry} - apart if again.get(name) != entry.get(name))
    return [f"the manifest's {', '.join(differs)} are not those of the published runs and rows"] if differs else []
