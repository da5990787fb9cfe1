"""What the study tests. The rules were written before any laptop result was seen."""

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval, mean_interval
from inductive_bias.studies.claims import Claim, Finding, above, below
from inductive_bias.studies.comparisons import finding
from inductive_bias.studies.rnn_heads.design import NONLINEAR
from inductive_bias.studies.rnn_heads.tables import ANY_FILTER, FITTED
from inductive_bias.studies.study import Results

PAPER = "Huang et al. 2023"
EPS = float(np.finfo(np.float64).eps)
#: R1 asks for matrices whose eigenvectors have a condition number below this …
CONDITION = 1e4
#: … that the worst state is off by less than so many times the precision: ten times what that number alone may cost.
BOUND = 1e5
#: R1b calls a loss ignorable if so much of the variance of the states is explained.
IGNORABLE = 0.95


def exact(results: Results) -> Finding:
    """R1: the worst relative error of a state over all well-conditioned matrices of a seed, in units of eps."""
    table = results.table("exactness")
    good = table[table["condition"] < CONDITION]
    worst = good.groupby("seed")["state_error"].max()
    found = mean_interval(np.log10((worst / EPS).clip(lower=1)))
    others = table[table["condition"] >= CONDITION]
    note = f"{len(good)} of {len(table)} matrices, worst error {worst.max():.1e}, bound {BOUND * EPS:.1e}"
    if len(others):
        warned = int(others["warned"].sum())
        note += f"; the {len(others)} worse conditioned: up to {others['state_error'].max():.0e}, {warned} warned of"
    return finding(below(found, float(np.log10(BOUND))), found, "log₁₀ of the error in eps, worst matrix a seed", note)


def explained(results: Results, cell: str, stand_in: str) -> pd.Series:
    """Share of the variance of the held-out states that is explained from the inputs alone, one a seed, at least 0."""
    table = results.table("linear_part")
    chosen = table[(table["cell"] == cell) & (table["stand_in"] == stand_in) & (table["scale"] == 1.0)]
    return (1 - chosen.set_index("seed")["free"].astype(float)).clip(lower=0).fillna(0.0).sort_index()


def ignorable(results: Results) -> Finding:
    """R1b: what the best linear filter, hence any number of heads, explains of the states of the worst kind of cell."""
    found: dict[str, Interval] = {cell: mean_interval(explained(results, cell, ANY_FILTER)) for cell in NONLINEAR}
    worst = min(found, key=lambda cell: found[cell].mean)
    note = "; ".join(
        f"{cell} {interval.mean:.2f} (fitted RNN {explained(results, cell, FITTED).mean():.2f})"
        for cell, interval in found.items()
    )
    # one cell that surely falls short is enough to fail, and all must surely pass
    low = min(found.values(), key=lambda interval: interval.low)
    failed = any(interval.high < IGNORABLE for interval in found.values())
    verdict = "not reproduced" if failed else above(low, IGNORABLE)
    return finding(verdict, found[worst], f"of the states' variance explained, {worst}", note)


CLAIMS = (
    Claim("R1", f"{PAPER}, proposition 1 (claim 1 of our notes)", "The heads and the term of lag 0 reproduce a linear "
          "RNN to numerical precision, random or trained, if its matrix can be diagonalised.",
          "proved for linear activation", exact),
    Claim("R1b", f"{PAPER}, abstract (scope: section 1.1 of our notes)", "Broken down into such heads, an RNN layer "
          "loses little (5 % of its states' variance), be it linear or not.",
          "“ignorable loss” of “an RNN layer”; the body says linear", ignorable),
)  # fmt: skip
