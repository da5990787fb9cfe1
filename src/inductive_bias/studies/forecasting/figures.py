"""From the rows of the study to what its figures draw."""

import numpy as np
import pandas as pd
import torch

from inductive_bias.layers import rem_lags
from inductive_bias.studies.forecasting.claims import baseline, errors, gains, gates
from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    BACKBONES,
    CONSECUTIVE,
    CONTROLS,
    INFORMER,
    LANGUAGE_MODEL,
    ONE,
    PLANS,
    REORDERED,
    RSA,
    SHUFFLED,
    TEXT,
    Place,
    cell,
    places,
)
from inductive_bias.studies.forecasting.tables import WHOLE
from inductive_bias.studies.frames import by_rate, mean_std
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import TUNING
from inductive_bias.tasks.forecasting import BASELINES


def changes(results: Results) -> pd.DataFrame:
    """Relative change of the error with RSA: ``model, data, horizon, number, value``; below 0 is better."""
    rows = []
    for model in BACKBONES:
        found = gains(results, model)
        for (data, horizon), name in zip(places(results.scale), found, strict=True):
            rows += [
                {"model": model, "data": data, "horizon": horizon, "number": number, "value": np.exp(-value) - 1}
                for number, value in found[name].items()
            ]
    return pd.DataFrame(rows)


def ladder(results: Results, metric: str = "mse") -> pd.DataFrame:
    """Everything that forecasts one cell of the paper: ``data, horizon, what, kind, value, paper``.

    ``kind`` is ``baseline`` or ``model``; the value of a model is the mean over its runs that did not diverge;
    ``paper`` is what is reported of it, NaN where nothing is.
    """
    rows = []
    for place in places(results.scale):
        at = dict(zip(("data", "horizon"), place, strict=True))
        for name in BASELINES:
            value = baseline(results, place, name, metric)
            rows.append(at | {"what": name, "kind": "baseline", "value": value, "paper": np.nan})
        for model in BACKBONES:
            for mixer in (ATTENTION, RSA):
                value = results.values(metric, split="test", **cell(place, model, mixer)).mean()
                known = results.reported(metric, split="test", model=model, mixer=mixer, **at)
                paper = np.nan if known is None else known[0]
                rows.append(at | {"what": f"{model}, {mixer}", "kind": "model", "value": value, "paper": paper})
    return pd.DataFrame(rows)


def beside_reported(results: Results, metric: str = "mse") -> pd.DataFrame:
    """The same as a table: a row per cell of the paper, a column per forecast; what is reported in brackets."""
    rows = []
    for place in places(results.scale):
        data, horizon = place
        row = {"data": data, "horizon": horizon}
        row |= {name: f"{baseline(results, place, name, metric):.3f}" for name in BASELINES}
        for model in BACKBONES:
            for mixer in (ATTENTION, RSA):
                found = results.values(metric, split="test", **cell(place, model, mixer))
                known = results.reported(metric, split="test", data=data, horizon=horizon, model=model, mixer=mixer)
                row[f"{model}, {mixer}"] = mean_std(found) + ("" if known is None else f" ({known[0]:.3f})")
        rows.append(row)
    return pd.DataFrame(rows)


def by_step(results: Results, place: Place, metric: str = "mse") -> pd.DataFrame:
    """Errors along the horizon of one cell of the paper: ``what, kind, step, number, value``.

    ``step`` is the last step of a part of the horizon; a baseline has the number 0.
    """
    data, horizon = place
    rows = []
    for model in BACKBONES:
        for mixer in (ATTENTION, RSA):
            found = results.frame(metric, split="test", by="position", **cell(place, model, mixer))
            rows += [
                {"what": f"{model}, {mixer}", "kind": "model", "step": int(each.position), "number": each.number,
                 "value": each.value}
                for each in found.itertuples()
            ]  # fmt: skip
    table = results.table("baselines")
    chosen = (table["data"] == data) & (table["horizon"] == horizon) & (table["metric"] == metric)
    rows += [
        {"what": each.baseline, "kind": "baseline", "step": int(each.position), "number": 0, "value": each.value}
        for each in table[chosen & (table["position"] != WHOLE)].itertuples()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def by_order(results: Results) -> pd.DataFrame:
    """Errors where the order of reading is varied: ``model, mixer, order, data, horizon, number, value``."""
    return pd.DataFrame(
        [
            {"model": model, "mixer": mixer, "order": order, "data": data, "horizon": horizon, "number": number,
             "value": value}
            for data, horizon in PLANS[results.scale].ordered
            for model in REORDERED
            for mixer in (ATTENTION, RSA)
            for order in (SHUFFLED, CONSECUTIVE)
            for number, value in errors(results, (data, horizon), model, mixer, order).items()
        ]
    )  # fmt: skip


def replacements(results: Results) -> pd.DataFrame:
    """What an Informer gains by each mixer over attention: ``mixer, data, horizon, number, value``, a ratio less 1."""
    at = PLANS[results.scale].replaced
    rows = []
    for mixer in (RSA, *CONTROLS):
        found = gains(results, INFORMER, mixer, at=at)
        for (data, horizon), name in zip(at, found, strict=True):
            rows += [
                {"mixer": mixer, "data": data, "horizon": horizon, "number": number, "value": np.exp(-value) - 1}
                for number, value in found[name].items()
            ]
    return pd.DataFrame(rows)


def opened(results: Results) -> pd.DataFrame:
    """Trained gates from half open: ``model, data, horizon, number, value``, the median over a model's layers."""
    every = [(model, place) for model in BACKBONES for place in places(results.scale)]
    return pd.DataFrame(
        [
            {"model": model, "data": place[0], "horizon": place[1], "number": number, "value": value}
            for model, place in [*every, (LANGUAGE_MODEL, (TEXT, ONE))]
            for number, value in gates(results, place, model).items()
        ]
    )


def lag_curves(results: Results, place: Place, model: str = INFORMER, lags: int = 200) -> pd.DataFrame:
    """What the trained REMs weigh the past with: ``layer, head, kind, dilation, lag, number, value``.

    A lag is a step of the rows that the layer reads: two of the table's after a distilling layer.
    """
    at = cell(place, model, RSA)
    spec = results.cells[at][0]
    blocks = spec.model.build(**spec.task.dimensions).blocks
    parts = {
        name: results.frame(name, split="model", by=("layer", "head", "kind"), **at) for name in ("decay", "angle")
    }
    turned = parts["angle"].set_index(["number", "layer", "head"])["value"]
    rows = []
    for each in parts["decay"].itertuples():
        angle = turned.get((each.number, each.layer, each.head), 0.0)
        dilation = blocks[int(each.layer) - 1].mixer.rem.dilations[int(each.head)]
        numbers = (torch.tensor([value], dtype=torch.float64) for value in (each.value, angle))
        curve = rem_lags(each.kind, *numbers, lags + 1, dilation=dilation)[0]
        rows += [
            {"layer": int(each.layer), "head": int(each.head), "kind": each.kind, "dilation": dilation, "lag": lag,
             "number": each.number, "value": value}
            for lag, value in enumerate(curve.tolist())
        ]  # fmt: skip
    return pd.DataFrame(rows)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the lowest validation error of each backbone with attention, a column per factor."""
    at = dict(zip(("data", "horizon"), PLANS[results.scale].searched, strict=True))
    found = results.frame("mse", split="validation", variant=TUNING, **at)
    return by_rate(found, ["model"])
