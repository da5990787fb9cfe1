"""Transformer-XL (Dai et al. 2019) as a model of a stream: relative positions, and a memory without gradient."""

from typing import ClassVar, Literal

from pydantic import Field

from inductive_bias.models.segments import SegmentModel, SegmentSpec


class LanguageXLSpec(SegmentSpec):
    """Choices of a :class:`LanguageXL`.

    Attributes:
        segment: tokens that are read together; in training as many as a step reads of a stream.
        memory: tokens before the segment that are seen too, in the inputs of every layer; 0 for none.
    """

    kind: Literal["language_xl"] = "language_xl"
    segment: int = Field(default=128, ge=1)
    memory: int = Field(default=128, ge=0)

    @property
    def unit(self) -> int:
        """Tokens of a segment, which are read together."""
        return self.segment

    @property
    def kept(self) -> int:
        """Tokens of the memory."""
        return self.memory

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Transformer-XL" if self.memory else "Transformer-XL without memory"

    def build(self, *, vocabulary: int, outputs: int) -> "LanguageXL":
        """A freshly initialised model."""
        return LanguageXL(self, vocabulary=vocabulary, outputs=outputs)


class LanguageXL(SegmentModel):
    """Every layer sees its segment and, without gradient, what it was itself given for the last tokens before it.

    A token in the middle of a segment sees all of the memory and the half of the segment before it (``same_length`` of
    the code is off, there as here).
    """

    cuts: ClassVar[bool] = True
    updates: ClassVar[bool] = False
