"""Complete local runs of a study: their rows as one table, and their models and features for further tables."""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
import torch
from torch import nn

import inductive_bias
from inductive_bias import paths
from inductive_bias.layers.kernels import only_if_asked
from inductive_bias.running import build, protocol_of, reproducible
from inductive_bias.store import Store
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.design import Cell, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import TaskData
from inductive_bias.trials import Trial

#: Columns of a table of rows before and after its coordinates; the factors stand behind the first.
FIRST, LAST = ("seed", "split", "metric", "epoch"), ("value", "origin", "dataset")


@dataclass(frozen=True)
class Runs:
    """Access to complete local runs, for tables that compare trials with one another.

    ``only`` are the ids of the trials that may be read; all of the scale if None.
    """

    design: Design
    scale: Scale
    store: Store
    root: Path | None = None
    only: frozenset[str] | None = None

    def trials(self, **levels: Level | Sequence[Level]) -> list[Trial]:
        """The trials of the cells with these levels (one, or several of a factor), in the order of the design."""
        listed = {name: [wanted] if isinstance(wanted, Level) else list(wanted) for name, wanted in levels.items()}
        return [
            trial
            for cell, trials in self.design.cells(self.scale).items()
            if all(cell[name] in wanted for name, wanted in listed.items())
            for trial in trials
            if self.only is None or trial.id in self.only
        ]

    def firsts(self, **levels: Level | Sequence[Level]) -> list[Trial]:
        """The first trial of each cell with these levels, in the order of the design."""
        members = self.design.members(self.scale)
        return [trial for trial in self.trials(**levels) if members[trial.id][1] == 0]

    def restricted(self, trials: Iterable[Trial]) -> "Runs":
        """Runs of these trials alone."""
        return replace(self, only=frozenset(trial.id for trial in trials))

    def model(self, trial: Trial) -> nn.Module:
        """The trained model, on the CPU, in evaluation mode."""
        return build(trial, self.store.weights(trial))

    def untrained(self, trial: Trial) -> nn.Module:
        """The model with its first weights, on the CPU, in evaluation mode; no global seed is touched."""
        with reproducible(trial.seed, torch.device("cpu")):
            return build(trial)

    def features(self, trial: Trial) -> dict[int, torch.Tensor]:
        """Penultimate features of the probe examples by epoch, in order of epochs."""
        kept = self.store.arrays(trial).items()
        found = {int(name.split("/")[1]): value for name, value in kept if name.startswith("features/")}
        return dict(sorted(found.items()))

    def probed(self, trial: Trial) -> torch.Tensor:
        """Penultimate features of the probe examples by the trained model, made anew from its weights."""
        return protocol_of(trial, self.data(trial), self.root).features(self.model(trial))

    def logits(self, trial: Trial, split: str) -> torch.Tensor:
        """Logits of a test split, where the trial's protocol keeps them."""
        return self.store.arrays(trial)[f"logits/{split}"]

    def data(self, trial: Trial) -> TaskData:
        """The trial's data."""
        return trial.task.load(self.root)


def local_rows(design: Design, scale: Scale, store: Store, trials: Sequence[Trial]) -> pd.DataFrame:
    """Rows of local runs in the columns of a published table: trial, factors, seed, …, coordinates, value, source."""
    members, frames = design.members(scale), []
    for trial in trials:
        cell, _, _ = members[trial.id]
        frame = with_origin(store.rows(trial)).assign(trial=trial.id, seed=trial.seed, **cell)
        frames.append(frame.dropna(axis="columns", how="all"))
    if not frames:
        return pd.DataFrame(columns=["trial", *design.factors, *FIRST, *LAST])
    return in_columns(pd.concat(frames, ignore_index=True), design)


def with_origin(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the columns ``origin`` and ``dataset`` in place of the one that a run keeps, ``real:mnist``."""
    if "data_source" not in rows:
        return rows
    found = rows["data_source"].str.partition(":")
    return rows.drop(columns="data_source").assign(origin=found[0], dataset=found[2])


def in_columns(rows: pd.DataFrame, design: Design) -> pd.DataFrame:
    """The columns in the order of a published table; the coordinates by name."""
    first = ["trial", *design.factors, *FIRST]
    # a level that no cell has (None everywhere) leaves no column behind
    absent = [name for name in (*design.factors, "epoch") if name not in rows]
    rows = rows.assign(**dict.fromkeys(absent, float("nan")))
    coordinates = sorted(name for name in rows.columns if name not in (*first, *LAST))
    return rows[[*first, *coordinates, *LAST]]


def in_design_order(rows: pd.DataFrame, design: Design, scale: Scale) -> pd.DataFrame:
    """The rows in the columns of a published table, the trials in the order of the design."""
    place = {trial: number for number, trial in enumerate(design.members(scale))}
    order = rows["trial"].map(place)
    return in_columns(rows.iloc[order.argsort(kind="stable")].reset_index(drop=True), design)


@dataclass(frozen=True)
class Table:
    """A further table of a study, made from complete local runs. It names runs in columns ``trial…``.

    Attributes:
        make: from the runs that it may read to its rows.
        uses: the runs that it reads; all of the scale unless told.
        group: ``group(cell, number)`` tells apart runs that are never compared, such as those of two training sets or
            of two numbers: each row is made from the runs of one group alone. Such a table can grow by whole groups
            when the runs of the others are not here any more. None if any two runs may be compared.
    """

    make: Callable[[Runs], pd.DataFrame]
    uses: Callable[[Runs], list[Trial]] = Runs.trials
    group: Callable[[Cell, int], Hashable] | None = None

    def groups(self, runs: Runs) -> dict[Hashable, list[Trial]]:
        """The runs that the table reads, by group, in the order of the design."""
        members, found = runs.design.members(runs.scale), {}
        for trial in self.uses(runs):
            cell, number, _ = members[trial.id]
            found.setdefault(self.group(cell, number) if self.group else None, []).append(trial)
        return found

    def made(self, runs: Runs) -> pd.DataFrame:
        """The rows of every group, one after the other."""
        parts = [self.make(runs.restricted(trials)) for trials in self.groups(runs).values()]
        return pd.concat(parts, ignore_index=True) if len(parts) > 1 else (parts or [self.make(runs)])[0]


def local_table(study: str, name: str, table: Table, runs: Runs) -> pd.DataFrame:
    """A further table made from complete local runs.

    It is kept in ``runs/<study>/tables/``, since several notebooks ask for it and barriers take minutes. The file's
    name holds a hash of all that it depends on: the package's own source, and the runs that it reads.
    """
    parts = [source_sha256(), *(runs.store.fingerprint(trial) for trial in table.uses(runs))]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    path = paths.runs(study) / "tables" / f"{runs.scale}-{name}-{key}.parquet"
    if path.is_file():
        return pd.read_parquet(path)
    with only_if_asked():  # the models then give what they gave when they were trained
        made = table.made(runs)
    write(path, lambda draft: made.to_parquet(draft, index=False))
    return made


@cache
def source_sha256() -> str:
    """SHA-256 of every Python file of the package: a table is made anew after any change of the code."""
    folder = Path(inductive_bias.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
