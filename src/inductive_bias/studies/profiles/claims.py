"""What the study tests, and the rule by which each sentence is judged; written before the runs of the population.

Pilots were seen when the rules were written: one seed (1) of six models with two blocks of width 32, at both rates. An
LSTM followed the last symbol in .72 and .81 of the conflicts, attention in none (P1), and RSA had an answer by place
where an LSTM and attention without positions looked for the marker (which speaks against P2). Of P3 and P4 nothing was
seen. Every cell has four runs, which are looked at once.
"""

from functools import partial
from itertools import combinations

import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.known_models import ATTENTION, RECURRENT
from inductive_bias.studies.profiles.design import cell, family
from inductive_bias.studies.profiles.measures import distances
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import CONFLICT
from inductive_bias.verdicts import exceeds, paired

PAGE = "profiles/architectures"
OWN = "a question of our own"
#: P1: a share of answers.
MORE_RECENT = 0.2
#: P2 to P4: a distance between profiles, in shares, see :func:`~.measures.distance`.
NEARER = 0.05
#: P4: a mixer at two sizes.
SIZES = tuple((name, f"{name}, small") for name in ("Attention, RoPE", "RSA", "Linear RNN", "LSTM"))


def follows_the_last_symbol(results: Results) -> Finding:
    """P1: the share of conflicts that an LSTM decides by the last symbol, less attention's."""
    lstm, attention = (
        results.values("preference", split=CONFLICT, **cell(name, "recency or majority"))
        for name in ("LSTM", "Attention")
    )
    # a run that decides no conflict by either rule prefers none of them
    contrast = paired(lstm, attention, name="LSTM − attention", unit="share of conflicts", failed_value=0.5)
    return Finding(exceeds(contrast, MORE_RECENT), contrast)


def lies_between(results: Results) -> Finding:
    """P2: attention's distance to the LSTM less RSA's."""
    attention, rsa = (distances(results, [(name, "LSTM")]) for name in ("Attention", "RSA"))
    contrast = paired(attention, rsa, name="attention to LSTM − RSA to LSTM", unit="distance of profiles")
    return Finding(exceeds(contrast, NEARER), contrast)


def families_cluster(results: Results) -> Finding:
    """P3: the mean distance between families less that within, of attention and recurrent models."""
    there = results.design.levels(results.scale)["model"]
    models = {name: family(name) for name in there if family(name) in (ATTENTION, RECURRENT)}
    pairs = list(combinations(models, 2))
    apart, together = (
        distances(results, [(a, b) for a, b in pairs if (models[a] != models[b]) == wanted]) for wanted in (True, False)
    )
    contrast = paired(apart, together, name="between − within families", unit="distance of profiles")
    return Finding(exceeds(contrast, NEARER), contrast)


def size_matters_less(results: Results) -> Finding:
    """P4: the mean distance between four mixers of one size less that between two sizes of one mixer."""
    usual = [large for large, _ in SIZES]
    mixers, sizes = distances(results, combinations(usual, 2)), distances(results, SIZES)
    contrast = paired(mixers, sizes, name="other mixer − other size", unit="distance of profiles")
    return Finding(exceeds(contrast, NEARER), contrast)


def size_of_models(results: Results) -> str:
    """Weights, steps and runs, in words."""
    trials = results.trials
    steps = trials["optimiser_steps"].max()
    told = f"{steps:,.0f} steps, " if pd.notna(steps) else ""  # they are known of published runs
    return f"about {round(trials['parameters'].median(), -3):,.0f} weights, {told}{trials['number'].nunique()} runs"


_claim = partial(Claim, page=PAGE, source=OWN, paper="not asked", own=True, regime=size_of_models)
CLAIMS = (
    _claim(
        id="P1",
        statement="Where the last symbol and the most frequent one disagree, an LSTM follows the last one more often "
        "than attention does.",
        rule=follows_the_last_symbol,
    ),
    _claim(
        id="P2",
        statement="The profile of attention with recurrence (RSA) is nearer to that of an LSTM than attention's is.",
        rule=lies_between,
    ),
    _claim(
        id="P3",
        statement="Recurrent models have profiles like each other, and so have attention models: models of one family "
        "are nearer to each other than to the other family.",
        rule=families_cluster,
    ),
    _claim(
        id="P4",
        statement="What mixes the tokens matters more for a profile than whether a model has 5,000 or 20,000 weights.",
        rule=size_matters_less,
    ),
)
