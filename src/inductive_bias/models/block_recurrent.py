"""Block-Recurrent Transformer (Hutchins et al. 2022): a sliding window, and one layer whose states go from block to block."""  # noqa: E501

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.layers import BlockRecurrence, RelativePositions
from inductive_bias.models.block import Block
from inductive_bias.models.segments import Past, SegmentModel, SegmentSpec


class BlockRecurrentSpec(SegmentSpec):
    """Choices of a :class:`BlockRecurrent`.

    Attributes:
        window: tokens of a block, and keys that a query sees, its own token included. In training a step has to read
            several blocks: the gradient of the last block's loss is what teaches states to be updated.
        states: vectors of the recurrent layer.
        recurrent: which layer it is, from 1; it keeps plain attention, whatever the ``mixer``.
        gate: of the states, ``bias`` or ``lstm``, see :class:`~inductive_bias.layers.BlockRecurrence`.
    """

    kind: Literal["block_recurrent"] = "block_recurrent"
    window: int = Field(default=32, ge=1)
    states: int = Field(default=64, ge=1)
    recurrent: int = Field(default=3, ge=1)
    gate: Literal["bias", "lstm"] = "bias"

    @model_validator(mode="after")
    def _layer_is_there(self) -> "BlockRecurrentSpec":
        if self.recurrent > self.layers:
            raise ValueError(f"recurrent={self.recurrent} must be one of the layers 1 to {self.layers}")
        return self

    @property
    def unit(self) -> int:
        """Tokens of a block, which are read together."""
        return self.window

    @property
    def kept(self) -> int:
        """Tokens of the memory: as many as a block has."""
        return self.window

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Block-Recurrent Transformer" + (", LSTM gate" if self.gate == "lstm" else "")

    def positions(self) -> RelativePositions:
        """Attention of tokens to tokens."""
        return RelativePositions(self.width, self.mixer.heads, window=self.window)

    def build(self, *, vocabulary: int, outputs: int) -> "BlockRecurrent":
        """A freshly initialised model."""
        return BlockRecurrent(self, vocabulary=vocabulary, outputs=outputs)


class RecurrentBlock(Block):
    """A block whose mixer is a :class:`~inductive_bias.layers.BlockRecurrence`."""

    def beside(
        self, memory: Float[Tensor, "b m d"], x: Float[Tensor, "b t d"], states: Float[Tensor, "b s d"]
    ) -> Float[Tensor, "b t d"]:
        """Outputs of tokens that see memory and states."""
        return self._after(x, self.mixer(self.mixer_norm(x), self.mixer_norm(memory), states))

    def beside_in_units(
        self, memory: Float[Tensor, "b u d"], x: Float[Tensor, "b t d"], states: Float[Tensor, "b s d"]
    ) -> tuple[Float[Tensor, "b t d"], Float[Tensor, "b s d"]]:
        """:meth:`beside` and :meth:`advance` of block after block, and the states after the last."""
        mixed, states = self.mixer.in_units(self.mixer_norm(torch.cat((memory, x), 1)), states, memory.shape[1])
        return self._after(x, mixed), states

    def advance(self, inputs: Float[Tensor, "b t d"], states: Float[Tensor, "b s d"]) -> Float[Tensor, "b s d"]:
        """The states after a whole block of inputs."""
        return self.mixer.advance(self.mixer_norm(inputs), states)


class BlockRecurrent(SegmentModel):
    """Blocks of tokens that see themselves and the block before; the states of one layer tell of all before that.

    A position matrix covers both blocks, attention the last ``window`` tokens. Tokens see the states that the block
    before left, so that none tells of a later token.
    """

    def __init__(self, spec: BlockRecurrentSpec, *, vocabulary: int, outputs: int):
        super().__init__(spec, vocabulary=vocabulary, outputs=outputs)
        self.recurrent = spec.recurrent - 1

    def made(self, spec: BlockRecurrentSpec, place: int) -> Block:
        """The layer at a place, from 0; one of them has recurrent states."""
        if place != spec.recurrent - 1:
            return spec.block()
        options = {"attention": spec.positions(), "gate": spec.gate, "dropout": spec.attention_dropout}
        cell = BlockRecurrence(spec.width, spec.mixer.heads, spec.states, **options)
        return RecurrentBlock(cell, spec.width, inner=spec.inner, dropout=spec.dropout)

    def start(self, x: Float[Tensor, "b t d"]) -> Past:
        """State of a stream that begins: no memory, and the learned first states."""
        return super().start(x)._replace(states=self.blocks[self.recurrent].mixer.start(len(x)))

    def through(self, block: Block, before: Tensor, x: Tensor, states: Tensor) -> Float[Tensor, "b t d"]:
        """Outputs of one layer for tokens of one block."""
        return block.beside(before, x, states) if isinstance(block, RecurrentBlock) else block.after(before, x)

    def through_units(self, block: Block, before: Tensor, x: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs of one layer for whole blocks, and the states after the last of them."""
        if isinstance(block, RecurrentBlock):
            return block.beside_in_units(before, x, states)
        return super().through_units(block, before, x, states)

    def turned(self, past: Past, *, cut: bool) -> Past:
        """What a complete block leaves in memory and states."""
        states = self.blocks[self.recurrent].advance(past.begun[self.recurrent], past.states)
        return super().turned(past, cut=cut)._replace(states=states)
