"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

A model *needs* so many strings if, in a run, it has :data:`RIGHT` of the unseen ones right after learning from that
many, and not after half. It is counted in doublings, log₂ n, between two sizes on the straight line from score to
score. A run that diverged guesses. Where no number of the grid suffices, figures show all strings, T doublings: with
all of them in a table nothing is left to be unseen. No claim counts such a run. What it needs is not known, and all
strings would be a bound in favour of a number that grows, whatever the model. So a length counts only if every run
learns there, and at every longer length as well: a model that fails at the longest one may need any number. (Until 30
November 2026 such a run counted as if it needed all strings; the data were known.)
"""

from itertools import takewhile

import numpy as np
import pandas as pd

from inductive_bias.errors import NoRunsError
from inductive_bias.studies.claims import Claim, Finding, after_published_looks, in_words
from inductive_bias.studies.results import Results, once
from inductive_bias.studies.sharing.design import LSTM, MLP, UNROLLED
from inductive_bias.verdicts import (
    Contrast,
    Judgement,
    all_of,
    every_run,
    exceeds,
    falls_below,
    given,
    not_,
    paired,
    partners,
    single,
    some_run,
    untestable,
)

PAGE = "automata/mlp"
TEXT = "the project plan of 2023 on Liu et al. 2023"
OURS = "a question of our own"
#: A score from which parity is learnt; and that of a guess.
RIGHT, GUESS = 0.95, 0.5
#: Q25: doublings of strings per bit. All strings are one doubling per bit; a rule that is one step has none.
GROWS, STAYS = 0.5, 0.2
#: Q25: a slope needs so many lengths at which every run learns.
FEWEST_LENGTHS = 2
#: Q25c: the share of strings that a run can have right.
SHARES = (0.0, 1.0)
#: Q25b: by how many doublings sharing has to save strings: a half of them.
SAVES = 1.0
#: Q25c: a run within this of a guess knows nothing.
NOTHING = 0.05
#: Runs of the unrolled LSTM at the first publication; two came after that look.
FIRST_LOOK = 3


def scores(results: Results, *, times: int = 1) -> pd.DataFrame:
    """Every judged run on unseen strings, as long as those learnt from or ``times`` as long.

    Columns: ``model, bits, strings, number, value``.
    """
    found = results.frame("accuracy", split="test", by="length").fillna({"value": GUESS})
    return found[found["length"] == times * found["bits"]][["model", "bits", "strings", "number", "value"]]


def doublings_needed(bits: int, strings: list[int], right: list[float]) -> float:
    """log₂ of the strings that a run needs, or of all strings if no number of them suffices."""
    at = next((place for place, share in enumerate(right) if share >= RIGHT), None)
    if at is None:
        return float(bits)
    if at == 0:
        return float(np.log2(strings[0]))
    low, high = np.log2(strings[at - 1 : at + 1])
    return float(low + (high - low) * (RIGHT - right[at - 1]) / (right[at] - right[at - 1]))


@once
def needed(results: Results) -> pd.DataFrame:
    """``model, bits, number, value, reached``: doublings of strings, and whether some number of the grid sufficed."""
    rows = []
    for (model, bits, number), runs in scores(results).groupby(["model", "bits", "number"], observed=True):
        runs = runs.sort_values("strings")
        right = runs["value"].tolist()
        value = doublings_needed(bits, runs["strings"].tolist(), right)
        rows.append({"model": model, "bits": bits, "number": number, "value": value, "reached": max(right) >= RIGHT})
    return pd.DataFrame(rows)


def of_models(results: Results, *models: str) -> pd.DataFrame:
    """Rows of :func:`needed` of these models.

    Raises:
        NoRunsError: if a model has no run.
    """
    found = needed(results)
    if absent := [model for model in models if model not in found["model"].unique()]:
        raise NoRunsError(f"no runs yet of {', '.join(absent)}")
    return found[found["model"].isin(models)]


def learnt_lengths(results: Results, *models: str) -> list[int]:
    """Bits of strings of which every run of these models learns parity, without those below a length where one fails.

    Raises:
        NoRunsError: if a model has no run.
    """
    learnt = of_models(results, *models).groupby("bits")["reached"].all()
    return sorted(takewhile(learnt.get, sorted(learnt.index, reverse=True)))


def learn_at(results: Results, fewest: int, *models: str) -> tuple[bool, str]:
    """Whether every run of these models learns at so many of the longest lengths, and in words where runs do if not."""
    words = []
    for model in models:
        found = of_models(results, model).groupby("bits")["reached"].agg(["sum", "count"])
        words.append(
            f"{model} {', '.join(f'{row.sum} of {row.count} at {row.Index} bits' for row in found.itertuples())}"
        )
    lengths = "the longest length" if fewest == 1 else f"the {fewest} longest lengths"
    return len(learnt_lengths(results, *models)) >= fewest, f"not every run learns at {lengths}: {'; '.join(words)}"


def per_bit(results: Results, model: str) -> Contrast:
    """How many doublings of strings one more bit costs: the slope of a straight line over lengths, run by run.

    Over the lengths of :func:`learnt_lengths`. All of these runs have learnt parity, and how many strings they need is
    a matter of degree: so it is judged without extremes.
    """
    lengths = learnt_lengths(results, model)
    table = of_models(results, model).pivot(index="number", columns="bits", values="value")[lengths]
    slopes = pd.Series([np.polyfit(lengths, run, 1)[0] for run in table.to_numpy()], index=table.index)
    return single(slopes, name=f"{model}, {lengths[0]} to {lengths[-1]} bits", unit="doublings per bit")


def share_or_number(results: Results) -> Finding:
    """Q25: the MLP's strings grow with the length, more than :data:`GROWS`; the LSTM's less than :data:`STAYS`.

    Each over the lengths at which every run of it learns.
    """
    parts = [
        given(*learn_at(results, FEWEST_LENGTHS, MLP), lambda: exceeds(per_bit(results, MLP), GROWS)),
        given(*learn_at(results, FEWEST_LENGTHS, LSTM), lambda: falls_below(per_bit(results, LSTM), STAYS)),
    ]
    slopes = [part.deciding for part in parts if part.deciding is not None]
    return Finding(all_of(parts), note=in_words(*slopes, units=True))


def sharing_saves(results: Results) -> Finding:
    """Q25b: an LSTM whose steps share no weights needs more strings, by :data:`SAVES`, mean over lengths.

    Over the lengths at which every run of both learns, and of runs that learn from equal strings: those of numbers that
    both have.
    """

    def saved() -> Judgement:
        found = of_models(results, LSTM, UNROLLED)
        there = found["bits"].isin(learnt_lengths(results, LSTM, UNROLLED))
        mean = found[there].groupby(["model", "number"], observed=True)["value"].mean()
        contrast = paired(
            *partners(mean[UNROLLED], mean[LSTM]), name=f"{UNROLLED} − {LSTM}", unit="doublings of strings"
        )
        looks = min(FIRST_LOOK, contrast.n), contrast.n
        return after_published_looks(results, exceeds(contrast, SAVES), looks)

    return Finding(given(*learn_at(results, 1, LSTM, UNROLLED), saved))


def a_step_goes_on(results: Results) -> Finding:
    """Q25c: of strings twice as long every LSTM has :data:`RIGHT` and every MLP guesses, where both have learnt parity.

    At the longest length and the largest number of strings at which both master strings as long as in training, on
    average. It is judged by runs, since a run goes on or does not (by means until issue 50; the data were known).
    """
    of_models(results, MLP, LSTM)
    learnt, longer = scores(results), scores(results, times=2)
    means = learnt[learnt["model"].isin((MLP, LSTM))].groupby(["bits", "strings", "model"], observed=True)["value"]
    both = means.mean().unstack("model").min(axis=1)
    places = both[both >= RIGHT].index.tolist()
    if not places:
        return Finding(untestable(f"nowhere have both {RIGHT:g} of the unseen strings as long as in training"))
    bits, strings = max(places)
    runs = longer[(longer["bits"] == bits) & (longer["strings"] == strings)].set_index(["model", "number"])["value"]
    unit = f"of strings of {2 * bits} bits"
    lstm, mlp = (single(runs[model], name=model, unit=unit, extremes=SHARES) for model in (LSTM, MLP))
    rule = all_of([every_run(lstm, RIGHT), not_(some_run(mlp, GUESS + NOTHING))])
    words = "; ".join(
        f"{each.name}: worst run {each.values.min():.3f}, best {each.values.max():.3f}" for each in (lstm, mlp)
    )
    return Finding(rule, lstm, f"{strings} strings of {bits} bits; {words}")


def regime(results: Results) -> str:
    """The sizes of the strings and of the LSTMs, in words."""
    trials = results.trials
    runs, states = results.runs(model=LSTM)[-1], trials["model.states"].max()
    return f"strings of {trials['bits'].min()} to {trials['bits'].max()} bits, {states} states, {runs} runs"


CLAIMS = (
    Claim(
        "Q25",
        PAGE,
        TEXT,
        "An MLP needs a share of all strings, an LSTM a fixed number: at lengths where every run learns parity, every "
        "further bit takes the MLP more than half a doubling more strings, and the LSTM less than a fifth of one.",
        "asked: why not an MLP? no numbers",
        share_or_number,
        own=True,
        regime=regime,
    ),
    Claim(
        "Q25b",
        PAGE,
        OURS,
        "Weight sharing saves strings: an unrolled LSTM, with weights of its own at every step, needs "
        "twice as many as the LSTM, on average over the lengths at which every run of both learns parity.",
        "not asked",
        sharing_saves,
        own=True,
        regime=regime,
    ),
    Claim(
        "Q25c",
        PAGE,
        OURS,
        "A learnt step also works on longer strings: if an LSTM and an MLP have both learnt parity, every LSTM has "
        "95 % of strings twice as long right, and no MLP has 55 %.",
        "not asked",
        a_step_goes_on,
        own=True,
        regime=regime,
    ),
)
