"""Further tables: errors of forecasts without a network, a few windows with their forecasts, and position matrices."""

import pandas as pd
import torch
from torch import nn

from inductive_bias.models.informer import EncoderDecoder
from inductive_bias.protocols.forecasting import by_part
from inductive_bias.studies.forecasting.design import ATTENTION, BACKBONES, INFORMER, PLANS, RSA, TOEPLITZ, cell, places
from inductive_bias.studies.forecasting.windows import forecasters, forecasts, with_days
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.forecasting import baseline_errors
from inductive_bias.trials import Trial

#: The part of the horizon that means all of it.
WHOLE = 0
TRAINED, UNTRAINED = "trained", "untrained"
#: Lags that are kept of a position matrix, in days.
LAG_DAYS = 5
#: Decimals of a weight: those below are 0.
DECIMALS = 4


def baselines(runs: Runs) -> pd.DataFrame:
    """Errors of every baseline: ``trial, baseline, metric, position, value``, a trial for each table and horizon.

    ``position`` is the last step of a part of the horizon as in the rows of the models, 0 for all of it.
    """
    rows = []
    for trial in _first_informers(runs):
        for name, errors in baseline_errors(with_days(trial.task).load(runs.root), day=trial.task.day).items():
            for metric, found in (("mse", errors.squared), ("mae", errors.absolute)):
                for position, value in [(WHOLE, found.mean().item()), *by_part(found)]:
                    rows.append(
                        {"trial": trial.id, "baseline": name, "metric": metric, "position": position, "value": value}
                    )
    return pd.DataFrame(rows)


def _first_informers(runs: Runs) -> list[Trial]:
    """The first Informer with attention of every table and horizon: its task says which windows are scored."""
    return [trial for place in places(runs.scale) for trial in runs.trials(**cell(place, INFORMER, ATTENTION))[:1]]


@torch.no_grad()
def lags(runs: Runs) -> pd.DataFrame:
    """What position matrices add to a row from the row so many before, σ(μ) fₙ, of every head, trained and untrained.

    Columns ``trial, when, layer, head, kind, lag, value``, of the one cell of the paper that is looked at: RSA in all
    backbones, and the free matrix. Layers and heads count from 1; ``kind`` is ``real``, ``cos``, ``sin`` or ``free``,
    of a dilated head ``dilated real`` and so on. A lag is in rows of the table, of which a layer after a distilling
    one sees every second.
    """
    rows = []
    for trial in _matrices(runs):
        most = LAG_DAYS * trial.task.day
        for when, model in ((TRAINED, runs.model(trial)), (UNTRAINED, runs.untrained(trial))):
            for layer, (block, every) in enumerate(zip(model.blocks, spacing(model), strict=True), start=1):
                for head, (kind, weights) in enumerate(_weights(block.mixer, most // every + 1), start=1):
                    at = {"trial": trial.id, "when": when, "layer": layer, "head": head, "kind": kind}
                    rows += [
                        at | {"lag": place * every, "value": round(value, DECIMALS)}
                        for place, value in enumerate(weights)
                    ]
    return pd.DataFrame(rows)


def _matrices(runs: Runs) -> list[Trial]:
    shown = [(model, RSA) for model in BACKBONES] + [(INFORMER, TOEPLITZ)]
    return [trial for each in shown for trial in runs.trials(**cell(PLANS[runs.scale].looked_at, *each))]


def spacing(model: nn.Module) -> list[int]:
    """How many rows of the table lie between two rows that a block reads."""
    if not isinstance(model, EncoderDecoder):
        return [1] * len(model.blocks)
    encoder = [2 ** min(place, len(model.halvings)) for place in range(len(model.encoder))]
    return encoder + [1] * len(model.decoder)


def _weights(mixer: nn.Module, count: int) -> list[tuple[str, list[float]]]:
    """Kind and weights of every head; a free matrix ends with the longest sequence, and a lag beyond is left out."""
    rem = getattr(mixer, "rem", None)
    if rem is None:
        length = min(count, mixer.length)
        kinds = ["free"] * mixer.mixed
    else:
        length, kinds = (
            count,
            ["dilated " * (far > 1) + kind for kind, far in zip(rem.kinds, rem.dilations, strict=True)],
        )
    matrix = (mixer if rem is None else rem).matrix(length)
    # the last row of a Toeplitz matrix holds all lags, the largest first
    weights = mixer.gate[:, None] * matrix[:, -1].flip(-1)
    return list(zip(kinds, weights.tolist(), strict=True))


TABLES = {
    "baselines": Table(baselines, uses=_first_informers, group=lambda cell, number: (cell, number)),
    **{
        make.__name__: Table(make, uses=uses, group=lambda cell, number: (cell, number))
        for make, uses in ((forecasts, forecasters), (lags, _matrices))
    },
}
