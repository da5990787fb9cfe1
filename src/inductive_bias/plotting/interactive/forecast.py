"""Forecasts beside what came: choose a table, a horizon and a start, and see who was near."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from inductive_bias.plotting.interactive.base import Choice, PageWidget, Slider, page_widget, rounded

#: Steps of the vertical axis; a curve is drawn as exactly as they are tall, and no more exactly than a pixel or so.
LEVELS = 255
#: What identifies a curve.
KEYS = ["data", "horizon", "start", "model", "what"]


def forecast_widget(
    data: pd.DataFrame,
    *,
    truth: str,
    models: Mapping[str, str],
    baselines: Sequence[str],
    units: Mapping[str, tuple[str, str]],
    instead: str,
    beside: str | None = None,
) -> PageWidget:
    """Choices of table, model and baseline, sliders over horizons and starts; curves, and how far each was off.

    Args:
        data: columns ``data, horizon, start, model, what, hour, value``: of every table, horizon and start (in words,
            in the order of the sliders) the truth and the baselines, whose ``model`` is empty, and the forecasts of
            every model, by the hour from the last known value. Hours up to 0 belong to the truth alone, and all curves
            of a start have the same ones after that; of a curve that has not, it is said that it diverged.
        truth: what came, in ``what``.
        models: what is compared in every model, in ``what``, with its colour.
        baselines: the other ``what``.
        units: by table the quantity in words and its unit, ``("oil temperature", "°C")``.
        instead: a sentence for who has no JavaScript.
        beside: the baseline that is drawn at first; the first one if None.

    Raises:
        ValueError: if tables differ in their numbers of horizons or starts, a start has no truth or hours that are not
            evenly spaced, or there is something that is neither truth nor baseline nor model.
    """
    known = {truth, *models, *baselines}
    if odd := sorted(set(data["what"]) - known):
        raise ValueError(f"{odd[0]!r} is none of {', '.join(sorted(known))}")
    names, every = list(dict.fromkeys(data["data"])), [name for name in dict.fromkeys(data["model"]) if name]
    curves = {key: rows.sort_values("hour") for key, rows in data.groupby(KEYS, sort=False)}
    tables = []
    for name in names:
        rows = data[data["data"] == name]
        horizons, starts = (list(dict.fromkeys(rows[column])) for column in ("horizon", "start"))
        windows = [
            [_window(curves, (name, horizon, start), truth, every, list(models), baselines) for start in starts]
            for horizon in horizons
        ]
        quantity, unit = units[name]
        tables.append(
            {
                "name": name,
                "quantity": quantity,
                "unit": unit,
                "horizons": horizons,
                "starts": starts,
                "windows": windows,
            }
        )
    sizes = {(len(table["horizons"]), len(table["starts"])) for table in tables}
    if len(sizes) != 1:
        raise ValueError(f"all tables must have as many horizons and starts, not {sorted(sizes)}")
    ((count, starts),) = sizes
    return page_widget(
        "forecast",
        {"tables": tables, "models": every, "kinds": list(models), "baselines": list(baselines)},
        controls=[
            Choice("data", "table", names),
            Choice("baseline", "beside", baselines, start=list(baselines).index(beside) if beside else 0),
            Choice("model", "model", every, open=True),
            Slider("horizon", "horizon", 0, count - 1, min(1, count - 1)),
            Slider("start", "from", 0, starts - 1, (starts - 1) // 2),
        ],
        pictures={"curves": "Truth and forecasts", "errors": "Mean absolute error over the horizon"},
        text="Interactive forecasts: the truth, two models of a kind, and forecasts without a network.",
        instead=instead,
        colours=list(models.values()),
    )


def _window(
    curves: Mapping[tuple, pd.DataFrame],
    place: tuple[str, str, str],
    truth: str,
    models: Sequence[str],
    kinds: Sequence[str],
    baselines: Sequence[str],
) -> dict[str, object]:
    """One start of one table and horizon."""
    where = ", ".join(place)
    if (came := curves.get((*place, "", truth))) is None:
        raise ValueError(f"{where}: there is no truth")
    hours = came["hour"].to_numpy()
    apart = np.diff(hours)
    if len(hours) < 2 or not np.allclose(apart, apart[0]):
        raise ValueError(f"{where}: hours must be evenly spaced")
    asked = hours[hours > 0]
    wanted = came["value"].to_numpy()[hours > 0]

    def values(model: str, what: str) -> np.ndarray | None:
        found = curves.get((*place, model, what))
        return found["value"].to_numpy() if found is not None and np.array_equal(found["hour"], asked) else None

    said = [[values("", what) for what in baselines], *([values(model, kind) for kind in kinds] for model in models)]
    every = [came["value"].to_numpy(), *(each for row in said for each in row if each is not None)]
    low, high = min(each.min() for each in every), max(each.max() for each in every)
    off = [[None if each is None else rounded(float(np.abs(each - wanted).mean())) for each in row] for row in said]
    return {
        "first": rounded(float(hours[0])),
        "apart": rounded(float(apart[0])),
        "known": int((hours <= 0).sum()),
        "count": len(hours),
        "low": rounded(float(low), 5),
        "high": rounded(float(high), 5),
        "truth": _drawn(every[0], low, high),
        "said": [[None if each is None else _drawn(each, low, high) for each in row] for row in said],
        "off": off,
    }


def _drawn(values: np.ndarray, low: float, high: float) -> str:
    """Two hexadecimal digits a point, from the bottom of the axis (00) to its top (ff); a flat line has one point."""
    levels = np.rint(LEVELS * (values - low) / max(high - low, 1e-12)).astype(np.uint8)
    return bytes(levels[:1] if len(set(levels.tolist())) == 1 else levels).hex()
