"""Models of a stream of characters that remember the segment before: read alike in training and in evaluation."""

from collections.abc import Iterator

from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.protocols.measures import Row, skipped_rows
from inductive_bias.protocols.measures.characters import mean_bits
from inductive_bias.protocols.measures.segments import past_rows, segment_rows, stream_bits
from inductive_bias.protocols.running_text import RunningTextProtocol
from inductive_bias.protocols.selection import ErrorMeasures
from inductive_bias.tasks import Split


class SegmentMeasures(ErrorMeasures):
    """Bits per character of held-out text in segments of the training's length, of the model that was best on validation.

    Every model reads the same streams in the same segments, and each split begins without a past. Beside the mean of
    all characters stand those by position in the segment, and what a model makes of a past that is cut; gates, decays
    and angles of every head.
    """  # noqa: E501

    reads = "no features"
    error = "bpc"
    metrics = ("bpc",)

    @property
    def segment(self) -> int:
        """Characters of a segment."""
        return self.given.task.window

    def of(self, model: nn.Module, split: Split) -> float:
        return mean_bits(stream_bits(model, split, self.segment))

    def measured(self, model: nn.Module, split: Split, name: str) -> Iterator[Row]:
        yield from segment_rows(model, split, name, self.segment)
        if name == "test":
            yield from past_rows(model, split, name, self.segment)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        yield from super().final(model, diverged=diverged)
        yield from skipped_rows(self.given.data.skipped, "train", self.given.train.source)


class SegmentProtocol(RunningTextProtocol):
    """Streams side by side, segment after segment; what is remembered goes on, and gradients end with a segment."""

    measures = SegmentMeasures

    def check(self, model: nn.Module) -> None:
        """Refuse a segment that is not made of whole units, or of which no state ever gets a gradient.

        Raises:
            SettingError: naming segment and unit.
        """
        window, unit = self.given.task.window, getattr(model, "unit", None)
        if unit and window % unit:
            raise SettingError(
                f"{self.given.origin}: a segment of {window} characters must be made of whole units of {unit}"
            )
        if unit == window and model.updates:
            raise SettingError(
                f"{self.given.origin}: a segment of {window} characters must hold several units, not one: states "
                "are updated after a unit, and no gradient reaches that from the next segment"
            )
        super().check(model)
