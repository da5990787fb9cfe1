"""Classifiers of sentences."""

import math
from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.metrics import accuracy
from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Bucketed
from inductive_bias.protocols.measures import (
    Row,
    accuracy_row,
    diverged_rows,
    logits_of,
    row,
    skipped_rows,
    slice_rows,
    split_rows,
)
from inductive_bias.protocols.measures.sentences import ATTRACTORS, mean_over
from inductive_bias.protocols.objectives import Classes


class SentenceMeasures(Measures):
    """Every test set, in all and by what its sentences are told apart by: attractors and distance.

    Data whose attractors are not known have no split ``attractors``, and no ``a_accuracy``.
    """

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        yield accuracy_row(model, self.given.validation, "validation", epoch)

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        """Logits of the tests, to ask whether two models make the same errors."""
        data = self.given.data
        return {
            f"logits/{name}": logits_of(model, data[name].inputs) for name in ("test", "attractors") if name in data
        }

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        data = self.given.data
        accuracies: dict[float, float] = {}
        for name in (name for name in data.names if name != "train"):
            split = data[name]
            if diverged:
                yield from diverged_rows(split, name)
                continue
            logits = logits_of(model, split.inputs)
            yield from split_rows(logits, split, name)
            for found in slice_rows(logits, split, name):
                yield found
                if name == "attractors" and found["metric"] == "accuracy" and "attractors" in found:
                    accuracies[found["attractors"]] = found["value"]
            if name == "test":
                natural = accuracy(logits, split.labels)
        if diverged:
            if "attractors" in data:
                yield row("attractors", "a_accuracy", math.nan, data["attractors"].source)
            return
        # numpred.test.0 is not among the public excerpts: sentences as they come, nine in ten without an attractor
        # between, stand in for those with none
        accuracies.setdefault(0.0, natural)
        if "attractors" in data:
            yield row("attractors", "a_accuracy", mean_over(accuracies, ATTRACTORS), data["attractors"].source)
        train = self.given.train
        yield from skipped_rows(data.skipped, "train", train.source)
        yield row("train", "n", float(len(train)), train.source)


class SentenceProtocol(Protocol):
    """Batches of similar length; cross-entropy or distillation."""

    batching = Bucketed
    objective = Classes
    measures = SentenceMeasures
