"""Batches of data that fits in memory: an index-select on the device, not a worker process."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from inductive_bias import checks
from inductive_bias.tasks.vocabulary import lengths_of


class Batch(NamedTuple):
    """Examples of one step; ``index`` says which examples of the split they are (for cached teacher logits)."""

    inputs: Tensor
    labels: Tensor
    index: Tensor


def _as_many(inputs: Tensor, labels: Tensor) -> None:
    if len(inputs) != len(labels):
        raise ValueError(f"there must be as many labels as inputs, not {len(labels)} for {len(inputs)}")


def batches_per_epoch(examples: int, batch_size: int) -> int:
    """Whole batches in ``examples``; a smaller set is one batch.

    Raises:
        ValueError: if either is no integer of at least 1.
    """
    checks.whole("examples", examples, least=1)
    checks.whole("batch_size", batch_size, least=1)
    return max(1, examples // batch_size)


def shuffled_batches(inputs: Tensor, labels: Tensor, *, batch_size: int, generator: torch.Generator) -> Iterator[Batch]:
    """One epoch in a new order.

    The incomplete last batch is left out (other examples each epoch): batch normalisation has no statistics of one
    example. ``generator`` lives on the CPU, so that the order is the same on every device.

    Raises:
        ValueError: if there are not as many labels as inputs, none, or ``batch_size`` is below 1.
    """
    _as_many(inputs, labels)
    order = torch.randperm(len(labels), generator=generator).to(labels.device)
    for step in range(batches_per_epoch(len(labels), batch_size)):
        index = order[step * batch_size : (step + 1) * batch_size]
        yield Batch(inputs[index], labels[index], index)


def ordered_chunks(inputs: Tensor, *, chunk: int = 200) -> Iterator[Tensor]:
    """All examples in their order, ``chunk`` at a time, for evaluation.

    Small chunks on purpose: on a CPU the feature maps of a thousand images leave the cache, which made a convolutional
    network's forward pass four times as slow.

    Raises:
        ValueError: if ``chunk`` is no integer of at least 1.
    """
    checks.whole("chunk", chunk, least=1)
    for start in range(0, len(inputs), chunk):
        yield inputs[start : start + chunk]


def bucketed_batches(
    inputs: Tensor,
    labels: Tensor,
    *,
    batch_size: int,
    generator: torch.Generator,
    even: str = "sentences",
    lengths: Int64[Tensor, " n"] | None = None,
) -> Iterator[Batch]:
    """One epoch of sequences in a new order, those of similar length together and trimmed to the longest of them.

    Every example is used; the order of the batches is random, and so is the choice among sentences of one length.

    Args:
        inputs: tokens ``[n, t]``, or steps ``[n, t, …]``, padded on the right.
        labels: ``[n]``, or one a position: ``[n, t, …]``, which are trimmed as well.
        batch_size: sentences a batch.
        generator: on the CPU, so that the order is the same on every device.
        even: ``sentences`` for batches of ``batch_size`` sentences, or ``tokens`` for batches of about as many tokens
            as so many sentences have on average: a mean over tokens is then a mean over equally many in every step.
        lengths: of the sequences; of tokens those that are not padding unless given.

    Raises:
        ValueError: for another ``even``, no sentence, not as many labels, or a ``batch_size`` below 1.
    """
    checks.choice("even", even, ("sentences", "tokens"))
    _as_many(inputs, labels)
    wanted = sentence_batches(len(inputs), batch_size)
    lengths = (lengths_of(inputs) if lengths is None else lengths).cpu()
    shuffled = torch.randperm(len(inputs), generator=generator)
    by_length = shuffled[lengths[shuffled].argsort(stable=True)]
    weight = torch.ones(len(inputs)) if even == "sentences" else lengths[by_length].double()
    # a batch ends where the running total passes a multiple of the batch's share
    total = weight.double().cumsum(0)
    share = total[-1] / wanted
    number = ((total - weight / 2) / share).long()
    batches = by_length.split(number.unique_consecutive(return_counts=True)[1].tolist())
    for choice in torch.randperm(len(batches), generator=generator).tolist():
        index = batches[choice]
        longest = int(lengths[index].max())
        there = index.to(inputs.device)
        yield Batch(inputs[there, :longest], labels[there, :longest] if labels.ndim > 1 else labels[there], there)


def sentence_batches(examples: int, batch_size: int) -> int:
    """Batches of an epoch of :func:`bucketed_batches`; with ``even="tokens"`` it may differ by a few."""
    checks.whole("examples", examples, least=1)
    checks.whole("batch_size", batch_size, least=1)
    return -(-examples // batch_size)


def length_chunks(
    inputs: Tensor, *, chunk: int = 200, lengths: Int64[Tensor, " n"] | None = None
) -> Iterator[tuple[Tensor, Tensor]]:
    """All sequences, shortest first: their indices and their inputs trimmed to the longest of the chunk.

    ``lengths`` are those of the sequences; of tokens those that are not padding unless given.

    Raises:
        ValueError: if ``chunk`` is no integer of at least 1.
    """
    checks.whole("chunk", chunk, least=1)
    lengths = lengths_of(inputs) if lengths is None else lengths
    for index in lengths.argsort(stable=True).split(chunk):
        yield index, inputs[index, : int(lengths[index].max())]
