"""How well similarities find what is alike: mean average precision at R (MAP@R; Musgrave, Belongie & Lim 2020)."""

import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor


def average_precisions(similarities: Float[Tensor, "q n"], alike: Bool[Tensor, "q n"]) -> Float64[Tensor, " q"]:
    """Average precision at R of every query: mean over k = 1 … R of the precision at k where the k-th is alike, else 0.

    R is how many are alike. What shall not be found, such as the query itself, has similarity −∞ and is not alike. Of
    equally similar ones those that stand first are found first. A query with a similarity that is NaN scores NaN.

    Raises:
        ValueError: if the shapes differ, or a query has nothing alike.
    """
    if similarities.shape != alike.shape:
        raise ValueError(f"each similarity must be alike or not: {tuple(similarities.shape)}, {tuple(alike.shape)}")
    wanted = alike.sum(1)
    if not (wanted > 0).all():
        raise ValueError(f"every query must have something alike, but {int((wanted == 0).sum())} have nothing")
    order = similarities.sort(dim=1, descending=True, stable=True).indices[:, : int(wanted.max())]
    places = torch.arange(1, order.shape[1] + 1, device=order.device)
    found = alike.gather(1, order) & (places <= wanted[:, None])
    scores = (found * found.cumsum(1) / places).double().sum(1) / wanted
    return scores.masked_fill(similarities.isnan().any(1), torch.nan)
