"""What the study tests, and the rule by which each sentence is judged; bounds and margins are older than the results."""

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads.design import NONLINEAR, SIGNALS, TRAINED
from inductive_bias.studies.rnn_heads.tables import ANY_FILTER, FITTED
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
#: A diverged network has learnt nothing, and states that are no numbers are explained by nothing.
NOT_LEARNT, NOT_EXPLAINED = 1.0, 0.0


def exact(results: Results) -> Finding:
    """R1: the worst relative error of a state over all diagonalisable matrices of a seed, in units of eps."""
    table = results.table("exactness")
    good, others = (table[table["condition"] < CONDITION], table[~(table["condition"] < CONDITION)])
    # a state that is not a number is off by all of it
    worst = good["state_error"].fillna(1.0).groupby(good["draw"]).max()
    error = single(
        np.log10((worst / EPS).clip(lower=1)),
        name="worst matrix of a seed", unit="log₁₀ of the largest error of a state, in eps",
    )  # fmt: skip
    note = f"{len(good)} of {len(table)} matrices, worst error {worst.max():.1e}, bound {BOUND * EPS:.1e}"
    if len(others):
        warned = int(others["warned"].sum())
        note += f"; the {len(others)} worse conditioned: up to {others['state_error'].max():.0e}, {warned} warned of"
    return Finding(falls_below(error, np.log10(BOUND)), note=note)


def explained(results: Results, part: str = "free") -> pd.DataFrame:
    """The table ``linear_part`` with ``value``: share of variance explained, from the inputs alone or by ``one_step``.

    At least 0, which is what a constant explains: a roll-out that explodes is no worse. NaN where it is no number.
    """
    table = results.table("linear_part")
    return table.assign(value=(1 - table[part].astype(float)).clip(lower=0))


def by_stand_in(results: Results, model: str, signal: str, stand_in: str) -> Contrast:
    """What one stand-in explains of the held-out states of one kind of trained network, from the inputs alone."""
    table = explained(results)
    at = {"model": model, "signal": signal, "training": TRAINED, "stand_in": stand_in, "scale": 1.0}
    chosen = table[np.logical_and.reduce([table[name] == level for name, level in at.items()])]
    return single(
        chosen.set_index("number")["value"],
        name=f"{model}, {signal}", unit="of the states' variance explained", failed_value=NOT_EXPLAINED,
    )  # fmt: skip


def ignorable(results: Results) -> Finding:
    """R1b: what the best linear filter, hence any number of heads, explains of the states of each kind of network.

    Every kind that was trained must be explained, on both tasks, and must have mastered its task to count: one that
    surely falls short fails the sentence, one that has not mastered its task cannot support it.
    """
    parts, found = [], []
    for model in NONLINEAR:
        for signal in SIGNALS:
            parts.append(_of_a_master(results, model, signal))
            heads, rnn = (by_stand_in(results, model, signal, each) for each in (ANY_FILTER, FITTED))
            found.append(f"{heads.name} {heads} (fitted RNN {rnn.estimate:.2f})")
    return Finding(all_of(parts), note="; ".join(found))


def _of_a_master(results: Results, model: str, signal: str) -> Judgement:
    missed = results.values("unexplained", split="test", model=model, signal=signal, training=TRAINED)
    mean = missed.fillna(NOT_LEARNT).mean()
    reason = f"{model}, {signal}, leaves {mean:.2f} of its task's variance unexplained, more than {MASTERED}"
    return given(mean <= MASTERED, reason, lambda: exceeds(by_stand_in(results, model, signal, ANY_FILTER), IGNORABLE))


CLAIMS = (
    Claim("R1", f"{PAPER}, proposition 1", "The heads and the term of lag 0 reproduce a linear RNN to numerical "
          "precision, random or trained, if its matrix can be diagonalised.",
          "proved for linear activation", exact),
    Claim("R1b", f"{PAPER}, abstract", "Broken down into such heads, an RNN layer loses little (5 % of its states' "
          "variance), be it linear or not.",
          "“ignorable loss” of “an RNN layer”; the body says linear", ignorable),
)  # fmt: skip
