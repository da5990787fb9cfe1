"""A study: the trials of one figure family, the tables made from them, and the claims they test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from inductive_bias import places
from inductive_bias.engine import Engine, missing, run_missing
from inductive_bias.errors import SettingError
from inductive_bias.store import Store
from inductive_bias.studies import publishing
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.runs import Runs, local_rows, local_table
from inductive_bias.studies.scales import Scale, check_scale
from inductive_bias.trials import Trial, in_order


@dataclass(frozen=True)
class Study:
    """One figure family.

    Attributes:
        name: as on the command line and in the folders.
        question: one line for people.
        cells: from a scale to the named cells of the design, each with its trials (one a seed). A scale changes
            arguments, never code. No trial is in two cells.
        tables: named tables that need several runs at once (similarities, barriers …).
        claims: what the study tests.
        min_seeds: below so many seeds in a cell, nothing is published.
    """

    name: str
    question: str
    cells: Callable[[Scale], Mapping[str, tuple[Trial, ...]]]
    tables: Mapping[str, Callable[[Runs], pd.DataFrame]]
    claims: tuple[Claim, ...]
    min_seeds: int = 4

    def trials(self, scale: str) -> list[Trial]:
        """Every trial of the design and every teacher, teachers first."""
        return in_order(trial for trials in self.cells(check_scale(scale)).values() for trial in trials)

    def store(self) -> Store:
        """The local runs."""
        return Store(places.runs(self.name))

    def run(self, scale: str, *, device: str = "auto", root: Path | None = None, jobs: int | None = None,
            engine: Engine = "local", progress: bool = True) -> int:  # fmt: skip
        """Train whatever is missing; see :func:`inductive_bias.engine.run_missing`."""
        return run_missing(
            self.trials(scale), self.store(), device=device, root=root, jobs=jobs, engine=engine, progress=progress
        )

    def results(self, scale: str, *, device: str = "auto", root: Path | None = None, jobs: int | None = None,
                progress: bool = False) -> "Results":  # fmt: skip
        """The published rows, with local ones added and missing trials trained.

        Raises:
            SettingError: unknown scale or device.
        """
        wanted = [trial for trials in self.cells(check_scale(scale)).values() for trial in trials]
        published = publishing.read_rows(self.name, scale)
        known = set() if published is None else set(published["trial"])
        absent = [trial for trial in wanted if trial.id not in known]
        run_missing(absent, self.store(), device=device, root=root, jobs=jobs, progress=progress)
        local = local_rows(self, scale, absent)
        rows = local if published is None else pd.concat([published, local]) if len(local) else published
        rows = rows[rows["trial"].isin({trial.id for trial in wanted})].reset_index(drop=True)
        return Results(self, scale, rows, complete_publication=not absent, device=device, root=root, jobs=jobs)


@dataclass(frozen=True)
class Results:
    """What a notebook reads: tidy ``rows`` of every seed, and the study's further tables by name."""

    study: Study
    scale: Scale
    rows: pd.DataFrame
    complete_publication: bool
    device: str = "auto"
    root: Path | None = None
    jobs: int | None = None

    def table(self, name: str) -> pd.DataFrame:
        """A table that compares trials: the published one, or made from local runs (training what is missing).

        Raises:
            SettingError: if the study has no such table.
        """
        if name not in self.study.tables:
            raise SettingError(
                f"study {self.study.name!r} has no table {name!r}; it has {', '.join(self.study.tables)}"
            )
        if self.complete_publication:
            return publishing.read_table(self.study.name, self.scale, name)
        self.study.run(self.scale, device=self.device, root=self.root, jobs=self.jobs, progress=False)
        return local_table(self.study, self.scale, name, self.root)

    def final(self, metric: str, *, split: str | None = None, cell: str | None = None) -> pd.DataFrame:
        """Final values of one metric, one row a trial × split (× x)."""
        rows = self.rows[(self.rows["metric"] == metric) & self.rows["epoch"].isna()]
        if split is not None:
            rows = rows[rows["split"] == split]
        return rows if cell is None else rows[rows["cell"] == cell]

    def values(self, cell: str, split: str, metric: str) -> list[float]:
        """Final values of one cell, one a seed, in order of seeds."""
        return self.final(metric, split=split, cell=cell).sort_values("seed")["value"].tolist()

    def provenance(self) -> str:
        """One line: what was run, on which data, by which code."""
        return publishing.provenance_line(self)


def progress_of(study: Study, scale: Scale) -> tuple[int, int]:
    """Trials with a complete local run, and trials in all."""
    trials = study.trials(scale)
    return len(trials) - len(missing(trials, study.store())), len(trials)
