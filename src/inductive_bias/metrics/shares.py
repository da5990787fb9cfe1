"""What an error owes to each of two independent groups of inputs."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias import checks


class ErrorShares(NamedTuple):
    """A mean squared error and the parts of it that depend on either group of inputs alone.

    What is left, ``total − first − second``, is the squared mean error of each position and what depends on both
    groups together. Estimates of a part that is 0 may be slightly negative. NaN where an error is NaN.
    """

    total: float
    first: float
    second: float


def error_shares(error: Float[Tensor, "n s"], crossed: Float[Tensor, "n s"]) -> ErrorShares:
    """First-order parts of a squared error by the pick-and-freeze estimator (Sobol 1993; Janon et al. 2014).

    An error e(a, b) of independent inputs a and b has Var E[e | a] = Cov(e(a, b), e(a, b′)), b′ being drawn anew.

    Args:
        error: at s positions of n examples.
        crossed: row i is the error with the inputs a of example i and the inputs b of example i + 1; the last row's b
            are those of example 0.

    Raises:
        ValueError: if these are no floating-point numbers, the shapes differ, or there are fewer than two examples or
            no position.
    """
    checks.floats("error", error, "n s")
    checks.floats("crossed", crossed, "n s")
    if error.shape != crossed.shape or len(error) < 2 or not error.shape[1]:
        shapes = f"{tuple(error.shape)} and {tuple(crossed.shape)}"
        raise ValueError(
            f"error and crossed must be [n, s] alike with n of at least 2 and s of at least 1, not {shapes}"
        )
    error, crossed = error.detach().to("cpu", torch.float64), crossed.detach().to("cpu", torch.float64)
    centred, other = error - error.mean(0), crossed - crossed.mean(0)
    same_second = centred.roll(-1, 0)
    parts = ((centred * other).mean().item(), (same_second * other).mean().item())
    return ErrorShares(error.square().mean().item(), *parts)
