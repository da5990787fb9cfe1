"""What models of a stream share that remember: their settings, and how a stream is read in units.

A stream is read unit by unit: a segment (Transformer-XL), a block (Block-Recurrent Transformer), or a chunk (Temporal
Latent Bottleneck). Within a unit a token sees those before it, and what is kept of the units before: the inputs of
every layer for the last tokens (*memory*), or vectors that were updated when the unit before was complete (*states*).

What comes out does not depend on how a stream is cut into calls: read at once, in pieces of any length, or token by
token. Gradients do: none passes from one call to the one before.
"""

from abc import abstractmethod
from typing import Annotated, ClassVar, NamedTuple

import torch
from jaxtyping import Float, Int64
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import AttentionSpec, RelativePositions, RSASpec, ToeplitzSpec
from inductive_bias.layers.heads import in_rows
from inductive_bias.models.block import Block
from inductive_bias.models.paired_init import same_init
from inductive_bias.settings import Setting

#: What a self-attention may be exchanged for.
SegmentMixer = Annotated[AttentionSpec | RSASpec | ToeplitzSpec, Field(discriminator="kind")]


class SegmentSpec(Setting):
    """Choices of every model that reads a stream in units.

    Attributes:
        mixer: in place of self-attention, with the same relative positions. Its matrices cover what attention may see:
            memory and the tokens of the unit.
        layers: on top of one another, each normalised before it (``pre_lnorm`` of the code of Transformer-XL).
        width: of the representation of a token; the mixer's heads divide it.
        inner: width of the feed-forward layers.
        dropout: on embeddings and the outputs of all layers.
        attention_dropout: on the weights of attention.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"vocabulary", "outputs"}),)
    causal: ClassVar[bool] = True

    mixer: SegmentMixer = AttentionSpec()
    layers: int = Field(default=4, ge=1)
    width: int = Field(default=128, ge=1)
    inner: int = Field(default=512, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    attention_dropout: float = Field(default=0.0, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @property
    @abstractmethod
    def unit(self) -> int:
        """Tokens that are read together."""

    @property
    @abstractmethod
    def kept(self) -> int:
        """Tokens of the memory."""

    @model_validator(mode="after")
    def _mixer_fits(self) -> "SegmentSpec":
        self.mixer.check_width(self.width)
        seen = self.kept + self.unit
        if self.mixer.kind == "toeplitz" and self.mixer.length < seen:
            raise ValueError(f"a free matrix must cover memory and unit, length={seen}, not {self.mixer.length}")
        return self

    def positions(self) -> RelativePositions:
        """Attention of tokens to tokens."""
        return RelativePositions(self.width, self.mixer.heads)

    def block(self) -> Block:
        """One layer; models that differ in their mixer alone begin with the same weights in all that they share."""

        def made(mixer: SegmentMixer) -> nn.Module:
            return mixer.layer(self.width, attention=self.positions(), dropout=self.attention_dropout)

        return Block(same_init(self.mixer, made), self.width, inner=self.inner, dropout=self.dropout)


class Past(NamedTuple):
    """What a stream has left behind; nothing in it changes, so that it can be continued twice.

    Attributes:
        memory: of every layer, ``[b, m, d]``: its inputs for tokens of the units before.
        begun: of every layer, ``[b, s, d]``: its inputs for the tokens of the unit that is not complete yet.
        states: ``[b, n, d]``, or None for models without.
    """

    memory: tuple[Tensor, ...]
    begun: tuple[Tensor, ...]
    states: Tensor | None = None

    @property
    def length(self) -> int:
        """Tokens of the unit that are read."""
        return self.begun[0].shape[1]

    def detached(self) -> "Past":
        """A copy that passes no gradient on."""
        memory, begun = (tuple(each.detach() for each in part) for part in (self.memory, self.begun))
        return Past(memory, begun, None if self.states is None else self.states.detach())


class SegmentModel(nn.Module):
    """Embedding, blocks, normalisation and a linear read-out at every token ``[b, t]``; no token sees a later one.

    Attributes:
        blocks: the layers, each with its ``mixer``.
        cuts: whether no gradient passes from a unit to the one before it within a call either.
        updates: whether there are states that are updated after a unit, and learn it from the units after that.
    """

    cuts: ClassVar[bool] = False
    updates: ClassVar[bool] = True

    def __init__(self, spec: SegmentSpec, *, vocabulary: int, outputs: int):
        super().__init__()
        self.unit, self.kept = spec.unit, spec.kept
        self.embedding, self.dropout = nn.Embedding(vocabulary, spec.width), nn.Dropout(spec.dropout)
        self.blocks = nn.ModuleList(self.made(spec, place) for place in range(spec.layers))
        self.norm = nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, outputs)

    def made(self, spec: SegmentSpec, place: int) -> Block:
        """The layer at a place, from 0."""
        return spec.block()

    def start(self, x: Float[Tensor, "b t d"]) -> Past:
        """State of a stream that begins: an empty memory."""
        none = (x[:, :0],) * len(self.blocks)
        return Past(none, none)

    def read(
        self, x: Float[Tensor, "b t d"], past: Past | None = None, *, cut: bool = True
    ) -> tuple[Float[Tensor, "b t d"], Past]:
        """Embedded tokens through all layers, and what is left behind.

        Args:
            x: embedded tokens.
            past: what they go on after; None begins a stream.
            cut: False lets gradients pass wherever values do, to measure how far a model looks back.

        Raises:
            ValueError: if there is no token.
        """
        if not x.shape[1]:
            raise ValueError(f"a stream must go on with at least one token, not with none: {tuple(x.shape)}")
        past, found = self.start(x) if past is None else past, []
        while x.shape[1]:
            if several := self._together(x, past, cut=cut):
                out, past = self.units(x[:, :several], past)
                found.append(out)
                x = x[:, several:]
                continue
            room = self.unit - past.length
            out, past = self.piece(x[:, :room], past)
            found.append(out)
            x = x[:, room:]
            if past.length == self.unit:
                past = self.turned(past, cut=cut)
        return torch.cat(found, 1), past

    def _together(self, x: Tensor, past: Past, *, cut: bool) -> int:
        """How many tokens can be read as whole units at once; 0 where units have to be read one by one.

        They have to where a unit sees anything but all of the one before it, and where no gradient may pass.
        """
        several = x.shape[1] // self.unit * self.unit
        begins = past.length == 0 and past.memory[0].shape[1] == self.kept
        passes = not (cut and self.cuts and torch.is_grad_enabled())
        return several if several > self.unit and begins and passes and self.kept in (0, self.unit) else 0

    def units(self, x: Float[Tensor, "b t d"], past: Past) -> tuple[Float[Tensor, "b t d"], Past]:
        """Whole units, layer by layer: what a layer remembers are its own inputs, all of which are known by then."""
        memory, states = [], past.states
        for before, block in zip(past.memory, self.blocks, strict=True):
            memory.append(x[:, x.shape[1] - self.kept :])
            x, states = self.through_units(block, before, x, states)
        return x, past._replace(memory=tuple(memory), states=states)

    def through_units(
        self, block: Block, before: Tensor, x: Tensor, states: Tensor | None
    ) -> tuple[Float[Tensor, "b t d"], Tensor | None]:
        """Outputs of one layer for whole units, and the states after the last of them."""
        if not self.kept:
            return block(in_rows(x, self.unit)).view(x.shape), states
        return block.in_units(before, x), states

    def piece(self, x: Float[Tensor, "b t d"], past: Past) -> tuple[Float[Tensor, "b t d"], Past]:
        """Tokens of one unit."""
        begun = []
        for place, block in enumerate(self.blocks):
            begun.append(torch.cat((past.begun[place], x), 1))
            x = self.through(block, torch.cat((past.memory[place], past.begun[place]), 1), x, past.states)
        return x, past._replace(begun=tuple(begun))

    def through(self, block: Block, before: Tensor, x: Tensor, states: Tensor | None) -> Float[Tensor, "b t d"]:
        """Outputs of one layer for tokens of one unit."""
        return block.after(before, x)

    def turned(self, past: Past, *, cut: bool) -> Past:
        """What a complete unit leaves in memory and states."""
        memory = []
        for before, begun in zip(past.memory, past.begun, strict=True):
            whole = torch.cat((before, begun), 1)
            last = whole[:, max(0, whole.shape[1] - self.kept) :]
            memory.append(last.detach() if cut and self.cuts else last)
        return Past(tuple(memory), tuple(each[:, :0] for each in past.begun), past.states)

    def carried(self, inputs: Int64[Tensor, "b t"], state: Past | None = None) -> tuple[Float[Tensor, "b t d"], Past]:
        """What the read-out sees, going on after ``state``, and the state after it, cut off from the gradient."""
        x, past = self.read(self.dropout(self.embedding(inputs)), state)
        return self.norm(x), past.detached()

    def forward(self, inputs: Int64[Tensor, "b t"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.carried(inputs)[0])

    def step(self, inputs: Int64[Tensor, " b"], state: Past | None = None) -> tuple[Float[Tensor, "b k"], Past]:
        """The next token: its row of :meth:`forward`, and the next state."""
        x, state = self.carried(inputs[:, None], state)
        return self.readout(x)[:, 0], state
