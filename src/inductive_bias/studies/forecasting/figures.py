"""What the page draws and prints, from the rows and tables of the study."""

from datetime import timedelta

import numpy as np
import pandas as pd

from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    BACKBONES,
    CONSECUTIVE,
    CONTROLS,
    INFORMER,
    LANGUAGE_MODEL,
    MIXERS,
    MODEL,
    NAIVE,
    ONE,
    REORDERED,
    RSA,
    SHUFFLED,
    TEXT,
    TRAINED,
    TRUTH,
    TUNING,
    UNTRAINED,
    WHOLE,
    Place,
    cell,
)
from inductive_bias.studies.forecasting.measures import (
    baseline,
    errors,
    gains,
    gates,
    of_first_table,
    places,
    places_with_controls,
    reordered_places,
    reported,
    reported_error,
    rows_a_day,
)
from inductive_bias.studies.frames import mean_std, search_table
from inductive_bias.studies.results import Results
from inductive_bias.tasks.forecasting.baselines import BASELINES, LAST, LINEAR, YESTERDAY
from inductive_bias.tasks.forecasting.files import EPOCH, QUARTER


def changes(results: Results) -> pd.DataFrame:
    """Relative change of the error with RSA: ``model, data, horizon, number, value``; below 0 is better."""
    rows = []
    for model in BACKBONES:
        found = gains(results, model)
        for (data, horizon), name in zip(places(results), found, strict=True):
            rows += [
                {"model": model, "data": data, "horizon": horizon, "number": number, "value": np.exp(-value) - 1}
                for number, value in found[name].items()
            ]
    return pd.DataFrame(rows)


def reported_changes(results: Results) -> pd.DataFrame:
    """Relative change of the paper's error with RSA: ``model, data, horizon, mean``; no row where none is known."""
    return pd.DataFrame(
        [
            {"model": model, "data": data, "horizon": horizon, "mean": np.exp(-known) - 1}
            for model in BACKBONES
            for data, horizon in places(results)
            if (known := reported(results, model, (data, horizon))) is not None
        ],
        columns=["model", "data", "horizon", "mean"],
    )


def beside(results: Results, model: str, metric: str = "mse") -> pd.DataFrame:
    """A row per cell of the paper: every forecast without a network, ours with either mixer, and what is reported.

    Ours are mean and deviation over runs; a dash stands where nothing is reported.
    """
    rows = []
    for place in places(results):
        data, horizon = place
        row = {"cell": f"{data}, {horizon}"}
        row |= {name: f"{baseline(results, place, name, metric):.3f}" for name in BASELINES}
        for mixer in (ATTENTION, RSA):
            row[mixer] = mean_std(results.values(metric, split="test", **cell(place, model, mixer)))
        for mixer in (ATTENTION, RSA):
            known = reported_error(results, place, model, mixer, metric)
            row[f"{mixer}, reported"] = f"{known:.3f}" if np.isfinite(known) else "–"
        rows.append(row)
    return pd.DataFrame(rows)


def by_step(results: Results, place: Place | None = None, metric: str = "mse") -> pd.DataFrame:
    """Errors along the horizon of one cell of the paper, by default the longest of the first table.

    Columns ``model, what, step, number, value``: ``step`` is the last step of a part of the horizon, ``what`` a mixer
    or a baseline, which stands beside every model and has the number 0.
    """
    data, horizon = place = place or max(of_first_table(results))
    table, rows = results.table("baselines"), []
    chosen = (table["data"] == data) & (table["horizon"] == horizon) & (table["metric"] == metric)
    known = table[chosen & (table["position"] != WHOLE) & table["baseline"].isin(NAIVE)]
    for model in BACKBONES:
        for mixer in (ATTENTION, RSA):
            found = results.frame(metric, split="test", by="position", **cell(place, model, mixer))
            rows += [
                {"model": model, "what": mixer, "step": int(each.position), "number": each.number, "value": each.value}
                for each in found.itertuples()
            ]
        rows += [
            {"model": model, "what": each.baseline, "step": int(each.position), "number": 0, "value": each.value}
            for each in known.itertuples()
        ]
    return pd.DataFrame(rows)


def by_order(results: Results) -> pd.DataFrame:
    """Errors where the order of reading is varied: ``model, mixer, order, data, horizon, number, value``."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "mixer": mixer,
                "order": order,
                "data": data,
                "horizon": horizon,
                "number": number,
                "value": value,
            }
            for data, horizon in reordered_places(results)
            for model in REORDERED
            for mixer in (ATTENTION, RSA)
            for order in (SHUFFLED, CONSECUTIVE)
            for number, value in errors(results, (data, horizon), model, mixer, order).items()
        ]
    )


def replacements(results: Results) -> pd.DataFrame:
    """What an Informer gains by each mixer over attention: ``mixer, data, horizon, number, value``, a ratio less 1."""
    at = places_with_controls(results)
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
    every = [(model, place) for model in BACKBONES for place in places(results)]
    return pd.DataFrame(
        [
            {"model": model, "data": place[0], "horizon": place[1], "number": number, "value": value}
            for model, place in [*every, (LANGUAGE_MODEL, (TEXT, ONE))]
            for number, value in gates(results, place, model).items()
        ]
    )


def against_naive(results: Results, *, reported: bool = False) -> pd.DataFrame:
    """Mean squared error over that of the better naive forecast: a row per cell of the paper, a column per forecast.

    Naive are the last value and the same hour of yesterday; a run that diverged has the error of the training mean.
    With ``reported`` the errors are those of the paper, NaN where there is none.
    """
    table = {}
    for place in places(results):
        data, horizon = place
        naive = min(baseline(results, place, name) for name in (LAST, YESTERDAY))
        row = {} if reported else {LINEAR: baseline(results, place, LINEAR)}
        for model in BACKBONES:
            for mixer in (ATTENTION, RSA):
                at = results, place, model, mixer
                row[f"{model}, {mixer}"] = reported_error(*at) if reported else errors(*at).mean()
        table[f"{data}, {horizon}"] = {name: value / naive for name, value in row.items()}
    return pd.DataFrame(table).T


def rungs(results: Results) -> pd.DataFrame:
    """Errors of an Informer with each mixer, and of baselines: ``mixer, data, horizon, number, value``.

    A baseline has the number 0.
    """
    rows = []
    for data, horizon in places_with_controls(results):
        at = {"data": data, "horizon": horizon}
        for name in NAIVE:
            rows.append(at | {"mixer": name, "number": 0, "value": baseline(results, (data, horizon), name)})
        for mixer in MIXERS:
            found = errors(results, (data, horizon), INFORMER, mixer)
            rows += [at | {"mixer": mixer, "number": number, "value": value} for number, value in found.items()]
    return pd.DataFrame(rows)


def lag_curves(results: Results) -> pd.DataFrame:
    """The table of position matrices with a column ``of``: ``Informer, RSA``; of models in that order."""
    found = results.table("lags")
    return found.assign(of=found["model"].astype(str) + ", " + found["mixer"].astype(str))


def comb(results: Results) -> pd.DataFrame:
    """How much of its weight a head puts on whole days: a row per model and kind of head.

    Means and deviations over layers, heads and seeds, untrained and trained: the sum of absolute weights from lag 1 on,
    and what share of it lies on whole days; beside it the share of lags that are whole days, which is what weights that
    know of no day would have there.
    """
    found, rows = lag_curves(results), []
    days = found["trial"].map(rows_a_day(results))
    found = found.assign(whole=found["lag"] % days == 0, weight=found["value"].abs())[found["lag"] > 0]
    found["weight on days"] = found["weight"] * found["whole"]
    for (name, kind), each in found.groupby(["of", "kind"], sort=False):
        heads = each.groupby(["when", "number", "layer", "head"], observed=True)
        total, row = heads["weight"].sum(), {"model": name, "heads": kind}
        share = heads["weight on days"].sum() / total
        for when in (UNTRAINED, TRAINED):
            row |= {f"weights, {when}": mean_std(total[when], 2), f"on days, {when}": mean_std(share[when], 2)}
        rows.append(row | {"if spread evenly": heads["whole"].mean().mean()})
    return pd.DataFrame(rows)


def windows(results: Results) -> pd.DataFrame:
    """The windows of the explorer in words: ``data, horizon, start, model, what, hour, value``.

    Horizons and starts as a slider says them; truth and baselines have no model; ``what`` of a model is its mixer.
    """
    found = results.table("forecasts")
    hours = 24 / found["trial"].map(rows_a_day(results))
    said = found["what"] == MODEL
    asked = (found["horizon"] * hours).map("{:g} hours".format)
    return pd.DataFrame(
        {
            "data": found["data"].astype(str),
            "horizon": asked,
            "start": found["known"].map(moment),
            "model": found["model"].astype(str).where(said, ""),
            "what": found["what"].where(~said, found["mixer"].astype(str)),
            "hour": found["step"] * hours,
            "value": found["value"],
        }
    )


def examples(results: Results, model: str = INFORMER) -> pd.DataFrame:
    """One window of :func:`windows` per table, its second horizon from the middle start: ``title, what, hour, value``.

    Truth, the same hour of yesterday, and a model with attention and with RSA.
    """
    found, parts = windows(results), []
    for data, rows in found.groupby("data", sort=False):
        horizon = list(dict.fromkeys(rows["horizon"]))[1]
        starts = list(dict.fromkeys(rows["start"]))
        start = starts[(len(starts) - 1) // 2]
        chosen = (rows["horizon"] == horizon) & (rows["start"] == start) & rows["model"].isin(["", model])
        chosen &= rows["what"].isin([TRUTH, YESTERDAY, ATTENTION, RSA])
        parts.append(rows[chosen].assign(title=f"{data}, {horizon} from {start}"))
    return pd.concat(parts)[["title", "what", "hour", "value"]]


def moment(quarters: int) -> str:
    """A time in quarters of an hour since 1 January 2007, in words: ``12 March 2018, 05:00``."""
    at = EPOCH + timedelta(minutes=QUARTER * int(quarters))
    return f"{at.day} {at:%B %Y, %H:%M}"


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the validation error of each backbone and mixer, a column per rate."""
    return search_table(results, TUNING)
