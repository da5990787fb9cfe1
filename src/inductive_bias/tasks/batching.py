"""Batches of data that fits in memory: an index-select on the device, not a worker process."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """Examples of one step; ``index`` says which examples of the split they are (for cached teacher logits)."""

    inputs: Tensor
    labels: Tensor
    index: Tensor


def batches_per_epoch(examples: int, batch_size: int) -> int:
    """Whole batches in ``examples``; a smaller set is one batch.

    Raises:
        ValueError: if either number is below 1.
    """
    if examples < 1 or batch_size < 1:
        raise ValueError(f"examples={examples} and batch_size={batch_size} must both be at least 1")
    return max(1, examples // batch_size)


def shuffled_batches(inputs: Tensor, labels: Tensor, *, batch_size: int, generator: torch.Generator) -> Iterator[Batch]:
    """One epoch in a new order.

    The incomplete last batch is left out (other examples each epoch): batch normalisation has no statistics of one
    example. ``generator`` lives on the CPU, so that the order is the same on every device.
    """
    order = torch.randperm(len(labels), generator=generator).to(labels.device)
    for step in range(batches_per_epoch(len(labels), batch_size)):
        index = order[step * batch_size : (step + 1) * batch_size]
        yield Batch(inputs[index], labels[index], index)


def ordered_chunks(inputs: Tensor, *, chunk: int = 200) -> Iterator[Tensor]:
    """All examples in their order, ``chunk`` at a time, for evaluation.

    Small chunks on purpose: on a CPU the feature maps of a thousand images leave the cache, which made a convolutional
    network's forward pass four times as slow.
    """
    for start in range(0, len(inputs), chunk):
        yield inputs[start : start + chunk]
