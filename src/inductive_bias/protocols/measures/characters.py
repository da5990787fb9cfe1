"""Bits per character: of every position, in the mean, and by context."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.tasks.data import IGNORED
from inductive_bias.training import predict


def bits(model: nn.Module, inputs: Int64[Tensor, "n t"], labels: Int64[Tensor, "n t"]) -> Float[Tensor, "n t"]:
    """−log₂ of the probability of every label, on the CPU; NaN where a label is unknown."""
    device = next(model.parameters()).device

    def of(chunk: Tensor) -> Tensor:
        tokens, wanted = (part.to(device) for part in chunk.unbind(1))
        loss = F.cross_entropy(model(tokens).float().mT, wanted, ignore_index=IGNORED, reduction="none")
        return loss.masked_fill(wanted == IGNORED, math.nan).cpu() / math.log(2)

    return predict(of, ordered_chunks(torch.stack((inputs, labels), 1)))


def mean_bits(found: Float[Tensor, "..."]) -> float:
    """The mean of what is known, summed in float64."""
    return float(found.double().nanmean())


def by_context(found: Float[Tensor, "n t"]) -> Iterator[tuple[int, float]]:
    """Mean bits by context: 1 character, 2, 3–4, 5–8 … up to the window, each with the longest context it holds."""
    shortest = longest = 1
    while shortest <= found.shape[1]:
        yield min(longest, found.shape[1]), mean_bits(found[:, shortest - 1 : longest])
        shortest, longest = longest + 1, 2 * longest
