"""What the study tests, and the rule by which the sentence is judged; written before any run."""

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_training.design import FALLING, NEARLY, SIZES, STABLE, UNSTABLE
from inductive_bias.verdicts import all_of, exceeds, falls_below, single

PAGE = "stability/training"
#: M3: ln gap falls by at least so much per character of context, along a line that explains so much of it …
SLOPE, EXPLAINED = 0.05, 0.9
#: … and with the number of steps the gap grows no faster than so high a power.
EXPONENT = 2.0
#: Gaps below this are the rounding of float64 sums; a curve is looked at as far as it lies above.
SMALLEST = 1e-13


def curves(results: Results) -> pd.DataFrame:
    """By bound, kind of steps and number: ``slope`` of ln gap over the context, and ``explained``, at the last step."""
    table = results.table("weight_gaps")
    last = table[(table["updates"] == table["updates"].max()) & (table["gap"] > SMALLEST)]
    groups = last.groupby(["bound", "steps", "number"], observed=True)
    return groups.apply(_line, include_groups=False).dropna().reset_index()


def _line(rows: pd.DataFrame) -> pd.Series:
    if len(rows) < 3:
        return pd.Series({"slope": np.nan, "explained": np.nan})
    x, y = rows["context"].astype(float), np.log(rows["gap"])
    slope, constant = np.polyfit(x, y, 1)
    spread = y.var()
    explained = 1 - (y - slope * x - constant).var() / spread if spread > 0 else 1.0
    return pd.Series({"slope": slope, "explained": explained})


def exponents(results: Results) -> pd.DataFrame:
    """By bound, kind of steps and number: the power of the number of steps with which gaps grow, the largest context's.

    Least squares of ln gap on ln N, for each context whose gaps can be told from rounding; the largest of them.
    """
    table = results.table("weight_gaps")
    table = table[table["gap"] > SMALLEST]
    found = []
    for keys, rows in table.groupby(["bound", "steps", "number", "context"], observed=True):
        if rows["updates"].nunique() > 1:
            power = np.polyfit(np.log(rows["updates"].astype(float)), np.log(rows["gap"]), 1)[0]
            found.append((*keys, float(power)))
    frame = pd.DataFrame(found, columns=["bound", "steps", "number", "context", "exponent"])
    return frame.groupby(["bound", "steps", "number"], observed=True)["exponent"].max().reset_index()


def equivalent_training(results: Results) -> Finding:
    """M3: with falling steps, both stable bounds; and the network that began at 1.5 as the control."""
    lines, powers, parts, words = curves(results), exponents(results), [], []

    def of(frame: pd.DataFrame, bound: str) -> pd.DataFrame:
        return frame[(frame["bound"] == bound) & (frame["steps"] == FALLING)].set_index("number")

    for bound in (STABLE, NEARLY):
        line, power = of(lines, bound), of(powers, bound)["exponent"]
        fall = single(-line["slope"], name=f"{bound}: fall of ln gap", unit="per character of context")
        straight = single(line["explained"], name=f"{bound}: variance of ln gap along a line", unit="share")
        growth = single(power, name=f"{bound}: power of the number of steps", unit="power")
        parts += [exceeds(fall, SLOPE), exceeds(straight, EXPLAINED), falls_below(growth, EXPONENT)]
        words.append(
            f"{bound}: fall {fall.estimate:.2f}, along a line {straight.estimate:.2f}, power {growth.estimate:.2f}"
        )
    free = single(-of(lines, UNSTABLE)["slope"], name=f"{UNSTABLE}: fall of ln gap", unit="per character of context")
    parts.append(falls_below(free, SLOPE))
    words.append(f"{UNSTABLE}: fall {free.estimate:.3f}")
    return Finding(all_of(parts), note="; ".join(words))


LAPTOP = SIZES["laptop"]
CLAIMS = (
    Claim(
        "M3",
        PAGE,
        "Miller & Hardt 2019",
        "With steps of size α/t a stable network and its truncated twin learn nearly the same weights: their gap "
        "falls geometrically with the window and grows no faster than a power of the number of steps. Without "
        "stability the gap does not fall.",
        "proved for the stable one, with k = O(log(poly(N)/ε))",
        equivalent_training,
        headline=True,
        regime=f"tanh RNN of {LAPTOP.states} units, 1,000 steps, windows up to 64, {LAPTOP.seeds} runs",
    ),
)
