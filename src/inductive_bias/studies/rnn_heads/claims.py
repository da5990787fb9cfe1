"""What the study tests, and the rule by which each sentence is judged.

Bounds are older than the results; that only networks count which master their task was added to the rule later.
"""

import numpy as np

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import Cell
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.design import ANY_FILTER, FITTED, NONLINEAR, TRAINED
from inductive_bias.studies.rnn_heads.measures import EPS, explained_from_inputs
from inductive_bias.verdicts import Contrast, Judgement, all_of, exceeds, falls_below, given, single

PAPER = "Huang et al. 2023"
#: R1 is about matrices that can be diagonalised: the condition number of their eigenvectors is below this …
CONDITION = 1e4
#: … and asks that the worst state is off by less than so many times the precision: ten times what that may cost.
BOUND = 1e5
#: R1b calls a loss ignorable if so much of the variance of the states is explained …
IGNORABLE = 0.95
#: … of networks that leave at most so much of their task's variance unexplained, on the mean of their seeds. What has
#: learnt nothing is nearly linear, and says nothing.
MASTERED = 0.05


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


def ignorable(results: Results) -> Finding:
    """R1b: what the best linear filter, hence any number of heads, explains of the states of each kind of network.

    Every kind that was trained must be explained, on both tasks, and must have mastered its task to count: one that
    surely falls short fails the sentence, one that has not mastered its task cannot support it.
    """
    cells = [cell for cell in results.cells if cell["model"] in NONLINEAR and cell["training"] == TRAINED]
    heads, rnn = ([explained_from_inputs(results, name, **cell) for cell in cells] for name in (ANY_FILTER, FITTED))
    note = "; ".join(f"{a.name} {a} (fitted RNN {b.estimate:.2f})" for a, b in zip(heads, rnn, strict=True))
    masters = [_of_a_master(results, cell, share) for cell, share in zip(cells, heads, strict=True)]
    return Finding(all_of(masters), note=note)


def _of_a_master(results: Results, cell: Cell, share: Contrast) -> Judgement:
    # a diverged network has learnt nothing
    missed = float(results.values("unexplained", split="test", **cell).fillna(1.0).mean())
    reason = f"{share.name} leaves {missed:.2f} of its task's variance unexplained, more than {MASTERED}"
    return given(missed <= MASTERED, reason, exceeds(share, IGNORABLE))


def size_of_matrices(results: Results) -> str:
    """Sizes and draws of the random matrices, in words."""
    table = results.table("exactness")
    random = table[table["trial"].isna()]
    return (
        f"{random['size'].min()} to {random['size'].max()} states, random and trained, {table['draw'].nunique()} draws"
    )


def size_of_training(results: Results) -> str:
    """States, training sequences and runs of the networks, in words."""
    trials = results.trials
    states, sequences, length = (trials[name].max() for name in ("model.states", "task.train_size", "task.length"))
    runs = trials["number"].nunique()
    return f"{states} states, {sequences:,} sequences of {length} steps, {runs} runs"


CLAIMS = (
    Claim(
        "R1",
        "attention/rnn_heads",
        f"{PAPER}, proposition 1",
        "Attention heads with fixed weights and a term for the present token reproduce a linear RNN to numerical "
        "precision, random or trained, if its matrix can be diagonalised well (a condition number below 10,000).",
        "proved for linear activation",
        exact,
        headline=True,
        regime=size_of_matrices,
    ),
    Claim(
        "R1b",
        "attention/rnn_heads",
        f"{PAPER}, abstract",
        "If an RNN layer, linear or not, is broken down into attention heads with fixed weights, little is lost: "
        "at most 5 % of its states' variance.",
        "“ignorable loss” of “an RNN layer”; the body says linear",
        ignorable,
        regime=size_of_training,
    ),
)
