"""What is claimed of recurrence and sample size, and the rule by which each sentence is judged; before the results.

Models are compared seed by seed on the same sequences: intervals are Student's t over the paired seeds, at 95 %.
Errors are squared distances from the noise-free target in shares of its variance.
"""

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval, rank_correlation
from inductive_bias.protocols.batching import EPOCH_STEPS
from inductive_bias.studies.claims import Claim, Finding, Verdict, above, below, both, signed
from inductive_bias.studies.comparisons import finding, interval_of
from inductive_bias.studies.signal_vs_samples.design import ALONE, ALONE_SMALL, SIZES, SMALL, TWIN, Place
from inductive_bias.studies.signal_vs_samples.measures import (
    GOAL,
    difference,
    gates,
    largest_decay,
    log_ratio,
    needs,
    steps_needed,
    validation_curves,
)
from inductive_bias.studies.study import Results

PAPER = "Huang et al. 2023"
OWN = f"{PAPER}, own addition of our notes"
RSA = "RSA"
#: R3: by how much of the target's variance RSA may be worse and still pay no price.
MARGIN = 0.05
#: R4: the rank correlation that the gate must exceed.
FOLLOWS = 0.8
#: R3 and R11: a gate below this leans to attention; a decay below this forgets all but an eighth within three steps.
HALF = 0.5


def fewer_samples(results: Results) -> Finding:
    """Doublings of the training set that RSA saves its twin on the way to :data:`GOAL`, mean over ρ > 0.

    Reproduced if the interval over seeds lies above 0 and RSA is worse than its twin at neither of the two smallest
    sizes for any ρ > 0 (an interval of the log ratio of errors wholly above 0 there is a crossing). A crossing fails
    the claim, whatever the mean. A (ρ, seed) at which neither reaches the goal says nothing and is left out.
    """
    sizes = SIZES[results.scale]
    shares = [rho for rho in sizes.shares if rho > 0]
    saved = savings(results, shares)
    by_seed = interval_of(saved.groupby("seed")["value"].mean())
    small = {
        (rho, size): log_ratio(results, Place(RSA, rho, size), Place(TWIN, rho, size))
        for rho in shares
        for size in sizes.samples[:2]
    }
    crossed = [f"ρ = {rho:g}, n = {size}" for (rho, size), ratio in small.items() if ratio.low > 0]
    by_share = ", ".join(f"{rho:g}: {_number(rows['value'].mean())}" for rho, rows in saved.groupby("rho"))
    note = f"by ρ {by_share}; worse than the twin at {'; '.join(crossed) or 'none of the smallest sizes'}"
    verdict: Verdict = "not reproduced" if crossed else above(by_seed)
    return finding(verdict, by_seed, f"doublings of n saved to an error of {GOAL:g}", note)


def savings(results: Results, shares: list[float], goal: float = GOAL) -> pd.DataFrame:
    """log₂ of the twin's need of sequences over RSA's: ``rho, seed, value``, where at least one reaches the goal."""
    table = needs(results, goal)
    pair = table[table["model"].isin([TWIN, RSA]) & table["rho"].isin(shares)]
    needed, reached = (pair.pivot(index=["rho", "seed"], columns="model", values=name) for name in ("value", "reached"))
    saved = np.log2(needed[TWIN] / needed[RSA])[reached.astype(bool).any(axis=1)]
    return saved.rename("value").reset_index()


def no_price(results: Results) -> Finding:
    """Error of RSA less its twin's on pure lookups, at the size where that is largest, and the gate at the largest.

    Reproduced if at every size the interval lies below :data:`MARGIN`, and the final gate's interval at the largest
    size below one half, from which it started. Not reproduced if an interval lies wholly above its threshold.
    """
    samples = SIZES[results.scale].samples
    price = {size: difference(results, Place(RSA, 0.0, size), Place(TWIN, 0.0, size)) for size in samples}
    worst = max(price, key=lambda size: price[size].mean)
    gate = _gate(results, 0.0, samples[-1])
    verdict = both(*(below(each, MARGIN) for each in price.values()), below(gate, HALF))
    parts = ", ".join(f"{size}: {signed(each)}" for size, each in price.items())
    note = f"by n {parts}; gate with {samples[-1]} sequences {gate.mean:.2f} [{gate.low:.2f}, {gate.high:.2f}]"
    return finding(verdict, price[worst], f"of the variance, RSA minus its twin at n = {worst}", note)


def gate_follows(results: Results) -> Finding:
    """Spearman's correlation of the share ρ and the final gate over all seeds at the largest size.

    Reproduced if its bootstrap interval (seeds redrawn within ρ) lies above :data:`FOLLOWS`.
    """
    samples = SIZES[results.scale].samples
    found = {size: _rank(results, size) for size in samples}
    largest = found[samples[-1]]
    note = "by n " + ", ".join(f"{size}: {_number(each.mean)}" for size, each in found.items())
    return finding(above(largest, FOLLOWS), largest, f"Spearman's ρ of gate and signal at n = {samples[-1]}", note)


def start_matters(results: Results) -> Finding:
    """RSA whose decays start near 0 against RSA as in the paper, on purely recurrent signals, in equal steps.

    Reproduced if its error is higher (interval of log₂ of the ratio above 0) and its branch has not learnt to remember
    (interval of the largest final decay below one half). Not reproduced if one of both lies wholly on the other side.
    """
    size = SIZES[results.scale].control_size
    small, usual = (Place(name, 1.0, size) for name in (SMALL, RSA))
    ratio, decay = log_ratio(results, small, usual), interval_of(largest_decay(results, small))
    mixed = log_ratio(results, Place(SMALL, 0.5, size), Place(RSA, 0.5, size))
    alone = log_ratio(results, Place(ALONE_SMALL, 1.0, size), Place(ALONE, 1.0, size))
    curves = validation_curves(results, [small, usual], EPOCH_STEPS)
    steps = steps_needed(curves).groupby("cell", sort=False)["value"].mean()
    note = (
        f"largest decay {decay.mean:.2f} [{decay.low:.2f}, {decay.high:.2f}]; at ρ = 0.5 {signed(mixed)}; without "
        f"attention {signed(alone)}; mean steps to an error of {GOAL:g}, of the seeds that get there: "
        f"{_steps(steps[SMALL])} from small decays, {_steps(steps[RSA])} as in the paper"
    )
    unit = "log₂ of the ratio of errors, small decays / paper"
    return finding(both(above(ratio), below(decay, HALF)), ratio, unit, note)


def _gate(results: Results, rho: float, size: int) -> Interval:
    table = gates(results)
    return interval_of(table.loc[(table["rho"] == rho) & (table["size"] == size), "value"])


def _rank(results: Results, size: int) -> Interval:
    table = gates(results)
    table = table[(table["size"] == size) & np.isfinite(table["value"])]
    return rank_correlation(table["rho"], table["value"], table["rho"].tolist())


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:+.2f}".replace("-", "−")


def _steps(value: float) -> str:
    return "never" if np.isnan(value) else f"{value:.0f}"


CLAIMS = (
    Claim("R2", f"{PAPER}, claim 2", "Where the signal is recurrent in part, RSA reaches a given error with fewer "
          "sequences than its attention-only twin, and is nowhere worse with few.", "stated; drawn as a sketch",
          fewer_samples),
    Claim("R3", f"{PAPER}, claim 3", "On signals without recurrence RSA pays no price, and its gate falls below one "
          "half from a neutral start.", "stated; drawn as a sketch", no_price),
    Claim("R4", f"{PAPER}, claim 4", "The learned gate grows with the share of recurrent signal.",
          "stated for tasks; no numbers found", gate_follows),
    Claim("R11", f"{OWN}, claim 11", "With decays that start near 0 the recurrent branch does not train in equal "
          "time.", "starts |λ| in .76–.96 and γ in .73–.88", start_matters),
)  # fmt: skip
