"""What is said of explanations, and the rules; written before any run that they judge."""

from inductive_bias.studies.automata.claims.depth import OWN
from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID, LSTM, named
from inductive_bias.studies.automata.measures.explanation import (
    COMPARED,
    INTEGRATED,
    RAW,
    ROLLOUT,
    TOP,
    WITH_OCCLUSION,
    cost,
    fit,
    score,
    weaker,
)
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import size_in_words
from inductive_bias.verdicts import all_of, equivalent, exceeds, not_, paired, untestable

PAGE = "automata/explanation"
JAIN = "a question of our own, after Jain and Wallace 2019 (arXiv:1902.10186)"
#: Q27: shares of words that differ by less are alike.
ALIKE = 0.05
#: Q28: a difference of rank correlations that is worth the name: explanations are compared by eye, in which a smaller
#: one would not be seen.
LOWER = 0.1
#: Q29: what the first tenth of the positions has to cost more than as many at random: a tenth of all certainty.
DROP = 0.1


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


def deletion_beats_chance(results: Results) -> Finding:
    """Q29: in every model, on both automata."""
    automata = (GRID, FLIP_FLOP)
    holds, reason = fit(results, automata)
    if not holds:
        return Finding(untestable(reason))
    found = [cost(results, automaton, *each) for automaton in automata for each in COMPARED]
    return Finding(all_of([exceeds(each, DROP) for each in found]), note=in_words(*found))


def regime(results: Results) -> str:
    """The sizes of the models that were explained, in words."""
    return f"{size_in_words(results)}, {results.runs()[0]} runs"


CLAIMS = (
    Claim(
        "Q27",
        PAGE,
        OWN,
        "Integrated gradients do not suit all networks alike. On the flip-flop, the share of words in which they rank "
        "the last write first differs by 5 points between an LSTM with one layer and a Transformer with two.",
        "not asked",
        they_serve_networks_unequally,
        own=True,
        regime=regime,
    ),
    Claim(
        "Q28",
        PAGE,
        JAIN,
        "Attention is no explanation: on grid and flip-flop, the attention of a Transformer’s last layer "
        "agrees less with occlusion than integrated gradients do, by .1 of a rank correlation.",
        "in LSTMs with attention, weights and gradients often do not correlate",
        lambda results: is_no_explanation(results, RAW),
        own=True,
        regime=regime,
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
        regime=regime,
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
        regime=regime,
    ),
)
