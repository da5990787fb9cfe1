"""From the study's rows to numbers by place on the plane, one a seed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval
from inductive_bias.studies.comparisons import interval_of
from inductive_bias.studies.signal_vs_samples.design import MODELS, SIZES, Place, controls, plane
from inductive_bias.studies.study import Results

#: The error that counts as *reached*: nine tenths of what can be explained is explained. Fixed before any result.
GOAL = 0.1


def error_table(results: Results, metric: str = "excess_error", *, split: str = "test") -> pd.DataFrame:
    """Final values of the plane and its controls: ``model, rho, size, seed, value``, in the order of the design."""
    places = {place.cell: place for place in (*plane(results.scale), *controls(results.scale))}
    order = {cell: number for number, cell in enumerate(places)}
    rows = results.final(metric, split=split)
    rows = rows[rows["cell"].isin(list(places))]
    rows = rows.assign(order=rows["cell"].map(order)).sort_values(["order", "seed"], kind="stable")
    columns = {name: [getattr(places[cell], name) for cell in rows["cell"]] for name in Place._fields}
    return rows.assign(**columns).reset_index(drop=True)[[*Place._fields, "seed", "value"]]


def values(results: Results, place: Place, metric: str = "excess_error") -> np.ndarray:
    """Final test values of one cell, in order of seeds; NaN where a run diverged."""
    return np.array(results.values(place.cell, "test", metric), dtype=float)


def log_ratio(results: Results, first: Place, second: Place) -> Interval:
    """Mean over seeds of log₂ (error of ``first`` / error of ``second``) with its 95 % interval, paired by seed.

    A seed whose run diverged in either cell is left out; NaN if none is left.
    """
    ratios = np.log2(values(results, first) / values(results, second))
    return interval_of(ratios)


def difference(results: Results, first: Place, second: Place) -> Interval:
    """The same of the difference of errors, in shares of the target's variance."""
    return interval_of(values(results, first) - values(results, second))


def sequences_needed(sizes: Sequence[int], errors: Sequence[float], goal: float = GOAL) -> float:
    """How many training sequences bring the error down to ``goal``: straight lines between log n and log error.

    A curve that is below from the start needs ``sizes[0]``, one that never gets there is taken to do so one step of
    the grid beyond its end: both are bounds. The first crossing counts. NaN if an error is.
    """
    if not np.isfinite(errors).all():
        return float("nan")
    for at, error in enumerate(errors):
        if error <= goal:
            if at == 0:
                return float(sizes[0])
            before = errors[at - 1]
            part = np.log(before / goal) / np.log(before / error) if error > 0 else 0.0
            return float(sizes[at - 1] * (sizes[at] / sizes[at - 1]) ** part)
    return float(sizes[-1] * sizes[-1] / sizes[-2])


def needs(results: Results, goal: float = GOAL) -> pd.DataFrame:
    """:func:`sequences_needed` of every model of the plane, ρ and seed: ``model, rho, seed, value, reached``."""
    sizes = SIZES[results.scale].samples
    table = error_table(results)
    table = table[table["model"].isin(list(MODELS))]
    rows = []
    for (model, rho, seed), curve in table.groupby(["model", "rho", "seed"], sort=False):
        errors = curve.set_index("size")["value"].reindex(sizes).to_list()
        reached = any(error <= goal for error in errors)
        needed = sequences_needed(sizes, errors, goal)
        rows.append({"model": model, "rho": rho, "seed": seed, "value": needed, "reached": reached})
    return pd.DataFrame(rows)


def gates(results: Results, model: str = "RSA") -> pd.DataFrame:
    """Final σ(μ), mean over layers and heads: ``rho, size, seed, value``."""
    table = error_table(results, "gate", split="model")
    table = table[table["model"] == model]
    return table.groupby(["rho", "size", "seed"], as_index=False)["value"].mean()


def largest_decay(results: Results, place: Place) -> np.ndarray:
    """The largest final |λ| or γ of all heads, one a seed: whether any head has learnt to remember."""
    rows = results.final("decay", split="model", cell=place.cell)
    return rows["value"].abs().groupby(rows["seed"]).max().to_numpy()


def validation_curves(results: Results, places: Sequence[Place], epoch_steps: int) -> pd.DataFrame:
    """Excess error on the validation set over training: ``cell, rho, seed, step, value``; ``cell`` is the model."""
    rows = results.rows
    rows = rows[(rows["metric"] == "excess_error") & (rows["split"] == "validation") & rows["epoch"].notna()]
    frames = []
    for place in places:
        found = rows[rows["cell"] == place.cell].sort_values(["seed", "epoch"])
        step = (found["epoch"] * epoch_steps).astype(int)
        frames.append(found[["seed", "value"]].assign(cell=place.model, rho=place.rho, step=step))
    return pd.concat(frames, ignore_index=True)


def steps_needed(curves: pd.DataFrame, goal: float = GOAL) -> pd.DataFrame:
    """The first step at which the validation error is at most ``goal``: ``cell, rho, seed, value``; NaN if none is."""
    reached = curves.assign(step=curves["step"].where(curves["value"] <= goal).astype(float))
    return reached.groupby(["cell", "rho", "seed"], sort=False)["step"].min().rename("value").reset_index()
