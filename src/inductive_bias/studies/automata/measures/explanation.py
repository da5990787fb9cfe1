"""Measures of the page on explanations: scores of attributions, and what deletion costs.

Attributions explain the last state of a word. All models with one number must have that state right, so that no error
is explained. Models must also simulate the automaton: else what decides is not what they should look at. Runs are
paired by number, and runs with one number see the same words.
"""

import pandas as pd

from inductive_bias.analysis.attribution import first_tenth
from inductive_bias.studies.automata.design import ATTENTION, LSTM, RSA, cell, named
from inductive_bias.studies.automata.measures.depth import TRAINED, late
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import SOLVED, trained_length
from inductive_bias.verdicts import Contrast, paired

#: The tables.
SCORES, DELETION, EXAMPLES = "attribution_scores", "attribution_deletion", "attribution_examples"
GRADIENT, INTEGRATED, OCCLUSION = "gradient × input", "integrated gradients", "occlusion"
RAW, ROLLOUT = "attention", "attention rollout"
#: In the order of the page. The last two are of softmax attention alone: what a REM takes is no share of a sum of 1.
METHODS = (OCCLUSION, INTEGRATED, GRADIENT, RAW, ROLLOUT)
#: What stands beside the methods: what the automaton itself depends on, and positions in random order.
TRUTH, RANDOM = "the automaton", "random order"
#: The scores, see :mod:`~inductive_bias.studies.automata.tables.attribution_scores`.
TOP, SINCE, FOUND = "top", "since", "found"
WITH_OCCLUSION, WITH_TRUTH, GAP = "with occlusion", "with the automaton", "gap"
#: Models that are compared, with their layers.
COMPARED = ((ATTENTION, 2), (RSA, 2), (LSTM, 1), (LSTM, 2))
#: Fewest words that all models of a number have right: with a hundred a share has a standard error of .05 or less.
FEWEST_WORDS = 100


def score(results: Results, automaton: str, model: str, layers: int, method: str, what: str) -> pd.Series:
    """A score of a method in trained models, by number."""
    found = results.table(SCORES)
    at = {"automaton": automaton, "model": model, "layers": layers, "method": method, "score": what, "when": TRAINED}
    for name, wanted in at.items():
        found = found[found[name] == wanted]
    return found.set_index("number")["value"].astype(float)


def after_first(results: Results, automaton: str, model: str, layers: int, method: str) -> pd.Series:
    """The probability of the right state after the first tenth of the positions was replaced, by number."""
    found = results.table(DELETION)
    at = {"automaton": automaton, "model": model, "layers": layers, "method": method}
    for name, wanted in (at | {"replaced": first_tenth(trained_length(results))}).items():
        found = found[found[name] == wanted]
    return found.set_index("number")["probability"].astype(float)


def fit(results: Results, automata: tuple[str, ...]) -> tuple[bool, str]:
    """Whether every model simulates these automata, on average, and leaves enough words; and what does not hold.

    Raises:
        NoRunsError: if a model has no run on one of them.
    """
    cells = [(automaton, *each) for automaton in automata for each in COMPARED]
    means = {cell: late(results, *cell).fillna(0.0).mean() for cell in cells}
    worst = min(means, key=means.get)
    if means[worst] < SOLVED:
        automaton, *model = worst
        return False, f"{automaton} is not simulated by {named(*model)}: {means[worst]:.3f} of the last states"
    left = results.table(SCORES)
    numbers = min(len(results.cells[cell(*each)]) for each in cells)
    for automaton in automata:
        words = left[left["automaton"] == automaton].groupby("number")["words"].min().reindex(range(numbers)).fillna(0)
        if words.min() < FEWEST_WORDS:
            return False, f"of {automaton} all models of a number have {words.min():.0f} words right"
    return True, ""


def weaker(results: Results, automaton: str, method: str) -> Contrast:
    """How much better integrated gradients of a Transformer agree with occlusion than another method does."""
    gradients, other = (score(results, automaton, ATTENTION, 2, each, WITH_OCCLUSION) for each in (INTEGRATED, method))
    return paired(gradients, other, name=f"{automaton}: {INTEGRATED} − {method}", unit="of Spearman’s ρ")


def cost(results: Results, automaton: str, model: str, layers: int) -> Contrast:
    """What the largest integrated gradients cost more than as many positions in random order."""
    chance, chosen = (after_first(results, automaton, model, layers, each) for each in (RANDOM, INTEGRATED))
    name = f"{automaton}, {named(model, layers)}: random − {INTEGRATED}"
    return paired(chance, chosen, name=name, unit="of the right state’s probability")
