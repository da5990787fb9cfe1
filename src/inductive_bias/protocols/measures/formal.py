"""Rows of a model of a formal language: whole strings and single positions."""

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Float, Int64, UInt8
from torch import Tensor, nn

from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks
from inductive_bias.training import predict

#: Symbols of one point of a curve over lengths or positions.
STEP = 10


def right_positions(
    model: nn.Module, tokens: Int64[Tensor, "n t"], targets: UInt8[Tensor, "n t k"]
) -> Int64[Tensor, "n t"]:
    """1 where every output of a position is on the right side of one half, 0 where not, −1 for padding."""
    device = next(model.parameters()).device

    def answers(chunk: Tensor) -> Tensor:
        # the sigmoid is at least one half where its argument is not negative
        found = (model(chunk.to(device)) >= 0).cpu()
        return nn.functional.pad(found, (0, 0, 0, tokens.shape[1] - chunk.shape[1]))

    order = torch.cat([index for index, _ in length_chunks(tokens)])
    given = predict(answers, (chunk for _, chunk in length_chunks(tokens)))[order.argsort()]
    right = (given == targets.bool()).all(dim=2).long()
    return right.masked_fill(tokens == 0, -1)


def right_strings(right: Int64[Tensor, "n t"]) -> Bool[Tensor, " n"]:
    """Whether no position of a string is wrong."""
    return (right != 0).all(dim=1)


def accuracy_rows(right: Int64[Tensor, "n t"], name: str, source: str, *, epoch: int | None = None) -> Iterator[Row]:
    """Share of strings that are right everywhere (the published score), and of right positions."""
    shares = {"string_accuracy": right_strings(right).float(), "position_accuracy": right[right >= 0].float()}
    for metric, values in shares.items():
        yield row(name, metric, float(values.mean()), source, epoch=epoch)


def curve_rows(right: Int64[Tensor, "n t"], split: Split, name: str) -> Iterator[Row]:
    """String accuracy by length and position accuracy by position, in steps of `STEP`, each at its middle.

    ``n`` counts the strings of a length and the positions of a position.
    """
    lengths, strings = split.slices["length"], right_strings(right).float()
    places = torch.arange(1, right.shape[1] + 1).expand_as(right)
    seen = right >= 0
    for axis, where, values in (("length", lengths, strings), ("position", places[seen], right[seen].float())):
        metric = "string_accuracy" if axis == "length" else "position_accuracy"
        for middle, mean, count in _by_step(where, values):
            yield row(name, metric, mean, split.source, **{axis: middle})
            yield row(name, "n", float(count), split.source, **{axis: middle})


def _by_step(where: Int64[Tensor, " n"], values: Float[Tensor, " n"]) -> Iterator[tuple[float, float, int]]:
    """Middle, mean and number of values of each step that has one: 1 to 10, 11 to 20 and so on."""
    steps = (where - 1) // STEP
    for step in steps.unique().tolist():
        chosen = values[steps == step]
        yield step * STEP + (STEP + 1) / 2, float(chosen.mean()), len(chosen)
