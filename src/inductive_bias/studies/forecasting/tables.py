"""What forecasts without a network do on the windows that the models are scored on."""

import pandas as pd

from inductive_bias.protocols.forecasting import by_part
from inductive_bias.studies.forecasting.design import ATTENTION, INFORMER, USUAL, places
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.searching import CHOSEN, STANDARD
from inductive_bias.tasks.forecasting import baseline_errors
from inductive_bias.trials import Trial

#: Days that the ridge regression looks back; what a model reads is not longer at laptop scale.
DAYS = 7
#: The part of the horizon that means all of it.
WHOLE = 0


def baselines(runs: Runs) -> pd.DataFrame:
    """Errors of every baseline: ``trial, baseline, metric, position, value``, a trial for each table and horizon.

    ``position`` is the last step of a part of the horizon as in the rows of the models, 0 for all of it.
    """
    rows = []
    for trial in _uses(runs):
        days = 2 if trial.task.day > 24 or trial.task.data == "generated" else DAYS
        task = trial.task.model_copy(update={"past": days * trial.task.day})
        for name, errors in baseline_errors(task.load(runs.root), day=task.day).items():
            for metric, found in (("mse", errors.squared), ("mae", errors.absolute)):
                for position, value in [(WHOLE, found.mean().item()), *by_part(found)]:
                    rows.append({"trial": trial.id, "baseline": name, "metric": metric, "position": position,
                                 "value": value})  # fmt: skip
    return pd.DataFrame(rows)


def _uses(runs: Runs) -> list[Trial]:
    """The first Informer with attention of every table and horizon: its task says which windows are scored."""
    found = []
    for data, horizon in places(runs.scale):
        at = {"data": data, "horizon": horizon, "model": INFORMER, "mixer": ATTENTION, "order": USUAL[INFORMER]}
        found += runs.trials(variant=STANDARD, rate=CHOSEN, **at)[:1]
    return found


TABLES = {"baselines": Table(baselines, uses=_uses)}
