"""Source code: yes or no about one function or two; the score of every test example, and what a similarity finds."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Float64, Int64
from torch import Tensor, nn

from inductive_bias.metrics import auc, average_precisions, confusion
from inductive_bias.protocols.base import Objective, Protocol
from inductive_bias.protocols.batching import BucketedSteps, LimitedBuckets
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch, length_chunks

#: Examples of a forward pass without gradients.
CHUNK = 64
#: Functions that ask at a time when clones are sought among all.
ASKING = 100
#: The split of single programs, where there is one.
RETRIEVAL = "retrieval"
#: Validation examples whose features are kept.
PROBED = 200


class CodeBatching(BucketedSteps, LimitedBuckets):
    """Functions, or pairs of them, of similar length; at most as many batches as the task says."""


class TwoAnswers(Objective):
    """Cross-entropy of the two answers about an example."""

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        return F.cross_entropy(model(batch.inputs).float(), batch.labels)

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return len(batch.inputs), self.given.task.dimensions["classes"]


class CodeMeasures(SelectingMeasures):
    """Accuracy, F1 and AUC of the epoch with the lowest validation loss, by group too; MAP@R by problem."""

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        outputs = answers(model, split)
        found = F.cross_entropy(outputs, split.labels).item()
        self._best.update(model, found, epoch)
        yield row("validation", "loss", found, split.source, epoch=epoch)
        right = (outputs.argmax(1) == split.labels).double().mean().item()
        yield row("validation", "accuracy", right, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from self.restored(model, diverged=diverged)
        data, source = self.given.data, self.given.train.source
        for name in ("validation", "test"):
            split = data[name]
            if diverged:
                yield from (row(name, metric, math.nan, split.source) for metric in ("loss", "accuracy", "f1", "auc"))
                continue
            outputs = answers(model, split)
            yield row(name, "loss", F.cross_entropy(outputs, split.labels).item(), split.source)
            yield from score_rows(outputs[:, 1] - outputs[:, 0], split, name, groups=self.given.task.groups)
        if RETRIEVAL in data and not diverged:
            found, problems = precisions(model, data[RETRIEVAL]), data[RETRIEVAL].labels
            yield row(RETRIEVAL, "map_at_r", found.mean().item(), source)
            for problem in problems.unique().tolist():
                yield row(RETRIEVAL, "map_at_r", found[problems == problem].mean().item(), source, item=problem)
        for name, split in data.items():
            yield row(name, "cut", (split.slices["cut"] > 0).double().mean().item(), split.source)
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        """The log odds of every test example."""
        outputs = answers(model, self.given.data["test"])
        return {"scores/test": outputs[:, 1] - outputs[:, 0]}

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """Features ``[200, d]`` of the first validation examples."""
        some, device = self.given.validation, next(model.parameters()).device
        found = [model.features(chunk.to(device)).float().cpu() for chunk in some.inputs[:PROBED].split(CHUNK)]
        return torch.cat(found)


@torch.no_grad()
def answers(model: nn.Module, split: Split) -> Float[Tensor, "n k"]:
    """Outputs for every example of a split, on the CPU, in the model's present mode."""
    device, parts, order = next(model.parameters()).device, [], []
    for index, chunk in length_chunks(split.inputs, chunk=CHUNK, lengths=split.slices["length"]):
        parts.append(model(chunk.to(device)).float().cpu())
        order.append(index)
    return torch.cat(parts)[torch.cat(order).argsort()]


@torch.no_grad()
def precisions(model: nn.Module, split: Split) -> Float64[Tensor, " n"]:
    """Average precision at R of every program of a split, which asks for all others of its problem.

    They are sought by the score that the model gives to two programs, the same as of pairs.
    """
    device, parts, order = next(model.parameters()).device, [], []
    for index, chunk in length_chunks(split.inputs, chunk=CHUNK, lengths=split.slices["length"]):
        parts.append(model.vectors(chunk.to(device)))
        order.append(index)
    vectors = torch.cat(parts)[torch.cat(order).argsort().to(device)]
    found = []
    for asking in torch.arange(len(split)).split(ASKING):
        similarities = model.similarity(vectors[asking.to(device)], vectors).float().cpu()
        found.append(sought(similarities, asking, split.labels))
    return torch.cat(found)


def sought(
    similarities: Float[Tensor, "q n"], asking: Int64[Tensor, " q"], problems: Int64[Tensor, " n"]
) -> Float64[Tensor, " q"]:
    """Average precision at R of the programs at these places; none finds itself."""
    alike = problems[asking][:, None] == problems
    rows = torch.arange(len(asking))
    alike[rows, asking] = False
    similarities = similarities.clone()
    similarities[rows, asking] = -torch.inf
    return average_precisions(similarities, alike)


def score_rows(scores: Float[Tensor, " n"], split: Split, name: str, *, groups: tuple[str, ...] = ()) -> Iterator[Row]:
    """Accuracy, F1 of *yes* and AUC of a split, and the accuracy within every group; *yes* from log odds 0 on."""
    right = ((scores >= 0).long() == split.labels).double()
    counts = confusion(split.labels, (scores >= 0).long(), 2)
    yield row(name, "n", float(len(split)), split.source)
    yield row(name, "accuracy", right.mean().item(), split.source)
    yield row(name, "f1", f1_of(counts).item(), split.source)
    yield row(name, "auc", auc(scores, split.labels).item(), split.source)
    for number, group in enumerate(groups):
        there = split.slices["group"] == number
        if there.any():
            yield row(name, "n", float(there.sum()), split.source, part=group)
            yield row(name, "accuracy", right[there].mean().item(), split.source, part=group)


def f1_of(counts: Float[Tensor, "... 2 2"]) -> Float[Tensor, "..."]:
    """F1 of *yes*: 2 · right / (given + wanted); 0 where there is neither."""
    both = counts[..., 1, :].sum(-1) + counts[..., :, 1].sum(-1)
    return 2 * counts[..., 1, 1] / both.where(both > 0, torch.ones_like(both))


class CodeProtocol(Protocol):
    """Batches of functions or pairs of similar length; cross-entropy of yes or no."""

    slices = ("length", "cut", "item")
    needs = ("batches", "groups")
    batching = CodeBatching
    objective = TwoAnswers
    measures = CodeMeasures
