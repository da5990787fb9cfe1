"""What is measured of a model of music: likelihood of every piece, and which keys it takes to sound."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float64
from torch import Tensor, nn

from inductive_bias.losses import key_cross_entropy
from inductive_bias.metrics import frame_accuracy
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks
from inductive_bias.tasks.data import IGNORED

#: Pieces of a forward pass: a piece has up to 4,000 steps.
PIECES = 16


class Scores(NamedTuple):
    """Scores of a split: total negative log-likelihood of each piece in nats, and frame accuracy of all steps."""

    nll: Float64[Tensor, " n"]
    frame_accuracy: float


@torch.no_grad()
def scores(model: nn.Module, split: Split) -> Scores:
    """The model's scores, in its present mode, a key sounding from a probability of one half on; NaN as the logits."""
    device, lengths = next(model.parameters()).device, split.slices["length"]
    nll, said, sounding = torch.zeros(len(split), dtype=torch.float64), [], []
    for index, inputs in length_chunks(split.inputs, chunk=PIECES, lengths=lengths):
        labels = split.labels[index, : inputs.shape[1]]
        logits = model(inputs.to(device).float()).float().cpu()
        nll[index] = key_cross_entropy(logits, labels).double().sum(1)
        real = labels[..., 0] != IGNORED
        # the sigmoid is at least one half where its argument is not negative
        said.append(logits[real] >= 0)
        sounding.append(labels[real] == 1)
    accuracy = frame_accuracy(torch.cat(said), torch.cat(sounding)) if nll.isfinite().all() else float("nan")
    return Scores(nll, accuracy)


def nll_per_step(found: Scores, split: Split) -> float:
    """Nats per step, every step of every piece weighing the same."""
    return float(found.nll.sum() / split.slices["length"].sum())


def music_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Likelihood per step, frame accuracy, and the number of pieces and predicted steps behind them."""
    found = scores(model, split)
    yield row(name, "nll", nll_per_step(found, split), split.source)
    yield row(name, "frame_accuracy", found.frame_accuracy, split.source)
    yield row(name, "pieces", float(len(split)), split.source)
    yield row(name, "steps", float(split.slices["length"].sum()), split.source)
