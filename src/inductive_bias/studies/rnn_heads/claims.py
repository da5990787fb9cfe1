"""What the study tests, and the rule by which each sentence is judged.

Bounds are older than the results; that only networks count which master their task was added to the rule later.
"""

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import Cell, Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.design import NONLINEAR, SIZES, TRAINED
from inductive_bias.studies.rnn_heads.matrices import SIZES as OF_STATES
from inductive_bias.studies.rnn_heads.tables import ANY_FILTER, FITTED, NETWORK
from inductive_bias.verdicts import Contrast, Judgement, all_of, exceeds, falls_below, given, single

PAPER = "Huang et al. 2023"
EPS = float(np.finfo(np.float64).eps)
#: R1 is about matrices that can be diagonalised: the condition number of their eigenvectors is below this …
CONDITION = 1e4
#: … and asks that the worst state is off by less than so many times the precision: ten times what that may cost.
BOUND = 1e5
#: R1b calls a loss ignorable if so much of the variance of the states is explained …
IGNORABLE = 0.95
#: … of networks that leave at most so much of their task's variance unexplained, on the mean of their seeds. What has
#: learnt nothing is nearly linear, and says nothing.
MASTERED = 0.05
FROM_INPUTS = "from inputs"
#: Columns of the table of linear parts, as the pages call them.
PARTS = {"one_step": "one step", "free": FROM_INPUTS}


def exact(results: Results) -> Finding:
    """R1: the worst relative error of a state over all diagonalisable matrices of a seed, in units of eps."""
    table = results.table("exactness")
    diagonalisable = table["condition"] < CONDITION
    good, others = table[diagonalisable], table[~diagonalisable]
    # a state that is not a number is off by all of it
    worst = good["state_error"].fillna(1.0).groupby(good["draw"]).max()
    orders, unit = np.log10((worst / EPS).clip(lower=1)), "log₁₀ of the largest error of a state, in eps"
    note = f"{len(good)} of {len(table)} matrices, worst error {worst.max():.1e}, bound {BOUND * EPS:.1e}"
    if len(others):
        warned = int(others["warned"].sum())
        note += f"; the {len(others)} worse conditioned: up to {others['state_error'].max():.0e}, {warned} warned of"
    return Finding(falls_below(single(orders, name="worst matrix of a seed", unit=unit), np.log10(BOUND)), note=note)


def explained(results: Results, **levels: Level) -> pd.DataFrame:
    """Share of the variance of a network's held-out states that a linear stand-in explains, one row a seed.

    At least 0, what a constant explains: a roll-out that explodes is no worse. Of the columns ``scale, stand_in, part``
    the last is *one step* ahead from the true states (empty for a filter) or *from inputs* alone.
    """
    table = results.table("linear_part").rename(columns=PARTS)
    kept = [*results.design.factors, "cell", "seed", "number", "scale", "stand_in"]
    found = table[table["stand_in"] != NETWORK].melt(kept, list(PARTS.values()), "part")
    found = found[np.logical_and.reduce([found[name] == level for name, level in levels.items()])]
    return found.assign(value=(1 - found["value"].astype(float)).clip(lower=0)).reset_index(drop=True)


def by_stand_in(results: Results, stand_in: str, **cell: Level) -> Contrast:
    """What a stand-in explains from the inputs alone in one cell; nothing of states that are no numbers."""
    chosen = explained(results, stand_in=stand_in, part=FROM_INPUTS, scale=1.0, **cell).set_index("number")["value"]
    name, unit = results.design.label(**cell), "of the states' variance explained"
    return single(chosen, name=name, unit=unit, failed_value=0.0)


def ignorable(results: Results) -> Finding:
    """R1b: what the best linear filter, hence any number of heads, explains of the states of each kind of network.

    Every kind that was trained must be explained, on both tasks, and must have mastered its task to count: one that
    surely falls short fails the sentence, one that has not mastered its task cannot support it.
    """
    cells = [cell for cell in results.cells if cell["model"] in NONLINEAR and cell["training"] == TRAINED]
    heads, rnn = ([by_stand_in(results, name, **cell) for cell in cells] for name in (ANY_FILTER, FITTED))
    note = "; ".join(f"{a.name} {a} (fitted RNN {b.estimate:.2f})" for a, b in zip(heads, rnn, strict=True))
    masters = [_of_a_master(results, cell, share) for cell, share in zip(cells, heads, strict=True)]
    return Finding(all_of(masters), note=note)


def _of_a_master(results: Results, cell: Cell, share: Contrast) -> Judgement:
    # a diverged network has learnt nothing
    missed = float(results.values("unexplained", split="test", **cell).fillna(1.0).mean())
    reason = f"{share.name} leaves {missed:.2f} of its task's variance unexplained, more than {MASTERED}"
    return given(missed <= MASTERED, reason, exceeds(share, IGNORABLE))


_SIZES = SIZES["laptop"]
TRAINING = f"{_SIZES.states} states, {_SIZES.sequences:,} sequences of {_SIZES.length} steps, {_SIZES.seeds} runs"

CLAIMS = (
    Claim(
        "R1",
        "attention/rnn_heads",
        f"{PAPER}, proposition 1",
        "Attention heads with fixed weights and a term for the present token "
        "reproduce a linear RNN to numerical precision, random or trained, if its matrix can be diagonalised.",
        "proved for linear activation",
        exact,
        headline=True,
        regime=f"{min(OF_STATES)} to {max(OF_STATES)} states, random and trained, {_SIZES.seeds} draws",
    ),
    Claim(
        "R1b",
        "attention/rnn_heads",
        f"{PAPER}, abstract",
        "Broken down into attention heads with fixed weights, an RNN layer loses "
        "little (5 % of its states' variance), be it linear or not.",
        "“ignorable loss” of “an RNN layer”; the body says linear",
        ignorable,
        regime=TRAINING,
    ),
)
