"""What is measured of a language model: perplexity, and whether it prefers the right form of a verb.

A model has ``states``, ``output_weight`` and ``bias`` as :class:`~inductive_bias.models.LanguageModel` has them.
"""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.measures.rows import Row, row, skipped_rows
from inductive_bias.protocols.measures.sentences import ATTRACTORS, DISTANCES, mean_over
from inductive_bias.tasks import Split
from inductive_bias.tasks.pairs import MinimalPairs, pair_correct
from inductive_bias.tasks.vocabulary import PAD, UNK, lengths_of

#: Sentences a forward pass, and states an output layer, so that neither leaves the cache of a CPU by much.
SENTENCES, STATES = 64, 512
#: Slices whose unweighted mean is a metric of its own: its name (the paper's A-acc and D-acc) and what it is over.
SLICE_MEANS = {"attractors": ("a_accuracy", ATTRACTORS), "distance": ("d_accuracy", DISTANCES)}


@torch.no_grad()
def log_likelihoods(model: nn.Module, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n s"]:
    """Log-probability in nats of every token but the first given those before it, ``s = t − 1``; 0 at padding.

    Computed in the model's present mode; sentences of similar length share a pass, without Python per token.
    """
    device = model.bias.device
    found = torch.zeros(len(tokens), tokens.shape[1] - 1)
    order = lengths_of(tokens).argsort()
    for index in order.split(SENTENCES):
        part = tokens[index]
        part = part[:, : int(lengths_of(part).max())].to(device)
        there = part[:, 1:] != PAD
        states, targets = model.states(part[:, :-1])[there].float(), part[:, 1:][there]
        values = torch.cat(
            [
                -F.cross_entropy(F.linear(s, model.output_weight, model.bias), y, reduction="none")
                for s, y in zip(states.split(STATES), targets.split(STATES), strict=True)
            ]
        )
        rows = torch.zeros(there.shape)
        rows[there.cpu()] = values.cpu()
        found[index, : rows.shape[1]] = rows
    return found


def perplexity(model: nn.Module, tokens: Int64[Tensor, "n t"]) -> float:
    """Exp of the mean negative log-likelihood per predicted token, the ends of sentences included; inf beyond e⁷⁰⁰."""
    total = log_likelihoods(model, tokens).double().sum()
    mean = -float(total) / int((tokens[:, 1:] != PAD).sum())
    # math.exp raises beyond 709, and a model that is about to diverge may be worse than that
    return math.inf if mean > 700 else math.exp(mean)


def corpus_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Negative log-likelihood in nats per token, perplexity, and the share of unknown words in the text."""
    value = perplexity(model, split.inputs)
    yield row(name, "nll", math.log(value), split.source)
    yield row(name, "perplexity", value, split.source)
    targets = split.inputs[:, 1:]
    yield row(name, "tokens", float((targets != PAD).sum()), split.source)
    yield row(name, "unknown_share", float((targets == UNK).sum() / (targets != PAD).sum()), split.source)


@torch.no_grad()
def verb_preferences(model: nn.Module, pairs: MinimalPairs) -> Float[Tensor, " n"]:
    """logit(right form) − logit(wrong form) after the words before the verb; the softmax cancels."""
    device = model.bias.device
    found = torch.zeros(len(pairs.good))
    for index, state in _before_verbs(model, pairs, torch.arange(len(pairs.good))):
        good, bad = (side[index, pairs.position[index]].to(device) for side in (pairs.good, pairs.bad))
        weight = model.output_weight[good] - model.output_weight[bad]
        found[index] = ((weight * state).sum(1) + model.bias[good] - model.bias[bad]).float().cpu()
    return found


@torch.no_grad()
def verb_states(model: nn.Module, pairs: MinimalPairs, most: int) -> Float[Tensor, "n d"]:
    """The states that choose the verb, of every k-th pair, so that there are at most so many."""
    chosen = torch.arange(0, len(pairs.good), -(-len(pairs.good) // most))
    parts = list(_before_verbs(model, pairs, chosen))
    order = torch.cat([index for index, _ in parts]).argsort()
    return torch.cat([state.cpu() for _, state in parts])[order]


def _before_verbs(model: nn.Module, pairs: MinimalPairs, chosen: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Chunks of about equally long prefixes: which pairs they are, and the states that choose their verbs."""
    device = model.bias.device
    for index in chosen[pairs.position[chosen].argsort()].split(SENTENCES):
        at = pairs.position[index]
        states = model.states(pairs.good[index, : int(at.max())].to(device))
        yield index, states[torch.arange(len(index)).to(device), at.to(device) - 1].float()


@torch.no_grad()
def pair_scores(model: nn.Module, pairs: MinimalPairs) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Log-probabilities in nats that are compared: of the verb after the words before it, or of whole sentences."""
    if not pairs.by_verb:
        return tuple(log_likelihoods(model, side).sum(1) for side in (pairs.good, pairs.bad))
    # a causal model: what comes after the verb changes nothing before it
    number = torch.arange(len(pairs))
    return tuple(log_likelihoods(model, side)[number, pairs.position - 1] for side in (pairs.good, pairs.bad))


def pair_rows(model: nn.Module, pairs: MinimalPairs) -> Iterator[Row]:
    """Accuracy of one set of ``pairs``, in all and by slice, with the pairs that were left out and why."""

    def of_set(metric: str, value: float, **at: int | float) -> Row:
        return row("pairs", metric, value, pairs.source, pairs=pairs.name, **at)

    if pairs.by_verb:
        difference = verb_preferences(model, pairs)
        correct = pair_correct(difference, torch.zeros_like(difference))
    else:
        good, bad = (log_likelihoods(model, side).sum(1) for side in (pairs.good, pairs.bad))
        correct = pair_correct(good, bad)
    yield of_set("accuracy", float(correct.double().mean()))
    yield of_set("n", float(len(correct)))
    yield of_set("unknown_share", pairs.unknown_share)
    yield from skipped_rows(pairs.skipped, "pairs", pairs.source, pairs=pairs.name)
    for name, values in pairs.slices.items():
        found = {}
        for value in values.unique().tolist():
            if value >= 0:
                there = values == value
                found[float(value)] = float(correct[there].double().mean())
                yield of_set("accuracy", found[float(value)], **{name: value})
                yield of_set("n", float(there.sum()), **{name: value})
        if name in SLICE_MEANS:
            metric, wanted = SLICE_MEANS[name]
            yield of_set(metric, mean_over(found, wanted))
