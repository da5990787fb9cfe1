"""Facts of the data, kept once a task: how many examples there are, what the best constant answer has right.

A protocol measures them in every run, since a run must be readable alone. They are the same for every model, so a
publication keeps each once, by the task's id (:func:`~inductive_bias.studies.trial_table.task_id`).
"""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from inductive_bias.errors import SettingError
from inductive_bias.protocols.measures import COORDINATES
from inductive_bias.protocols.measures.ranges import TASK_FACTS

#: Two runs that add the same numbers in another order differ in the last digits.
ROUNDING = 1e-9
#: The columns of a fact that say nothing of its place.
VALUES = ("value", "origin", "dataset")


def split_facts(
    rows: pd.DataFrame, tasks: Mapping[str, str], factors: Collection[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of runs without the facts of their tasks, and a table of these facts, each once.

    Its columns are ``task_id, split, metric``, coordinates, ``value, origin, dataset``.

    Args:
        rows: ``trial, split, metric, epoch``, coordinates, ``value, origin, dataset`` and more.
        tasks: by id of the trial, the id of its task.
        factors: of the design; a column of this name is no coordinate.

    Raises:
        SettingError: if two runs say different things of one task.
    """
    is_fact = rows["metric"].isin(TASK_FACTS) & rows["epoch"].isna()
    facts = rows[is_fact].assign(task_id=rows.loc[is_fact, "trial"].map(tasks))
    columns = [
        "task_id",
        "split",
        "metric",
        *(name for name in COORDINATES if name in rows and name not in factors),
        *VALUES,
    ]
    return rows[~is_fact].reset_index(drop=True), gathered(facts[columns])


def gathered(facts: pd.DataFrame) -> pd.DataFrame:
    """Every fact once.

    Raises:
        SettingError: if one is there with two values.
    """
    facts = facts.astype({"value": float})
    place = [name for name in facts if name not in VALUES]
    values = facts.groupby(place, dropna=False, sort=False)["value"].agg(["min", "max"])
    odd = values[~np.isclose(values["min"], values["max"], rtol=ROUNDING, atol=ROUNDING, equal_nan=True)]
    if len(odd):
        at = dict(zip(place, odd.index[0], strict=True))
        raise SettingError(
            f"runs of task {at['task_id']} say different things of it: {at['metric']} on {at['split']} is "
            f"{odd['min'].iloc[0]} and {odd['max'].iloc[0]}"
        )
    kept = facts[~facts.duplicated(place)].reset_index(drop=True)
    empty = [name for name in place if name not in ("task_id", "split", "metric") and kept[name].isna().all()]
    return kept.drop(columns=empty)


def expanded(facts: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Facts beside every trial of their task.

    Args:
        facts: as :func:`split_facts` gives them.
        trials: ``trial, task_id`` and whatever else is known of a trial.
    """
    found = trials.merge(facts, on="task_id", how="inner")
    return found.drop(columns="task_id").assign(epoch=np.nan)
