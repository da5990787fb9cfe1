"""Answers at every position of sequences: by position, over all of them, over the last ones, and whole sequences.

A mean over all positions flatters a shallow model of a state: the first positions are easy for anyone. The last quarter
is what is left of a sequence when that is over.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor

from inductive_bias import checks


class PositionScores(NamedTuple):
    """Shares of right answers, in [0, 1].

    Attributes:
        by_position: at every position.
        every: over all positions (the score of Liu et al. 2023).
        last_quarter: over the last quarter of the positions.
        whole: of sequences that are right at every position.
    """

    by_position: Float[Tensor, " t"]
    every: float
    last_quarter: float
    whole: float


def last_quarter(length: int) -> slice:
    """The last quarter of so many positions, rounded down, but at least one.

    Raises:
        ValueError: if ``length`` is no integer of at least 1.
    """
    checks.whole("length", length, least=1)
    return slice(length - max(1, length // 4), length)


def position_scores(right: Bool[Tensor, "n t"]) -> PositionScores:
    """Scores of answers to n sequences of one length t, each of them right or not.

    Raises:
        ValueError: if there is no answer, or ``right`` is not of bool.
    """
    checks.booleans("right", right, "n t")
    if right.numel() == 0:
        raise ValueError(f"right must hold an answer, but its shape is {tuple(right.shape)}")
    by_position = right.double().mean(dim=0).cpu()
    late = by_position[last_quarter(right.shape[1])]
    whole = right.all(dim=1).double().mean().item()
    return PositionScores(by_position, by_position.mean().item(), late.mean().item(), whole)
