"""How good an attribution is: against what is known to decide, against the automaton itself, and against occlusion.

An attribution counts by its size, whatever its sign, for attention has none.
"""

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import Tensor, nn

from inductive_bias.analysis import attribution
from inductive_bias.studies.automata.measures.explanation import FOUND, SINCE, TOP, WITH_OCCLUSION, WITH_TRUTH
from inductive_bias.studies.automata.tables.explained_words import Words, since


def scores(values: Tensor, words: Words, occluded: Tensor, truth: Tensor) -> dict[str, float]:
    """The scores of one method, means over words.

    * ``top``: whether the largest is at the position that decides.
    * ``since``: of the k positions from that one on, the share among the k largest (*precision at k*).
    * ``found``: the same of the positions on which the state really depends.
    * ``with occlusion``, ``with the automaton``: Spearman's ρ over the positions of a word; 0 where one of the two is
      the same everywhere.

    Args:
        values: of the method, ``[n, t]``.
        words: that are explained.
        occluded: by occlusion of the same model.
        truth: what the automaton depends on (:func:`~inductive_bias.studies.automata.tables.explained_words.effects`).
    """
    sizes = values.abs()
    order = sizes.argsort(dim=1, descending=True, stable=True)
    return {
        TOP: (order[:, 0] == words.decides).double().mean().item(),
        SINCE: precision(order, since(words)),
        FOUND: precision(order, truth > 0),
        WITH_OCCLUSION: mean_rank_correlation(sizes, occluded.abs()),
        WITH_TRUTH: mean_rank_correlation(sizes, truth),
    }


def precision(order: Tensor, wanted: Tensor) -> float:
    """The share of the k positions that are wanted among the first k of an order; the mean over words."""
    count = wanted.sum(1, keepdim=True)
    first = torch.arange(order.shape[1]) < count
    hits = (wanted.gather(1, order) & first).sum(1, keepdim=True)
    return (hits / count).double().mean().item()


def by_chance(words: Words, truth: Tensor) -> dict[str, float]:
    """What a random order of the positions is expected to score."""
    shares = {SINCE: since(words), FOUND: truth > 0}
    found = {name: wanted.double().mean().item() for name, wanted in shares.items()}
    return {TOP: 1 / words.tokens.shape[1], **found, WITH_OCCLUSION: 0.0, WITH_TRUTH: 0.0}


def mean_rank_correlation(first: Tensor, second: Tensor) -> float:
    """Spearman's ρ of every word, over its positions; the mean over words."""
    found = [
        0.0 if np.ptp(a) == 0 or np.ptp(b) == 0 else float(spearmanr(a, b).statistic)
        for a, b in zip(first.double().numpy(), second.double().numpy(), strict=True)
    ]
    return float(np.mean(found))


def incompleteness(model: nn.Module, actions: int, words: Words, integrated: Tensor) -> float:
    """Mean error of the sums of integrated gradients, as a share of the mean margin difference they approximate."""
    baseline = attribution.mean_embedding(model, actions)
    with torch.no_grad():
        whole = attribution.margin_at_last(model, words.tokens, words.states)
    whole = whole - attribution.baseline_margin(model, words.tokens, words.states, baseline)
    return ((integrated.sum(1) - whole).abs().mean() / whole.abs().mean()).item()
