"""How many training sequences a model of the studies of signals needs, and what RSA saves its attention-only twin."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.formatting import percent
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.studies.signal_models import PLANE, RSA, TWIN, Kind
from inductive_bias.verdicts import Contrast, paired, partners

#: The error that counts as *reached*: nine tenths of what can be explained is explained. Fixed before any result.
GOAL = 0.1
#: Errors for which a saving is shown as well; none of them judges a claim.
GOALS = (0.1, 0.05, 0.04, 0.03)
#: What a diverged run counts as: the error of always answering zero.
FAILED = 1.0
#: The smallest saving of sequences and loss of error worth the name, in doublings. Half a doubling is 30 % of the
#: sequences, a quarter of the step between two sizes: less could be due to the line drawn between them.
LEAST_DOUBLINGS = 0.5


def sizes(results: Results) -> tuple[int, ...]:
    """Numbers of training sequences, rising."""
    return results.design.levels(results.scale)["samples"]


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


def sequences_needed(sizes: Sequence[int], found: Sequence[float], goal: float = GOAL) -> float:
    """How many training sequences bring the error down to the goal: straight lines between log n and log error.

    A curve that is below from the start needs ``sizes[0]``, one that never gets there is taken to do so one step of
    the grid beyond its end: both are bounds. The first crossing counts.
    """
    at = next((place for place, error in enumerate(found) if error <= goal), len(sizes))
    if at in (0, len(sizes)):
        return float(sizes[0] if at == 0 else sizes[-1] ** 2 / sizes[-2])
    part = np.log(found[at - 1] / goal) / np.log(found[at - 1] / found[at]) if found[at] > 0 else 0.0
    return float(sizes[at - 1] * (sizes[at] / sizes[at - 1]) ** part)


def needs(results: Results, goal: float = GOAL, **levels: Wanted) -> pd.DataFrame:
    """:func:`sequences_needed` of every model of the plane, or of some: ``model, rho, number, value, reached``."""
    frame = results.frame("excess_error", split="test", **PLANE | levels).fillna({"value": FAILED})
    curves = frame.pivot_table(index=["model", "rho", "number"], columns="samples", values="value", observed=True)
    curves = curves.dropna()  # some numbers were run at some sizes alone
    needed = [sequences_needed(curves.columns.tolist(), curve, goal) for curve in curves.to_numpy().tolist()]
    return curves.assign(value=needed, reached=(curves <= goal).any(axis=1)).reset_index()


def saving(results: Results, shares: Sequence[float], kind: Kind = RSA, goal: float = GOAL, **more: Level) -> Contrast:
    """Doublings of n by which a model gets to the goal sooner than the attention-only twin, mean over some ρ.

    Of numbers that both have; 0 where neither gets there.
    """
    table = needs(results, goal, model=[each.model for each in (TWIN, kind)], rho=shares, **more)
    doublings = np.log2(table.set_index(["model", "number"])["value"])
    twin, own = partners(*(doublings[each.model].groupby("number").mean() for each in (TWIN, kind)))
    name = ", ".join([f"{TWIN} / {kind}", *map(str, more.values())])
    return paired(twin, own, name=name, unit=f"doublings of n to an error of {goal:g}")


def saving_by_goal(
    results: Results, shares: Sequence[float], kind: Kind = RSA, goals: Sequence[float] = GOALS, **more: Level
) -> pd.DataFrame:
    """What is saved for each of several errors, as words: ``error, doublings saved``, and who reaches it.

    The last two columns are the shares of runs and ρ in which the twin and the model get there.
    """
    rows = []
    for goal in goals:
        reached = needs(results, goal, model=[TWIN.model, kind.model], rho=shares, **more)
        reached = reached.groupby("model", observed=True)["reached"].mean()
        rows.append(
            {
                "error": f"{goal:g}",
                "doublings saved": str(saving(results, shares, kind, goal, **more)),
                f"{TWIN} reaches it": percent(reached[TWIN.model]),
                f"{kind} reaches it": percent(reached[kind.model]),
            }
        )
    return pd.DataFrame(rows)


def need_table(results: Results, **levels: Wanted) -> pd.DataFrame:
    """Sequences needed to reach the goal, by ρ and model: geometric means, ``>`` where some seed never does."""

    def words(rows: pd.DataFrame) -> str:
        middle = f"{2 ** np.log2(rows['value']).mean():,.0f}"
        return "never" if not rows["reached"].any() else middle if rows["reached"].all() else f"> {middle}"

    groups = needs(results, **levels).groupby(["rho", "model"], observed=True)[["value", "reached"]]
    return groups.apply(words).unstack("model")
