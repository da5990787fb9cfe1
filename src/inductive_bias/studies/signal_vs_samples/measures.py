"""Numbers by place on the plane; models are compared seed by seed on the same sequences."""

import numpy as np
import pandas as pd

from inductive_bias.studies.design import Cell
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.studies.sequences_needed import FAILED, GOAL, errors, sizes
from inductive_bias.studies.signal_models import PLANE, RSA, RSA_SMALL, TWIN, Kind
from inductive_bias.verdicts import Contrast, paired, partners, single


def shares(results: Results) -> tuple[float, ...]:
    """Shares of recurrent signal, rising."""
    return results.design.levels(results.scale)["rho"]


def shares_in_part(results: Results, *, pure: bool) -> list[float]:
    """The share ρ = 1 if ``pure``, and else all ρ between 0 and 1."""
    return [rho for rho in shares(results) if (rho == 1 if pure else 0 < rho < 1)]


def control_size(results: Results) -> int:
    """The training size of the models beside the plane."""
    return next(cell["samples"] for cell in results.cells if cell.items() >= RSA_SMALL._asdict().items())


def runs(results: Results, *kinds: Kind, rho: float, samples: int) -> int:
    """Runs of a place whose numbers all of these models have."""
    return min(len(results.cells[Cell(**kind._asdict(), rho=rho, samples=samples)]) for kind in kinds)


def compared(results: Results, first: Kind, second: Kind, *, log2: bool = True, **place: float | int) -> Contrast:
    """Test errors of two models at a place, by numbers that both have: log₂ of their ratio, or their difference."""
    a, b = partners(*(errors(results, kind, **place) for kind in (first, second)))
    name = f"{first} {'/' if log2 else '−'} {second} at ρ = {place['rho']:g}, n = {place['samples']}"
    unit = "log₂ of the ratio of errors" if log2 else "of the variance"
    return paired(a, b, name=name, unit=unit, failed_value=FAILED, log2=log2)


def short_of_goal(results: Results, kind: Kind, *, rho: float, samples: int) -> Contrast:
    """How far above the goal the error of a model is, in doublings of the error; below 0 where it gets there."""
    found = np.log2(errors(results, kind, rho=rho, samples=samples) / GOAL)
    name, unit = f"{kind} at ρ = {rho:g}, n = {samples}", f"log₂ of the error over {GOAL:g}"
    return single(found, name=name, unit=unit, failed_value=np.log2(FAILED / GOAL))


def beats_zero(results: Results, *, rho: float, samples: int) -> tuple[bool, str]:
    """Whether RSA or its twin does better than always answering zero, on the mean of its runs; and what is not so."""
    means = [errors(results, kind, rho=rho, samples=samples).fillna(FAILED).mean() for kind in (TWIN, RSA)]
    naive = {"answering zero": FAILED}
    return beats_naive(float(min(means)), naive, what=f"ρ = {rho:g}, n = {samples}", lower_is_better=True)


def gates(results: Results, **levels: Wanted) -> pd.DataFrame:
    """Final σ(μ) of RSA, mean over layers and heads, of the seeds that a size has at every ρ.

    Columns ``rho, samples, seed, number, value``.
    """
    frame = results.frame("gate", split="model", by=("layer", "head"), **RSA._asdict(), **levels)
    common = {n: min(runs(results, RSA, rho=rho, samples=n) for rho in shares(results)) for n in sizes(results)}
    frame = frame[frame["number"] < frame["samples"].map(common)]
    return frame.groupby(["rho", "samples", "seed", "number"], as_index=False)["value"].mean()


def largest_decays(results: Results, **asked: object) -> pd.DataFrame:
    """The largest |λ| or γ of all heads, which says whether any remembers: of RSA, otherwise as ``asked``."""
    frame = results.frame("decay", split="model", by=("layer", "head", "kind"), model=RSA.model, **asked)
    keys = [name for name in (*Kind._fields, "seed", "number", "epoch") if name in frame]
    return frame.assign(value=frame["value"].abs()).groupby(keys, as_index=False, observed=True)["value"].max()


def winners(results: Results) -> pd.DataFrame:
    """The best models at every place, the best first, the largest size on top: ``rho, samples, model``.

    The best has the lowest mean log error. Another is tied with it where the interval of the log ratio holds 0.
    """
    frame, best = results.frame("excess_error", split="test", **PLANE).fillna({"value": FAILED}), []
    for (rho, samples), rows in frame.groupby(["rho", "samples"]):
        # all four models are compared, of which some have more runs
        found = np.log2(rows.pivot(index="number", columns="model", values="value")).dropna()
        first, *others = found.mean().sort_values().index
        behind = {name: paired(found[name], found[first], name=name, unit="log₂ of errors") for name in others}
        tied = [name for name, contrast in behind.items() if not contrast.low > 0]
        best += [{"rho": rho, "samples": samples, "model": name} for name in (first, *tied)]
    order = pd.CategoricalDtype(sizes(results)[::-1], ordered=True)
    models = frame["model"].cat.remove_unused_categories().dtype
    return pd.DataFrame(best).astype({"samples": order, "model": models})
