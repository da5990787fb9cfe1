"""From rows to numbers by place on the plane; models are compared seed by seed on the same sequences."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.studies.design import Level
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.studies.signal_vs_samples.design import CONTROLS, PLANE, RSA, SIZES, TWIN, Kind, seeds_of
from inductive_bias.verdicts import Contrast, paired, partners, single

#: The error that counts as *reached*: nine tenths of what can be explained is explained. Fixed before any result.
GOAL = 0.1
#: What a diverged run counts as: the error of always answering zero.
FAILED = 1.0


def errors(results: Results, kind: Kind, *, rho: float, samples: int, **more: Wanted) -> pd.Series:
    """Final test errors of one cell by number; NaN where a run diverged.

    ``more`` are levels of factors beside those of the plane.
    """
    return results.values("excess_error", split="test", **kind._asdict(), rho=rho, samples=samples, **more)


def learns(results: Results, kind: Kind, shares: Sequence[float], samples: int, **more: Wanted) -> tuple[bool, str]:
    """Whether a model masters the task at every ρ, and what does not hold if not."""
    mean = {rho: errors(results, kind, rho=rho, samples=samples, **more).fillna(FAILED).mean() for rho in shares}
    lacking = ", ".join(f"{rho:g}" for rho in shares if mean[rho] > GOAL)
    return not lacking, f"with {samples} sequences {kind} does not reach a mean error of {GOAL:g} at ρ = {lacking}"


def compared(results: Results, first: Kind, second: Kind, *, log2: bool = True, **place: float | int) -> Contrast:
    """Test errors of two models at a place, by numbers that both have: log₂ of their ratio, or their difference."""
    a, b = partners(*(errors(results, kind, **place) for kind in (first, second)))
    name = f"{first} {'/' if log2 else '−'} {second} at ρ = {place['rho']:g}, n = {place['samples']}"
    unit = "log₂ of the ratio of errors" if log2 else "of the variance"
    return paired(a, b, name=name, unit=unit, failed_value=FAILED, log2=log2)


def sequences_needed(sizes: Sequence[int], found: Sequence[float]) -> float:
    """How many training sequences bring the error down to the goal: straight lines between log n and log error.

    A curve that is below from the start needs ``sizes[0]``, one that never gets there is taken to do so one step of
    the grid beyond its end: both are bounds. The first crossing counts.
    """
    at = next((place for place, error in enumerate(found) if error <= GOAL), len(sizes))
    if at in (0, len(sizes)):
        return float(sizes[0] if at == 0 else sizes[-1] ** 2 / sizes[-2])
    part = np.log(found[at - 1] / GOAL) / np.log(found[at - 1] / found[at]) if found[at] > 0 else 0.0
    return float(sizes[at - 1] * (sizes[at] / sizes[at - 1]) ** part)


def needs(results: Results, **levels: Wanted) -> pd.DataFrame:
    """:func:`sequences_needed` of every model of the plane, or of some: ``model, rho, number, value, reached``."""
    frame = results.frame("excess_error", split="test", **PLANE | levels).fillna({"value": FAILED})
    curves = frame.pivot_table(index=["model", "rho", "number"], columns="samples", values="value", observed=True)
    curves = curves.dropna()  # some numbers were run at some sizes alone
    needed = [sequences_needed(curves.columns.tolist(), curve) for curve in curves.to_numpy().tolist()]
    return curves.assign(value=needed, reached=(curves <= GOAL).any(axis=1)).reset_index()


def saving(results: Results, shares: Sequence[float], kind: Kind = RSA, **more: Level) -> Contrast:
    """Doublings of n by which a model gets to the goal sooner than the attention-only twin, mean over some ρ.

    Of numbers that both have; 0 where neither gets there.
    """
    table = needs(results, model=[each.model for each in (TWIN, kind)], rho=shares, **more)
    doublings = np.log2(table.set_index(["model", "number"])["value"])
    twin, own = partners(*(doublings[each.model].groupby("number").mean() for each in (TWIN, kind)))
    name = ", ".join([f"{TWIN} / {kind}", *map(str, more.values())])
    return paired(twin, own, name=name, unit=f"doublings of n to an error of {GOAL:g}")


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
    sizes = SIZES[results.scale]
    common = {n: min(seeds_of(results.scale, RSA, rho=rho, samples=n) for rho in sizes.shares) for n in sizes.samples}
    frame = frame[frame["number"] < frame["samples"].map(common)]
    return frame.groupby(["rho", "samples", "seed", "number"], as_index=False)["value"].mean()


def largest_decays(results: Results, **asked: object) -> pd.DataFrame:
    """The largest |λ| or γ of all heads, which says whether any remembers: of RSA, otherwise as ``asked``."""
    frame = results.frame("decay", split="model", by=("layer", "head", "kind"), model=RSA.model, **asked)
    keys = [name for name in (*Kind._fields, "seed", "number", "epoch") if name in frame]
    return frame.assign(value=frame["value"].abs()).groupby(keys, as_index=False, observed=True)["value"].max()


def twin_ratios(results: Results) -> pd.DataFrame:
    """RSA :func:`compared` with its twin: a contrast at every place, the largest size on top and a column a ρ."""
    samples, shares = SIZES[results.scale].samples[::-1], SIZES[results.scale].shares
    return pd.DataFrame({rho: {n: compared(results, RSA, TWIN, rho=rho, samples=n) for n in samples} for rho in shares})


def winners(results: Results) -> pd.DataFrame:
    """The best models at every place, the best first, the largest size on top: ``rho, samples, model``.

    The best has the lowest mean log error. Another is tied with it where the interval of the log ratio holds 0.
    """
    frame, best = results.frame("excess_error", split="test", **PLANE).fillna({"value": FAILED}), []
    frame = frame[frame["number"] < SIZES[results.scale].seeds]  # all four models are compared
    for (rho, samples), rows in frame.groupby(["rho", "samples"]):
        found = np.log2(rows.pivot(index="number", columns="model", values="value"))
        first, *others = found.mean().sort_values().index
        behind = {name: paired(found[name], found[first], name=name, unit="log₂ of errors") for name in others}
        tied = [name for name, contrast in behind.items() if not contrast.low > 0]
        best += [{"rho": rho, "samples": samples, "model": name} for name in (first, *tied)]
    order = pd.CategoricalDtype(SIZES[results.scale].samples[::-1], ordered=True)
    models = frame["model"].cat.remove_unused_categories().dtype
    return pd.DataFrame(best).astype({"samples": order, "model": models})


def need_table(results: Results, **levels: Wanted) -> pd.DataFrame:
    """Sequences needed to reach the goal, by ρ and model: geometric means, ``>`` where some seed never does."""

    def words(rows: pd.DataFrame) -> str:
        middle = f"{2 ** np.log2(rows['value']).mean():.0f}"
        return "never" if not rows["reached"].any() else middle if rows["reached"].all() else f"> {middle}"

    groups = needs(results, **levels).groupby(["rho", "model"], observed=True)[["value", "reached"]]
    return groups.apply(words).unstack("model")


def control_table(results: Results) -> pd.DataFrame:
    """The cells beside the plane, each with the one that it varies: error, and log₂ of the ratio to that."""
    rows = []
    for kind, (_, against, shares) in CONTROLS.items():
        for rho in shares:
            at = {"rho": rho, "samples": SIZES[results.scale].control_size}
            own, theirs = (mean_std(errors(results, each, **at)) for each in (kind, against))
            rows.append((str(kind), f"{rho:g}", own, str(against), theirs, str(compared(results, kind, against, **at))))
    return pd.DataFrame(rows, columns=["model", "ρ", "error", "against", "its error", "log₂ of the ratio"])
