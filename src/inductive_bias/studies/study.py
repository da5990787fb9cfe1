"""A study: one declaration of its question, design, tables, claims, pages and numbers of the paper."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from inductive_bias import paths
from inductive_bias.engine import Engine, missing, run_missing
from inductive_bias.errors import SettingError
from inductive_bias.store import Store
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.design import Design
from inductive_bias.studies.fetching import fetch_absent
from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.paper import paper_numbers
from inductive_bias.studies.published import (
    BENCHMARKS,
    FACTS,
    RUNS,
    SEARCH,
    TRIALS,
    check_length,
    measured_path,
    read_parquet,
    read_rows,
    read_table,
    table_path,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.runs import Runs, Table, in_columns, local_rows, local_table
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.studies.task_facts import gathered, split_facts
from inductive_bias.studies.trial_table import JUDGED, TEACHER, task_id
from inductive_bias.studies.tuning import MOST_FURTHER, Tuning
from inductive_bias.trials import Trial, in_order

#: What a study may be called: its runs lie in a folder of that name.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


@dataclass(frozen=True)
class Page:
    """A chapter of the book.

    Attributes:
        path: of the notebook in the book, ``vision/distillation``.
        question: what it asks, in a line of the index.
        tests: the sentence that it tests, in a line of the README.
    """

    path: str
    question: str
    tests: str


@dataclass(frozen=True)
class Size:
    """One scale in words, for the README: its data, its models, and how long it takes."""

    data: str
    models: str
    time: str = "not measured yet"


@dataclass(frozen=True)
class Study:
    """One figure family.

    Attributes:
        name: as on the command line and in the folders.
        question: one line for people.
        part: of the book, in which its pages stand.
        design: factors, levels and the trial of every combination.
        pages: the chapters that show it; every claim has its place on one of them.
        claims: what the study tests; each has its place on one of the pages.
        tables: named tables that need several runs at once (similarities, barriers …); :meth:`Results.table` adds what
            is known of the runs that they name.
        measured: benchmarks that claims judge as well. What each has published is a table of the results, under its
            name, whatever the scale; there is no such table before.
        sizes: what each scale is, in words.
        paper: a file of the paper's numbers, see :mod:`inductive_bias.studies.paper`.
        min_seeds: below so many seeds in a cell, nothing is published.
        tuning: the search for settings, apart from what is judged; None if nothing is searched for.
    """

    name: str
    question: str
    part: str
    design: Design
    pages: tuple[Page, ...] = ()
    claims: tuple[Claim, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    measured: tuple[str, ...] = ()
    sizes: Mapping[Scale, Size] = field(default_factory=dict)
    paper: Path | None = None
    min_seeds: int = 4
    tuning: Tuning | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"a study's name is its folder too: 1 to 60 letters, digits, _ or -, first a letter or digit, not "
                f"{self.name!r}"
            )
        pages = {page.path for page in self.pages}
        if lost := [claim.id for claim in self.claims if claim.page not in pages]:
            raise ValueError(f"study {self.name!r} has no page for claims {', '.join(lost)}; it has {', '.join(pages)}")

    def claims_on(self, page: str) -> list[Claim]:
        """The claims that have their place on a page."""
        return [claim for claim in self.claims if claim.page == page]

    def trials(self, scale: str) -> list[Trial]:
        """Every trial of the design and every teacher, teachers first.

        Raises:
            SettingError: unknown scale.
        """
        return self.design.trials(check_scale(scale))

    def store(self) -> Store:
        """The local runs."""
        return Store(paths.runs(self.name))

    def run(
        self,
        scale: str,
        *,
        device: str = "auto",
        root: Path | None = None,
        jobs: int | None = None,
        engine: Engine = "local",
        address: str | None = None,
        together: bool = False,
        progress: bool = True,
        extend: bool = False,
    ) -> int:
        """Train whatever is missing, see :func:`inductive_bias.engine.run_missing`.

        With ``extend`` only what the design has and is not published yet, and its teachers.
        """
        trials = self.unpublished(scale) if extend else self.trials(scale)
        options = {"device": device, "root": root, "jobs": jobs, "engine": engine, "address": address}
        return run_missing(trials, self.store(), together=together, progress=progress, **options)

    @property
    def designs(self) -> dict[str | None, Design]:
        """What is judged (None), and the search for settings, by the names of their published tables of rows."""
        return {None: self.design} | ({SEARCH: self.tuning.design} if self.tuning else {})

    def unpublished(self, scale: str) -> list[Trial]:
        """The trials of the design whose rows are not published."""
        return _beyond(self.design, read_rows(self.name, check_scale(scale)), scale)

    def is_published(self, scale: Scale) -> bool:
        """Whether a table of the scale is published; where none is, :meth:`results` trains what is missing."""
        return table_path(self.name, scale).is_file()

    def results(
        self,
        scale: str,
        *,
        device: str = "auto",
        root: Path | None = None,
        jobs: int | None = None,
        progress: bool = False,
    ) -> Results:
        """The published rows, with those of local runs added.

        Where nothing of the scale is published, missing trials are trained. What is published is read and never
        trained again: trials that the design has besides and that have not been run have no rows. If nothing at all is
        published here and INDUCTIVE_BIAS_RESULTS names a source, the tables are fetched from there.

        Raises:
            SettingError: unknown scale or device.
            StoreError: if a published table has fewer or more rows than its manifest says, or cannot be fetched.
        """
        check_scale(scale)
        for name in (self.name, *([BENCHMARKS] if self.measured else [])):
            fetch_absent(name)
        options = {"device": device, "root": root, "jobs": jobs, "progress": progress}
        return self._results(None, scale, options)

    def _results(
        self, name: str | None, scale: Scale, options: Mapping[str, Any], *, train_all: bool = False
    ) -> Results:
        design = self.designs[name]
        published = read_rows(self.name, scale, name)
        if published is not None:
            check_length(self.name, scale, name, published)
        absent = _beyond(design, published, scale)
        if train_all or published is None:
            run_missing(absent, self.store(), **options)
        local = [trial for trial in absent if self.store().has(trial)]
        rows, facts = self._with_local(design, scale, published, local)

        def table(asked: str) -> pd.DataFrame:
            if published is not None:
                return read_table(self.name, scale, asked)
            self.run(scale, **options | {"progress": False})
            return local_table(self.name, asked, self.tables[asked], self.runs(scale, options["root"]))

        measured = {each: measured_path(each) for each in self.measured}
        listed = table_path(self.name, scale, TRIALS)
        return Results(
            self.name,
            scale,
            design,
            rows,
            facts=facts,
            tables={each: partial(table, each) for each in (self.tables if name is None else ())}
            | {each: partial(read_parquet, path) for each, path in measured.items() if path.is_file()},
            searched=partial(self._results, SEARCH, scale, options) if self.tuning and name is None else None,
            listed=partial(read_parquet, listed) if listed.is_file() and not local else None,
            paper=self.paper_numbers(),
            provenance=provenance_line(self.name, scale, rows, published=published is not None and not local),
        )

    def _with_local(
        self, design: Design, scale: Scale, published: pd.DataFrame | None, local: list[Trial]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The rows of the design's trials, published and local ones, and the facts of the tasks."""
        rows, facts = published, read_rows(self.name, scale, FACTS)
        if local or published is None:
            found = local_rows(design, scale, self.store(), local)
            here, known = split_facts(found, {trial.id: task_id(trial) for trial in local}, design.factors)
            rows = here if published is None else in_columns(pd.concat([published, here]), design)
            facts = known if facts is None else gathered(pd.concat([known, facts], ignore_index=True))
        rows = rows[rows["trial"].isin(design.members(scale))].reset_index(drop=True)
        return rows, pd.DataFrame() if facts is None else facts

    def tune(self, scale: str, *, most_further: int = MOST_FURTHER, **options: Any) -> pd.DataFrame:
        """Run the search for settings, let its grid grow where the best is at an edge, and write ``tuned.csv``.

        Args:
            scale: at which.
            most_further: so often the grid may grow; the best may then still be at an edge, see ``Tuning.edges``.
            options: of :func:`inductive_bias.engine.run_missing`.

        Returns:
            The rows of the file at this scale.

        Raises:
            SettingError: if the study searches for nothing, or the scale is unknown.
        """
        check_scale(scale)
        if self.tuning is None:
            raise SettingError(f"study {self.name!r} searches for no settings")
        for left in reversed(range(most_further + 1)):
            found = self.tuning.scores(self._results(SEARCH, scale, {"progress": False} | options, train_all=True))
            further = self.tuning.edges(found) if left else []
            self.tuning.tuned.write(scale, found, further)
            for design in self.designs.values():
                design.forget()
            if not further:
                break
        return found

    def trial_roles(self, scale: Scale) -> dict[str, list[Trial]]:
        """All trials by what they are for: judged, run to choose settings, or a teacher in no cell."""
        judged = [trial for _, _, trial in self.design.members(scale).values()]
        searched = [trial for _, _, trial in self.tuning.design.members(scale).values()] if self.tuning else []
        inside = {trial.id for trial in (*judged, *searched)}
        everyone = [trial for design in self.designs.values() for trial in design.trials(scale)]
        outside = {trial.id: trial for trial in everyone if trial.id not in inside}
        return {JUDGED: judged, SEARCH: searched, TEACHER: list(outside.values())}

    def runs(self, scale: Scale, root: Path | None = None) -> Runs:
        """The local runs of a scale, for tables that compare them."""
        return Runs(self.design, scale, self.store(), root)

    def paper_numbers(self) -> pd.DataFrame:
        """What the paper reports; no row if there is no file."""
        return paper_numbers(self.paper or Path("/nowhere"), self.design.factors)

    def minutes(self, scale: Scale) -> dict[str, float]:
        """Minutes that each run took, teachers' too, by id: as published, or as the local run says."""
        published = read_table(self.name, scale, RUNS) if table_path(self.name, scale, RUNS).is_file() else None
        known = {} if published is None else dict(zip(published["id"], published["minutes"], strict=True))
        store = self.store()
        local = [trial for trial in self.trials(scale) if trial.id not in known and store.has(trial)]
        return known | {trial.id: store.record(trial)["minutes"] for trial in local}

    def on_gpu(self, scale: Scale) -> frozenset[str]:
        """Ids of the published runs that were trained on a GPU: their minutes are none of a core."""
        if not table_path(self.name, scale, RUNS).is_file():
            return frozenset()
        published = read_table(self.name, scale, RUNS)
        return frozenset(published.loc[published["device"] != "cpu", "id"])

    def progress(self, scale: Scale) -> tuple[int, int]:
        """Trials with a complete local run, and trials in all."""
        trials = in_order(trial for design in self.designs.values() for trial in design.trials(scale))
        return len(trials) - len(missing(trials, self.store())), len(trials)


def _beyond(design: Design, published: pd.DataFrame | None, scale: Scale) -> list[Trial]:
    """The trials of a design that have no published row."""
    known = set() if published is None else set(published["trial"].unique())
    return [trial for name, (_, _, trial) in design.members(scale).items() if name not in known]


def trained_on(rows: pd.DataFrame) -> list[str]:
    """The data that trials learnt from, sorted: ``real:mnist``."""
    found = rows[rows["split"] == "train"][["origin", "dataset"]].drop_duplicates()
    return sorted(f"{each.origin}:{each.dataset}" for each in found.itertuples())


def provenance_line(study: str, scale: str, rows: pd.DataFrame, *, published: bool) -> str:
    """Study, scale, trials, data, code and machine of what a notebook shows."""
    head = f"Study {study}, scale {scale}: {rows['trial'].nunique()} trials, data {', '.join(trained_on(rows))}"
    entry = read_manifest(study).get(scale) if published else None
    if entry is None:
        return f"{head}; trained here, not published."
    return (
        f"{head}; published {entry['published']} from commit {entry['commit'][:10]}, "
        f"torch {entry['versions']['torch']}, device {', '.join(entry['devices'])}, "
        f"{entry['minutes']:.0f} minutes of training."
    )
