"""What is said of explanations, and the rule by which each sentence is judged; written before any run that it judges.

Explained is the last state of words that all models of one number have right, so that nothing is said of errors; and
models must simulate the automaton, or what decides is not what they should look at. Runs are paired by number, which
share their words.
"""

import pandas as pd

from inductive_bias.analysis.attribution import first_tenth
from inductive_bias.studies.automata.claims import OWN, SOLVED, lacking, late
from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID, LSTM, PLANS, named
from inductive_bias.studies.automata.explanation.scores import TOP, WITH_OCCLUSION
from inductive_bias.studies.automata.explanation.tables import DELETION, INTEGRATED, RANDOM, RAW, ROLLOUT, SCORES
from inductive_bias.studies.automata.explanation.words import COMPARED
from inductive_bias.studies.automata.tables import TRAINED
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, all_of, equivalent, exceeds, not_, paired, untestable

PAGE = "automata/explanation"
JAIN = "a question of our own, after Jain and Wallace 2019 (arXiv:1902.10186)"
#: Fewest words that all models of a number have right: with a hundred a share has a standard error of .05 or less.
FEWEST_WORDS = 100
#: Q27: shares of words that differ by less are alike.
ALIKE = 0.05
#: Q28: a difference of rank correlations that is worth the name: explanations are compared by eye, in which a smaller
#: one would not be seen.
LOWER = 0.1
#: Q29: what the first tenth of the positions has to cost more than as many at random: a tenth of all certainty.
DROP = 0.1


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
    for name, wanted in (at | {"replaced": first_tenth(PLANS[results.scale].length)}).items():
        found = found[found[name] == wanted]
    return found.set_index("number")["probability"].astype(float)


def fit(results: Results, automata: tuple[str, ...]) -> tuple[bool, str]:
    """Whether every model simulates these automata, on average, and leaves enough words; and what does not hold."""
    cells = [(automaton, *each) for automaton in automata for each in COMPARED]
    if reason := lacking(results, cells):
        return False, reason
    means = {cell: late(results, *cell).fillna(0.0).mean() for cell in cells}
    worst = min(means, key=means.get)
    if means[worst] < SOLVED:
        automaton, *model = worst
        return False, f"{automaton} is not simulated by {named(*model)}: {means[worst]:.3f} of the last states"
    left = results.table(SCORES)
    numbers = PLANS[results.scale].seeds
    for automaton in automata:
        words = left[left["automaton"] == automaton].groupby("number")["words"].min().reindex(range(numbers)).fillna(0)
        if words.min() < FEWEST_WORDS:
            return False, f"of {automaton} all models of a number have {words.min():.0f} words right"
    return True, ""


def they_serve_networks_unequally(results: Results) -> Finding:
    """Q27: the share of words whose largest integrated gradient is at the last write, LSTM − Transformer."""
    holds, reason = fit(results, (FLIP_FLOP,))
    if not holds:
        return Finding(untestable(reason))
    found = {each: score(results, FLIP_FLOP, *each, INTEGRATED, TOP) for each in COMPARED}
    contrast = paired(
        found[LSTM, 1], found[ATTENTION, 2], name=f"last write, {LSTM} − {ATTENTION}", unit="of the words"
    )
    words = "; ".join(f"{named(*each)} {values.mean():.3f}" for each, values in found.items())
    return Finding(not_(equivalent(contrast, ALIKE)), effect=contrast, note=words)


def weaker(results: Results, automaton: str, method: str) -> Contrast:
    """How much better integrated gradients of a Transformer agree with occlusion than another method does."""
    gradients, other = (score(results, automaton, ATTENTION, 2, each, WITH_OCCLUSION) for each in (INTEGRATED, method))
    return paired(gradients, other, name=f"{automaton}: {INTEGRATED} − {method}", unit="of Spearman’s ρ")


def is_no_explanation(results: Results, method: str) -> Finding:
    """Q28: on both automata, what attention shows agrees less with occlusion than integrated gradients do."""
    automata = (GRID, FLIP_FLOP)
    holds, reason = fit(results, automata)
    if not holds:
        return Finding(untestable(reason))
    found = [weaker(results, automaton, method) for automaton in automata]
    means = "; ".join(
        f"{automaton}: {each} {score(results, automaton, ATTENTION, 2, each, WITH_OCCLUSION).mean():.2f}"
        for automaton in automata
        for each in (INTEGRATED, method)
    )
    return Finding(all_of([exceeds(each, LOWER) for each in found]), note=means)


def cost(results: Results, automaton: str, model: str, layers: int) -> Contrast:
    """What the largest integrated gradients cost more than as many positions in random order."""
    chance, chosen = (after_first(results, automaton, model, layers, each) for each in (RANDOM, INTEGRATED))
    name = f"{automaton}, {named(model, layers)}: random − {INTEGRATED}"
    return paired(chance, chosen, name=name, unit="of the right state’s probability")


def deletion_beats_chance(results: Results) -> Finding:
    """Q29: in every model, on both automata."""
    automata = (GRID, FLIP_FLOP)
    holds, reason = fit(results, automata)
    if not holds:
        return Finding(untestable(reason))
    found = [cost(results, automaton, *each) for automaton in automata for each in COMPARED]
    words = in_words(*found)
    return Finding(all_of([exceeds(each, DROP) for each in found]), note=words)


_PLAN = PLANS["laptop"]
_REGIME = f"words of {_PLAN.length} actions, width {_PLAN.width}, {_PLAN.seeds} runs"

CLAIMS = (
    Claim(
        "Q27",
        PAGE,
        OWN,
        "Integrated gradients do not suit all networks alike: of a flip-flop they rank the last write first more "
        "often in an LSTM with one layer than in a Transformer with two, or less often, by 5 points of the words.",
        "not asked",
        they_serve_networks_unequally,
        own=True,
        regime=_REGIME,
    ),
    Claim(
        "Q28",
        PAGE,
        JAIN,
        "Attention is no explanation: on grid and flip-flop, what a Transformer’s last layer takes of each position "
        "agrees less with occlusion than integrated gradients do, by .1 of a rank correlation.",
        "in LSTMs with attention, weights and gradients often do not correlate",
        lambda results: is_no_explanation(results, RAW),
        own=True,
        regime=_REGIME,
    ),
    Claim(
        "Q28b",
        PAGE,
        OWN,
        "Attention rollout is no explanation: on grid and flip-flop it agrees less with occlusion than integrated "
        "gradients do, by .1 of a rank correlation.",
        "not asked",
        lambda results: is_no_explanation(results, ROLLOUT),
        own=True,
        primary=False,
        regime=_REGIME,
    ),
    Claim(
        "Q29",
        PAGE,
        OWN,
        "Attributions find what counts: in every model, replacing the tenth of the positions with the largest "
        "integrated gradients costs a tenth more of the right state’s probability than replacing as many at "
        "random.",
        "not asked",
        deletion_beats_chance,
        own=True,
        regime=_REGIME,
    ),
)
