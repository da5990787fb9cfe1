"""Projections of weight matrices onto convex sets: the nearest matrix inside, and the matrix itself if it is inside."""

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias import checks
from inductive_bias.layers.checks import tensor_of


def clip_singular_values(weight: Float[Tensor, "n m"], bound: float) -> Float[Tensor, "n m"]:
    """The nearest matrix, in the Frobenius norm, whose spectral norm is at most ``bound``.

    Every singular value above the bound becomes the bound (Miller & Hardt 2019; the projection is that of
    Lefkimmiatis et al. 2013, Prop. 1). By a whole decomposition: power iteration from a cold start says too little. It
    is that of the symmetric WᵀW, in double precision: after some steps most singular values are the bound, and there
    LAPACK's divide and conquer for W itself does not always converge. A matrix on a GPU is decomposed on the CPU, by
    the same routine.

    Raises:
        ValueError: if ``weight`` is no matrix or not finite, or ``bound`` is not positive.
    """
    _refuse_infinite(tensor_of("weight", weight, "n m"))
    checks.number("bound", bound, low=0, above=True)
    precise = weight.double().cpu()
    squares, directions = torch.linalg.eigh(precise.mT @ precise)
    values = squares.clamp(min=0).sqrt()
    outside = values > bound
    if not bool(outside.any()):
        return weight
    directions = directions[:, outside]
    excess = (precise @ directions * (1 - bound / values[outside])) @ directions.mT
    return (precise - excess).to(weight)


def project_rows(weight: Float[Tensor, "n m"], budget: float | Float[Tensor, " n"]) -> Float[Tensor, "n m"]:
    """Every row moved to the nearest one whose absolute values add up to at most its budget.

    The Euclidean projection onto the ℓ1 ball by sorting (Duchi et al. 2008, figure 1): all entries shrink towards 0 by
    the same amount, and do not pass it. Rows that are inside stay as they are.

    Args:
        weight: ``[n, m]``.
        budget: of every row, or one number for all; above 0.

    Raises:
        ValueError: if ``weight`` is no matrix or not finite, or a budget is not positive.
    """
    _refuse_infinite(tensor_of("weight", weight, "n m"))
    budgets = torch.as_tensor(budget, dtype=weight.dtype, device=weight.device).expand(len(weight))
    if not bool((budgets > 0).all()):
        raise ValueError(f"budget must be positive for every row, not {budgets.min().item()}")
    sizes = weight.abs()
    outside = sizes.sum(1) > budgets
    if not bool(outside.any()):
        return weight
    sizes, budgets = sizes[outside], budgets[outside]
    falling = sizes.sort(dim=1, descending=True).values
    ranks = torch.arange(1, falling.shape[1] + 1, dtype=falling.dtype, device=falling.device)
    shrinks = (falling.cumsum(1) - budgets[:, None]) / ranks
    # the last rank whose entry stays above 0; the first always does, though a tiny budget may round away
    last = ((falling > shrinks).sum(1, keepdim=True) - 1).clamp(min=0)
    shrink = shrinks.gather(1, last)
    found = weight.clone()
    found[outside] = weight[outside].sign() * (sizes - shrink).clamp(min=0)
    return found


def _refuse_infinite(weight: Float[Tensor, "n m"]) -> None:
    if not bool(weight.isfinite().all()):
        raise ValueError("weight must be finite: nothing is nearest to infinity or NaN")
