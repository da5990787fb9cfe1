"""Rows of a model that is not trained: to which places of a sequence its last answer listens, and whether to order."""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split

#: Metrics of the test split.
RECENCY, ORDER = UNTRAINED = "recency_of_influence", "order_sensitivity"
#: The latest quarter of the earlier symbols counts as recent.
RECENT = 4


def untrained_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Rows of both metrics of :data:`UNTRAINED`; every sequence has the next one of the split as its stranger."""
    tokens = split.inputs.to(next(model.parameters()).device)
    others = tokens.roll(1, 0)
    values = {
        RECENCY: recency_of_influence(influence(model, tokens, others)),
        ORDER: order_sensitivity(model, tokens, others),
    }
    yield from (row(name, metric, value, split.source) for metric, value in values.items())


@torch.no_grad()
def influence(model: nn.Module, tokens: Int64[Tensor, "n t"], others: Int64[Tensor, "n t"]) -> Float[Tensor, " t"]:
    """How far the last answer moves when one symbol is another: by distance from the last, 0 first.

    Args:
        model: ``tokens [n, t] → logits [n, t, k]``, in evaluation mode.
        tokens: sequences.
        others: what stands in place of each symbol.

    Returns:
        The mean over sequences of the Euclidean distance of the logits.
    """
    base, moved = _last(model, tokens), []
    for place in reversed(range(tokens.shape[1])):
        changed = tokens.clone()
        changed[:, place] = others[:, place]
        moved.append((_last(model, changed) - base).norm(dim=-1).mean())
    return torch.stack(moved)


def recency_of_influence(found: Float[Tensor, " t"]) -> float:
    """The share of the influence of earlier symbols that the latest quarter of them has; NaN if they have none.

    A model that listens to all of them equally has about a quarter.
    """
    earlier = found[1:].double()
    return float(earlier[: -(-len(earlier) // RECENT)].sum() / earlier.sum())


@torch.no_grad()
def order_sensitivity(model: nn.Module, tokens: Int64[Tensor, "n t"], others: Int64[Tensor, "n t"]) -> float:
    """How far the last answer moves when earlier symbols are turned round, in units of its move when all are others.

    0 is a bag of symbols. It is at most 1, which is what other symbols do.
    """
    base = _last(model, tokens)
    turned, replaced = (
        (_last(model, torch.cat([earlier, tokens[:, -1:]], 1)) - base).norm(dim=-1).mean()
        for earlier in (tokens[:, :-1].flip(1), others[:, :-1])
    )
    return min(1.0, float(turned / replaced)) if replaced > 0 else 0.0


def _last(model: nn.Module, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n k"]:
    return model(tokens)[:, -1].float()
