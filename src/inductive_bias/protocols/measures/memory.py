"""What a model answers at every position that has a label: its likelihood, and whether it is right."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks
from inductive_bias.tasks.data import IGNORED


class Answers(NamedTuple):
    """Answers of a split, on the CPU: nats of every label (NaN: no label); and 1, 0, or −1 where there is none."""

    nll: Float[Tensor, "n t"]
    right: Int64[Tensor, "n t"]


@torch.no_grad()
def answers_of(model: nn.Module, split: Split) -> Answers:
    """The model's answers to all of a split, which has the slice ``length``, in its present mode."""
    device = next(model.parameters()).device
    nll, right = torch.full(split.labels.shape, torch.nan), torch.full(split.labels.shape, -1)
    for index, tokens in length_chunks(split.inputs, lengths=split.slices["length"]):
        labels = split.labels[index, : tokens.shape[1]]
        logits, known = model(tokens.to(device)).float().cpu(), labels != IGNORED
        each = F.cross_entropy(logits.mT, labels, ignore_index=IGNORED, reduction="none")
        nll[index, : tokens.shape[1]] = each.masked_fill(~known, torch.nan)
        right[index, : tokens.shape[1]] = (logits.argmax(-1) == labels).long().masked_fill(~known, -1)
    return Answers(nll, right)


def mean_nll(found: Answers) -> float:
    """Nats per label, every one weighing the same; NaN or infinite if one of them is."""
    return float(found.nll[found.right >= 0].double().mean())


def recall_places(split: Split) -> list[dict[str, int]]:
    """Where :func:`recall_rows` measures: everywhere, and at every ``length`` if there are several."""
    lengths = split.slices["length"].unique().tolist()
    return [{}, *({"length": length} for length in lengths)] if len(lengths) > 1 else [{}]


def recall_rows(found: Answers, asked: Bool[Tensor, "n t"], split: Split, name: str) -> Iterator[Row]:
    """``nll`` of all labels, and ``accuracy`` where a memory is ``asked``; also by ``length`` if there are several."""
    for at in recall_places(split):
        chosen = split.slices["length"] == at["length"] if at else slice(None)
        some = Answers(*(part[chosen] for part in found))
        yield row(name, "nll", mean_nll(some), split.source, **at)
        yield row(name, "accuracy", float(some.right[asked[chosen]].double().mean()), split.source, **at)


def distance_rows(found: Answers, distances: Int64[Tensor, "n t"], split: Split, name: str) -> Iterator[Row]:
    """``accuracy`` by how long ago the answer was said, and ``n``: a bin from 1, 2, 4, 8 … symbols on, named by it."""
    asked = distances > 0
    bins = distances[asked].double().log2().floor().long()
    right = found.right[asked].double()
    for power in bins.unique().tolist():
        at = {"distance": 2**power}
        yield row(name, "accuracy", float(right[bins == power].mean()), split.source, **at)
        yield row(name, "n", float((bins == power).sum()), split.source, **at)
