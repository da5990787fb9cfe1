"""How examples become batches: shuffled, bucketed by length, windows of a text, an endless stream, or new ones."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import ClassVar

import torch
from jaxtyping import Int64, Shaped
from torch import Tensor

from inductive_bias.protocols.base import Batching
from inductive_bias.tasks.batching import Batch, batches_per_epoch, bucketed_batches, sentence_batches, shuffled_batches

#: Steps between two evaluations on the validation set: an epoch of a :class:`Stream`, whatever the number of examples.
EPOCH_STEPS = 25
#: The same where every step has new examples.
FRESH_STEPS = 100


class OnDevice(Batching):
    """Keeps the training split where the model is."""

    @property
    def size(self) -> int:
        """Examples a batch."""
        return self.given.run.schedule.batch_size

    @lru_cache(maxsize=1)  # noqa: B019 — one protocol a run, and the data should be moved to a GPU once
    def tensors(self, device: torch.device) -> tuple[Shaped[Tensor, "n ..."], Shaped[Tensor, "n ..."]]:
        """Inputs and labels of the training split on ``device``."""
        return self.given.train.inputs.to(device), self.given.train.labels.to(device)


class Shuffled(OnDevice):
    """Examples of one size: whole batches of a new random order in every epoch; a small set is one batch."""

    @property
    def size(self) -> int:
        return min(super().size, len(self.given.train))

    def steps_per_epoch(self) -> int:
        return batches_per_epoch(len(self.given.train), self.size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.tensors(device)
        return shuffled_batches(inputs, labels, batch_size=self.size, generator=order)


class Stream(Shuffled):
    """An endless stream of shuffled passes; an *epoch* is :data:`EPOCH_STEPS` steps of it for every number of examples.

    A small set is therefore passed more often than a large one.
    """

    _stream: Iterator[Batch] | None = None

    def steps_per_epoch(self) -> int:
        return EPOCH_STEPS

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        if self._stream is None:
            self._stream = self._passes(order, device)
        return islice(self._stream, EPOCH_STEPS)

    def _passes(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        while True:
            yield from super().epoch(order, device)


class Fresh(Batching):
    """New examples in every step, which the task draws by the trial's seed; an *epoch* is :data:`FRESH_STEPS` steps.

    Trials of one seed see the same examples in the same order, whatever their model.
    """

    def steps_per_epoch(self) -> int:
        return FRESH_STEPS

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        size = self.given.run.schedule.batch_size
        parts = (part.to(device).split(size) for part in self.given.task.draw(FRESH_STEPS * size, order))
        for step, (inputs, labels) in enumerate(zip(*parts, strict=True)):
            yield Batch(inputs, labels, torch.arange(step * size, (step + 1) * size))


class Bucketed(OnDevice):
    """Sequences of similar length together, trimmed to the longest of them; ``even`` in number."""

    even: ClassVar[str] = "sentences"

    @property
    def lengths(self) -> Int64[Tensor, " n"] | None:
        """Lengths of the training sequences; None for tokens, which tell by their padding."""
        return None

    def steps_per_epoch(self) -> int:
        return sentence_batches(len(self.given.train), self.size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.tensors(device)
        options = {"batch_size": self.size, "even": self.even, "lengths": self.lengths}
        return bucketed_batches(inputs, labels, generator=order, **options)


class BucketedTokens(Bucketed):
    """Sequences of similar length together, with about equally many tokens a batch."""

    even = "tokens"


class BucketedSteps(Bucketed):
    """Sequences of other things than tokens, whose data say how long each is (the slice ``length``)."""

    @property
    def lengths(self) -> Int64[Tensor, " n"]:
        return self.given.train.slices["length"]


class Limited(Shuffled):
    """Examples of one size in a new order in every epoch, at most as many batches as the task says."""

    def steps_per_epoch(self) -> int:
        return _at_most(super().steps_per_epoch(), self.given.task.batches)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        return islice(super().epoch(order, device), self.steps_per_epoch())


class LimitedBuckets(Bucketed):
    """Some batches of sequences of similar length in random order, at most as many as the task says."""

    def steps_per_epoch(self) -> int:
        return _at_most(super().steps_per_epoch(), self.given.task.batches)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        return islice(super().epoch(order, device), self.steps_per_epoch())


def _at_most(steps: int, most: int | None) -> int:
    return steps if most is None else min(steps, most)


class Windows(OnDevice):
    """Random windows of the training text.

    An epoch has as many windows as lie side by side in the training text, each beginning anywhere.
    """

    def steps_per_epoch(self) -> int:
        windows = max(1, len(self.given.train) // self.given.task.window)
        return max(1, windows // self.size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.tensors(device)
        window = self.given.task.window
        # drawn on the CPU from the trial's seed alone: models of one seed read the same windows in the same order
        starts = torch.randint(len(inputs) - window + 1, (self.steps_per_epoch(), self.size), generator=order)
        for begin in starts:
            index = (begin[:, None] + torch.arange(window)).to(device)
            yield Batch(inputs[index], labels[index], begin)
