"""Models of running text, in words or characters: states go on from window to window, gradients do not."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.protocols.base import Objective, Protocol
from inductive_bias.protocols.batching import OnDevice
from inductive_bias.protocols.given import Given
from inductive_bias.protocols.measures import Row, parameters_row, row, skipped_rows
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch
from inductive_bias.tasks.data import IGNORED

#: Streams that a held-out text is read in, side by side: each begins without a past, once.
HELD_OUT_STREAMS, HELD_OUT_WINDOW = 10, 200


class Streams(OnDevice):
    """The text as ``batch_size`` streams side by side, window after window; what is left over is not read."""

    def steps_per_epoch(self) -> int:
        return max(1, (len(self.given.train) // self.size) // self.given.task.window)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        """Batches in the order of the text, equal in every epoch; ``index`` is 0 where the streams begin."""
        return in_streams(*self.tensors(device), streams=self.size, window=self.given.task.window)


def in_streams(
    inputs: Int64[Tensor, " n"], labels: Int64[Tensor, " n"], *, streams: int, window: int
) -> Iterator[Batch]:
    """Consecutive windows ``[streams, window]`` of a text; the last may be shorter."""
    length = len(inputs) // streams
    rows, wanted = (part[: streams * length].view(streams, length) for part in (inputs, labels))
    for place, first in enumerate(range(0, length, window)):
        index = torch.full((streams,), place, device=inputs.device)
        yield Batch(rows[:, first : first + window], wanted[:, first : first + window], index)


class TruncatedBPTT(Objective):
    """Cross-entropy of every next symbol; the state of each stream goes on, cut off from the gradient."""

    allows_noncausal = False

    def __init__(self, given: Given):
        super().__init__(given)
        self._state: object = None

    def loss(self, model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
        state = None if int(batch.index[0]) == 0 else self._state
        outputs, self._state = model.carried(batch.inputs, state)
        return symbol_nll(model, outputs, batch.labels).mean()

    def shape(self, batch: Batch) -> tuple[int, ...]:
        return *batch.inputs.shape, self.given.task.dimensions["outputs"]

    def check(self, model: nn.Module, batch: Batch) -> None:
        """Refuse a model that cannot go on from a state.

        Raises:
            ValueError: naming the model.
        """
        if not hasattr(model, "carried"):
            raise ValueError(f"a {type(model).__name__} cannot go on from a state: it has no method carried()")
        one = Batch(batch.inputs[None], batch.labels[None], batch.index[:1])
        super().check(model, one)

    def answers(self, model: nn.Module, inputs: Int64[Tensor, "b t"]) -> dict[str, Float[Tensor, "b t ..."]]:
        return super().answers(model, inputs) | {"states": model.carried(inputs, None)[0]}


def symbol_nll(model: nn.Module, states: Float[Tensor, "b t d"], labels: Int64[Tensor, "b t"]) -> Float[Tensor, " n"]:
    """Nats of every label that is known."""
    known = labels != IGNORED
    chosen, wanted = states[known], labels[known]
    if hasattr(model.readout, "nll"):
        return model.readout.nll(chosen, wanted)
    return F.cross_entropy(model.readout(chosen).float(), wanted, reduction="none")


class RunningTextMeasures(SelectingMeasures):
    """One number of all symbols of a held-out text, of the model that was best on validation.

    Attributes:
        metric: its name.
    """

    reads = "no features"
    metric: ClassVar[str]

    @staticmethod
    @abstractmethod
    def said(nll: float) -> float:
        """The number that says a mean of so many nats per symbol."""

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        nll = mean_nll(model, split)
        self._best.update(model, nll, epoch)
        yield row("validation", self.metric, self.said(nll), split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source = self.given.train.source
        yield from self.restored(model, diverged=diverged)
        for name in ("validation", "test"):
            split = self.given.data[name]
            value = math.nan if diverged else self.said(mean_nll(model, split))
            yield row(name, self.metric, value, split.source)
        yield parameters_row(model, source)
        yield from skipped_rows(self.given.data.skipped, "train", source)


class WordMeasures(RunningTextMeasures):
    """Perplexity."""

    metric = "perplexity"
    said = staticmethod(math.exp)


class CharacterStreamMeasures(RunningTextMeasures):
    """Bits per character."""

    metric = "bpc"

    @staticmethod
    def said(nll: float) -> float:
        return nll / math.log(2)


@torch.no_grad()
def mean_nll(model: nn.Module, split: Split) -> float:
    """Mean nats per symbol of a text, read in :data:`HELD_OUT_STREAMS` streams with a state that goes on."""
    device, state, total, count = next(model.parameters()).device, None, 0.0, 0
    streams = min(HELD_OUT_STREAMS, len(split))
    text = (split.inputs.to(device), split.labels.to(device))
    for batch in in_streams(*text, streams=streams, window=HELD_OUT_WINDOW):
        outputs, state = model.carried(batch.inputs, state)
        found = symbol_nll(model, outputs, batch.labels)
        total, count = total + found.double().sum().item(), count + len(found)
    return total / count


class RunningTextProtocol(Protocol):
    """A running text in streams; states go on, and gradients end with a window."""

    needs = ("window",)
    batching = Streams
    objective = TruncatedBPTT

    def check(self, model: nn.Module) -> None:
        """Refuse a text whose streams are shorter than a window.

        Raises:
            SettingError: naming the numbers.
        """
        if self.given.run.schedule.batch_size * self.given.task.window > len(self.given.train):
            raise SettingError(
                f"{self.given.origin}: {self.given.run.schedule.batch_size} streams of a text of "
                f"{len(self.given.train)} symbols are shorter than a window of {self.given.task.window}"
            )
        super().check(model)


class WordProtocol(RunningTextProtocol):
    """A running text of words in streams, scored by perplexity."""

    measures = WordMeasures


class CharacterStreamProtocol(RunningTextProtocol):
    """A running text of characters in streams, scored in bits per character."""

    measures = CharacterStreamMeasures
