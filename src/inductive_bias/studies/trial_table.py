"""The published table of trials: every setting of every trial as a column, so that no reader looks into a design."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from inductive_bias.plugins import dimensions_for
from inductive_bias.running import protocol_of
from inductive_bias.studies.parameter_matching import parameters
from inductive_bias.trials import Trial, canonical, without_places

#: Columns that every table of trials begins with.
FIRST = ("id", "role", "seed", "task_id", "teacher_id", "parameters", "optimiser_steps")
#: Groups of settings, in the order of the columns.
GROUPS = ("task", "model", "optimiser", "schedule", "distill")
#: What a trial is for: judged by claims, run to choose settings, or a teacher that is in no cell.
JUDGED, SEARCH, TEACHER = ROLES = "judged", "search", "teacher"


def task_id(trial: Trial) -> str:
    """16 hexadecimal digits that two trials share if and only if their tasks are equal."""
    text = json.dumps(without_places(canonical(trial.task)), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def settings_of(trial: Trial) -> dict[str, object]:
    """Every setting of a trial by its dotted name, such as ``optimiser.learning_rate``, defaults included.

    Sequences and mappings without names of their own become JSON. The teacher is named by its id alone.
    """
    plain = trial.model_dump(mode="json", exclude={"seed"})
    if trial.distill is not None:
        plain["distill"].pop("teacher")
    return dict(_flat(plain))


def _flat(settings: Mapping[str, object], before: str = "") -> Iterable[tuple[str, object]]:
    for name, value in settings.items():
        if isinstance(value, dict) and value and all(isinstance(each, str) for each in value):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, json.dumps(value) if isinstance(value, list | dict) else value


class Counts:
    """Parameters of models and steps of an epoch, counted once for all trials that have them in common."""

    def __init__(self, root: Path | None = None):
        self._root = root
        self._parameters: dict[str, int] = {}
        self._steps: dict[str, int] = {}

    def parameters(self, trial: Trial) -> int:
        """How many numbers the model of a trial learns."""
        dimensions = dimensions_for(trial.model, trial.task)
        key = trial.model.model_dump_json() + json.dumps(dimensions, sort_keys=True, default=str)
        if key not in self._parameters:
            self._parameters[key] = parameters(trial.model, dimensions)
        return self._parameters[key]

    def steps_per_epoch(self, trial: Trial) -> int:
        """Optimiser steps of one epoch; the data of the trial are read.

        Raises:
            DataError: if the data are not there.
        """
        key = f"{task_id(trial)} {trial.schedule.batch_size}"
        if key not in self._steps:
            protocol = protocol_of(trial, trial.task.load(self._root), self._root)
            self._steps[key] = protocol.batching.steps_per_epoch()
        return self._steps[key]


def epochs_of(rows: pd.DataFrame) -> pd.Series:
    """The epochs that every trial was trained for, by id: fewer than its schedule has where it ended early."""
    losses = rows[(rows["metric"] == "loss") & (rows["split"] == "train") & rows["epoch"].notna()]
    return losses.groupby("trial")["epoch"].max().astype(int)


def trial_table(
    roles: Mapping[str, Iterable[Trial]],
    *,
    rows: pd.DataFrame | None = None,
    known_steps: Mapping[str, int] | None = None,
    root: Path | None = None,
) -> pd.DataFrame:
    """One row a trial: its id, role, seed, task, teacher, parameters, optimiser steps, and every setting.

    Columns are those of :data:`FIRST`, and settings by their dotted names (``optimiser.learning_rate``). A setting that
    a trial does not have (the width of a model without one) is missing.

    Args:
        roles: trials by what they are for, see :data:`ROLES`.
        rows: of the trials, which say after how many epochs each ended. Without them no data are read, and
            ``optimiser_steps`` are missing.
        known_steps: of trials whose steps have been counted before, by id.
        root: folder of the data.

    Raises:
        DataError: if steps are asked for and the data are not there.
    """
    counts, found = Counts(root), []
    epochs = {} if rows is None else epochs_of(rows).to_dict()
    for role, trials in roles.items():
        for trial in trials:
            steps = (known_steps or {}).get(trial.id)
            if rows is not None and steps is None:
                steps = epochs.get(trial.id, trial.schedule.epochs) * counts.steps_per_epoch(trial)
            teacher = trial.teacher.id if trial.teacher else None
            known = (trial.id, role, trial.seed, task_id(trial), teacher, counts.parameters(trial), steps)
            found.append(dict(zip(FIRST, known, strict=True)) | settings_of(trial))
    names = [*FIRST, *sorted({name for each in found for name in each} - {*FIRST}, key=_place)]
    return pd.DataFrame({name: _one_type([each.get(name) for each in found]) for name in names})


def _place(name: str) -> tuple[int, str]:
    """Where a setting stands among the columns: those of the task first."""
    group = name.partition(".")[0]
    return (GROUPS.index(group) if group in GROUPS else len(GROUPS)), name


def _one_type(values: list[object]) -> pd.Series:
    """A column that a file can hold: whole numbers stay whole beside missing ones; words beside numbers are JSON."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {int}:
        return pd.Series(values, dtype="Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="Float64")
    words = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pd.Series(words, dtype=object)
