"""A study: one declaration of its question, design, tables, claims, pages and numbers of the paper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.engine import Engine, missing, run_missing
from inductive_bias.store import Store
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.design import Cell, Design, Level
from inductive_bias.studies.paper import paper_numbers
from inductive_bias.studies.published import (
    measured_path,
    read_manifest,
    read_parquet,
    read_rows,
    read_table,
    table_path,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.run_provenance import RUNS
from inductive_bias.studies.runs import Runs, Table, in_order, local_rows, local_table
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.trials import Trial


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
        search: levels of the cells that settings were chosen by. Of these one run suffices: no claim is about them.
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
    search: Mapping[str, Level] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pages = {page.path for page in self.pages}
        if lost := [claim.id for claim in self.claims if claim.page not in pages]:
            raise ValueError(f"study {self.name!r} has no page for claims {', '.join(lost)}; it has {', '.join(pages)}")

    def judged(self, scale: Scale) -> dict[Cell, tuple[Trial, ...]]:
        """The cells that claims may be about, with their trials: all but those of the search for settings."""
        cells = self.design.cells(scale)
        searched = {cell for cell in cells if self.search and self.search.items() <= dict(cell).items()}
        return {cell: trials for cell, trials in cells.items() if cell not in searched}

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
        together: bool = False,
        progress: bool = True,
        extend: bool = False,
    ) -> int:
        """Train whatever is missing, see :func:`inductive_bias.engine.run_missing`.

        With ``extend`` only what the design has and is not published yet, and its teachers.
        """
        trials = self.unpublished(scale) if extend else self.trials(scale)
        options = {"device": device, "root": root, "jobs": jobs, "engine": engine, "together": together}
        return run_missing(trials, self.store(), progress=progress, **options)

    def unpublished(self, scale: str) -> list[Trial]:
        """The trials of the design whose rows are not published."""
        return self._beyond(read_rows(self.name, check_scale(scale)), scale)

    def _beyond(self, published: pd.DataFrame | None, scale: Scale) -> list[Trial]:
        known = set() if published is None else set(published["trial"])
        return [trial for name, (_, _, trial) in self.design.members(scale).items() if name not in known]

    def results(
        self,
        scale: str,
        *,
        device: str = "auto",
        root: Path | None = None,
        jobs: int | None = None,
        progress: bool = False,
    ) -> Results:
        """The published rows, with local ones added and missing trials trained.

        Raises:
            SettingError: unknown scale or device.
        """
        members = self.design.members(check_scale(scale))
        published = read_rows(self.name, scale)
        absent = self._beyond(published, scale)
        run_missing(absent, self.store(), device=device, root=root, jobs=jobs, progress=progress)
        rows = local_rows(self.design, scale, self.store(), absent)
        if published is not None:
            rows = in_order(pd.concat([published, rows]), self.design) if absent else published
        rows = rows[rows["trial"].isin(members)].reset_index(drop=True)

        def table(name: str) -> pd.DataFrame:
            if not absent:
                return read_table(self.name, scale, name)
            self.run(scale, device=device, root=root, jobs=jobs, progress=False)
            return local_table(self.name, name, self.tables[name], self.runs(scale, root))

        measured = {name: measured_path(name) for name in self.measured}
        return Results(
            self.name,
            scale,
            self.design,
            rows,
            tables={name: partial(table, name) for name in self.tables}
            | {name: partial(read_parquet, path) for name, path in measured.items() if path.is_file()},
            paper=self.paper_numbers(),
            provenance=provenance_line(self.name, scale, rows, published=not absent),
        )

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

    def progress(self, scale: Scale) -> tuple[int, int]:
        """Trials with a complete local run, and trials in all."""
        trials = self.trials(scale)
        return len(trials) - len(missing(trials, self.store())), len(trials)


def provenance_line(study: str, scale: str, rows: pd.DataFrame, *, published: bool) -> str:
    """Study, scale, trials, data, code and machine of what a notebook shows."""
    sources = ", ".join(sorted({source.split("+")[0] for source in rows["data_source"].unique()}))
    head = f"Study {study}, scale {scale}: {rows['trial'].nunique()} trials, data {sources}"
    entry = read_manifest(study).get(scale) if published else None
    if entry is None:
        return f"{head}; trained here, not published."
    return (
        f"{head}; published {entry['published']} from commit {entry['commit'][:10]}, "
        f"torch {entry['versions']['torch']}, device {', '.join(entry['devices'])}, "
        f"{entry['minutes']:.0f} minutes of training."
    )
