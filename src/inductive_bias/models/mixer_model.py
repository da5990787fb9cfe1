"""One model in which only the token mixer changes: attention, RSA, a REM, a free matrix, an RNN or an LSTM.

What a comparison of mixers needs is that all else is equal: embedding, number of layers, width, feed-forward layers and
read-out are those of :class:`MixingModel`, whatever mixes the tokens.
"""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Integer
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import AttentionSpec, Mixer
from inductive_bias.layers.base import HeadSpec
from inductive_bias.layers.heads import last_real
from inductive_bias.models.block import Block
from inductive_bias.models.convolution import refuse_both_or_neither
from inductive_bias.models.positions import PositionName, check_reach, positions_of
from inductive_bias.settings import Setting
from inductive_bias.tasks.vocabulary import PAD
from inductive_bias.tracing import transformed


class MixingSpec(Setting):
    """Choices of a :class:`MixingModel`.

    Attributes:
        mixer: what tokens learn of each other by, with its own choices: one of :data:`inductive_bias.layers.MIXERS`.
        positions: added to the embeddings: ``none``, ``sinusoidal``, ``learned``, or sinusoidal ones from a random
            start (``shifted``) or at random, ordered places (``randomised``); see :mod:`~.models.positions`.
        reach: of the last three: places of the table, the last start, and places to draw from.
        causal: no token sees a later one. If False, only padding (token 0) is not seen, and the mixer must have heads.
        layers: blocks.
        width: of the token representations; the mixer's heads divide it.
        feedforward: width of the feed-forward layers as a multiple of ``width``; 0 leaves them out.
        dropout: on the output of mixer and feed-forward layer.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "vocabulary"}),
        frozenset({"outputs", "channels"}),
    )
    kind: Literal["mixing"] = "mixing"
    mixer: Mixer = AttentionSpec()
    positions: PositionName = "none"
    reach: int | None = Field(default=None, ge=1)
    causal: bool = True
    layers: int = Field(default=2, ge=1)
    width: int = Field(default=64, ge=1)
    feedforward: int = Field(default=4, ge=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _mixer_fits(self) -> "MixingSpec":
        self.mixer.check_width(self.width)
        if not (self.causal or isinstance(self.mixer, HeadSpec)):
            raise ValueError(f"causal must be True for a mixer of kind {self.mixer.kind!r}: it sees the past alone")
        return self

    @model_validator(mode="after")
    def _reach_is_known(self) -> "MixingSpec":
        check_reach(self.positions, self.reach)
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages: ``Attention, sinusoidal``."""
        return self.mixer.name + ("" if self.positions == "none" else f", {self.positions}")

    def build(
        self,
        *,
        outputs: int,
        vocabulary: int | None = None,
        channels: int | None = None,
        mixer: Callable[[int], nn.Module] | None = None,
    ) -> "MixingModel":
        """A freshly initialised model of tokens (``vocabulary``) or of real-valued sequences (``channels``).

        ``mixer`` makes another layer of a width, in place of the spec's own.

        Raises:
            ValueError: if not exactly one of both is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        embedding = nn.Linear(channels, self.width) if vocabulary is None else nn.Embedding(vocabulary, self.width)
        return MixingModel(self, embedding, outputs, mixer=mixer)


class Caches(NamedTuple):
    """What a model keeps of the tokens read.

    Attributes:
        blocks: the cache of each block's mixer.
        place: of the next token, counted from the first real one of its row: one for all rows, or one a row.
    """

    blocks: tuple[object, ...]
    place: int | Integer[Tensor, " b"]

    def rows(self, chosen: Integer[Tensor, " n"]) -> "Caches":
        """Caches of the rows with these numbers, as often as they are named."""
        place = self.place[chosen] if isinstance(self.place, Tensor) else self.place
        return Caches(tuple(cache.rows(chosen) for cache in self.blocks), place)


class MixingModel(nn.Module):
    """Embedding, blocks, normalisation, and a linear read-out at every token; if causal, no token sees a later one.

    Inputs are tokens ``[b, t]`` or real values ``[b, t, channels]``. Padding on the right is never seen by what stands
    before it; outputs there have no meaning. (Real values have no padding if the model is not causal.) With a ``mask``,
    False at padding, padding may stand anywhere; positions then count from the first real token of each row.

    Attributes:
        blocks: their ``mixer`` is the layer under comparison.
    """

    def __init__(
        self, spec: MixingSpec, embedding: nn.Module, outputs: int, *, mixer: Callable[[int], nn.Module] | None = None
    ):
        super().__init__()
        self.embedding, self.causal = embedding, spec.causal
        self.positions = positions_of(spec.positions, spec.width, spec.reach)
        options = {"feedforward": spec.feedforward, "dropout": spec.dropout}
        make = mixer or partial(spec.mixer.layer, **({} if spec.causal else {"causal": False}))
        self.blocks = nn.ModuleList(Block(make(spec.width), spec.width, **options) for _ in range(spec.layers))
        self.norm = nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, outputs)

    def states(self, inputs: Tensor, mask: Bool[Tensor, "b t"] | None = None) -> Float[Tensor, "b t d"]:
        """What the read-out sees of every token."""
        if mask is not None:
            x, seen = self._placed(inputs, -_leading(mask)), mask
        else:
            x, seen = self._placed(inputs), None if self.causal else self._real(inputs)
            # without padding the fused kernel needs no mask; within torch.func a tensor cannot decide
            if seen is not None and not transformed() and bool(seen.all()):
                seen = None
        for block in self.blocks:
            x = block(x, seen)
        return self.norm(x)

    def _real(self, inputs: Tensor) -> Bool[Tensor, "b t"] | None:
        """Which tokens are no padding; None for real values."""
        return inputs != PAD if isinstance(self.embedding, nn.Embedding) else None

    def _placed(self, inputs: Tensor, first: int | Tensor = 0) -> Float[Tensor, "b t d"]:
        """Embeddings of the tokens first, first + 1, … with their positions."""
        x = self.embedding(inputs)
        return x if self.positions is None else self.positions(x, first, self._real(inputs))

    def features(self, inputs: Tensor) -> Float[Tensor, "b d"]:
        """The state of the last position."""
        return self.states(inputs)[:, -1]

    def forward(self, inputs: Tensor, mask: Bool[Tensor, "b t"] | None = None) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs, mask))

    def prefill(self, inputs: Tensor, mask: Bool[Tensor, "b t"] | None = None) -> tuple[Float[Tensor, "b t k"], Caches]:
        """:meth:`forward`, and the caches of all blocks to go on from."""
        x, caches = self._placed(inputs, 0 if mask is None else -_leading(mask)), []
        for block in self.blocks:
            x, cache = block.prefill(x, mask)
            caches.append(cache)
        place = inputs.shape[1] if mask is None else last_real(mask) - _leading(mask)
        return self.readout(self.norm(x)), Caches(tuple(caches), place)

    def step(
        self, inputs: Tensor, caches: Caches, mask: Bool[Tensor, "*rows"] | None = None
    ) -> tuple[Float[Tensor, "*rows k"], Caches]:
        """The next token ``[b]`` or some ``[b, t]``, of real values with channels: their rows of :meth:`forward`.

        ``mask``, ``[b]`` or ``[b, t]``, is False at padding, as in ``step`` of the layers. The new caches come second.
        """
        if inputs.ndim == (1 if isinstance(self.embedding, nn.Embedding) else 2):
            found, caches = self.step(inputs[:, None], caches, None if mask is None else mask[:, None])
            return found[:, 0], caches
        first, following = caches.place, inputs.shape[1]
        if mask is not None:
            first = torch.as_tensor(first, device=inputs.device).expand(len(inputs))
            # padding in front of a row's first token of all takes no place
            first = first - _leading(mask) * (first == 0)
            following = last_real(mask)
        x, made = self._placed(inputs, first), []
        one = inputs.shape[1] == 1
        for block, cache in zip(self.blocks, caches.blocks, strict=True):
            x, cache = _of_one(block, x, cache, mask) if one else block.step(x, cache, mask)
            made.append(cache)
        place = first + following
        return self.readout(self.norm(x)), Caches(tuple(made), place)


def _of_one(
    block: Block, x: Float[Tensor, "b 1 d"], cache: object, mask: Bool[Tensor, "b 1"] | None
) -> tuple[Float[Tensor, "b 1 d"], object]:
    """A step of one token for a mixer that may take no more."""
    x, cache = block.step(x[:, 0], cache, None if mask is None else mask[:, 0])
    return x[:, None], cache


def _leading(mask: Bool[Tensor, "b t"]) -> Integer[Tensor, " b"]:
    """How many places of padding each row begins with; 0 for a row of padding alone."""
    return mask.long().argmax(1)
