"""Complete local runs of a study: their rows as one table, and their models and features for further tables."""

import hashlib
import inspect
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import torch
from torch import nn

from inductive_bias import places
from inductive_bias.running import build
from inductive_bias.store import Store
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import TaskData
from inductive_bias.trials import Trial

if TYPE_CHECKING:
    from inductive_bias.studies.study import Study

COLUMNS = ["study", "scale", "cell", "trial", "model", "teacher", "seed", "split", "metric", "epoch", "x", "value",
           "data_source"]  # fmt: skip


@dataclass(frozen=True)
class Runs:
    """Access to complete local runs, for tables that compare trials with one another."""

    cells: Mapping[str, tuple[Trial, ...]]
    store: Store
    root: Path | None = None

    def model(self, trial: Trial) -> nn.Module:
        """The trained model, on the CPU, in evaluation mode."""
        return build(trial, self.store.weights(trial))

    def features(self, trial: Trial) -> dict[int, torch.Tensor]:
        """Penultimate features of the probe examples by epoch, in order of epochs."""
        kept = self.store.arrays(trial).items()
        found = {int(name.split("/")[1]): value for name, value in kept if name.startswith("features/")}
        return dict(sorted(found.items()))

    def logits(self, trial: Trial, split: str) -> torch.Tensor:
        """Logits of a test split, where the trial's protocol keeps them."""
        return self.store.arrays(trial)[f"logits/{split}"]

    def data(self, trial: Trial) -> TaskData:
        """The trial's data."""
        return trial.task.load(self.root)


def local_rows(study: "Study", scale: Scale, trials: list[Trial]) -> pd.DataFrame:
    """Rows of local runs in the columns of a published table."""
    cell_of = {trial.id: cell for cell, members in study.cells(scale).items() for trial in members}
    store, frames = study.store(), []
    for trial in trials:
        frame = store.rows(trial)
        labels = {
            "study": study.name,
            "scale": scale,
            "cell": cell_of[trial.id],
            "trial": trial.id,
            "model": trial.model.name,
            "teacher": trial.teacher.model.name if trial.teacher else "",
            "seed": trial.seed,
        }
        for place, (name, value) in enumerate(labels.items()):
            frame.insert(place, name, value)
        frames.append(frame.astype({"epoch": "float64", "x": "float64"}))
    if not frames:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(frames, ignore_index=True)[COLUMNS]


def local_table(study: "Study", scale: Scale, name: str, root: Path | None = None) -> pd.DataFrame:
    """A further table made from complete local runs.

    It is kept in ``runs/<study>/tables/``, since several notebooks ask for it and barriers take minutes. The file's
    name holds a hash of the design and of the module that makes the table: a change of either makes it anew.
    """
    make, cells = study.tables[name], study.cells(scale)
    parts = [trial.id for trials in cells.values() for trial in trials] + [inspect.getsource(inspect.getmodule(make))]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    path = places.runs(study.name) / "tables" / f"{scale}-{name}-{key}.parquet"
    if path.is_file():
        return pd.read_parquet(path)
    table = make(Runs(cells, study.store(), root))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".draft-{uuid.uuid4().hex}")
    table.to_parquet(draft, index=False)
    os.replace(draft, path)
    return table
