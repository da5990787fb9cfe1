"""Informer (Zhou et al. 2021), and LogSparse attention (Li et al. 2019) in the same encoder and decoder.

The decoder is *generative*: it says the whole horizon in one pass. It reads the last rows of the past as a prompt,
then zeros at the times that are asked for.
"""

from abc import abstractmethod
from typing import ClassVar, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import ConvolvedQueries, CrossAttention, LogSparse, ProbSparse
from inductive_bias.models.forecasting import FeedForward, ForecasterSpec, SeriesEmbedding, SeriesLayer, following


class EncoderDecoderSpec(ForecasterSpec):
    """Choices of both models.

    Attributes:
        encoder: its layers.
        decoder: its layers.
        prompt: rows of the past that the decoder reads.
    """

    causal: ClassVar[bool] = False

    encoder: int = Field(default=2, ge=1)
    decoder: int = Field(default=1, ge=1)
    prompt: int = Field(default=48, ge=1)

    @abstractmethod
    def mixing(self, *, decoder: bool, halvings: int = 0) -> nn.Module:
        """The mixer of a layer of the encoder, or of the decoder, which sees no later row."""

    @property
    @abstractmethod
    def distils(self) -> bool:
        """Whether rows are halved between two layers of the encoder."""

    def build(self, *, series: int, horizon: int) -> "EncoderDecoder":
        """A freshly initialised model."""
        return EncoderDecoder(self, series=series, horizon=horizon)


class InformerSpec(EncoderDecoderSpec):
    """Choices of an Informer: ProbSparse self-attention, and distilling between the layers of its encoder.

    The published code sets ``mix`` in the decoder, which there reads heads as steps of time; here heads stay heads.

    Attributes:
        factor: of ProbSparse attention; None for softmax over all keys.
        distilling: halve the rows between two layers of the encoder.
        rows: of the position matrices of RSA: ``all``, or those of the ``selected`` queries.
    """

    kind: Literal["informer"] = "informer"
    factor: int | None = Field(default=5, ge=1)
    distilling: bool = True
    rows: Literal["all", "selected"] = "all"

    @model_validator(mode="after")
    def _rows_are_selected_by_something(self) -> "InformerSpec":
        if self.rows == "selected" and (self.factor is None or self.mixer.kind != "rsa"):
            raise ValueError("rows='selected' needs mixer=RSASpec(…) and a factor, by which queries are selected")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Informer"

    @property
    def distils(self) -> bool:
        return self.distilling

    def mixing(self, *, decoder: bool, halvings: int = 0) -> nn.Module:
        def attention() -> nn.Module | None:
            return None if self.factor is None else ProbSparse(self.factor)

        return self.self_attention(causal=decoder, attention=attention, halvings=halvings, rows=self.rows)


class LogSparseSpec(EncoderDecoderSpec):
    """Choices of a LogSparse Transformer: queries look back at a window and at powers of two; nothing is halved.

    Encoder and decoder alike see the past alone. Li et al. have no encoder; the skeleton is that of Informer's
    comparison.

    Attributes:
        kernel: of the causal convolution that makes queries and keys.
        window: see :class:`~inductive_bias.layers.LogSparse`.
    """

    kind: Literal["log_sparse"] = "log_sparse"
    kernel: int = Field(default=3, ge=1)
    window: int | None = Field(default=None, ge=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "LogSparse"

    @property
    def distils(self) -> bool:
        return False

    def mixing(self, *, decoder: bool, halvings: int = 0) -> nn.Module:
        return self.self_attention(
            causal=True,
            attention=lambda: LogSparse(self.window),
            projection=lambda: ConvolvedQueries(self.width, self.kernel),
        )


class EncoderDecoder(nn.Module):
    """Embedding → layers of the encoder, halved between them; embedding of prompt and zeros → decoder → the horizon.

    Attributes:
        blocks: all layers that have a ``mixer``: those of the encoder, then those of the decoder.
    """

    def __init__(self, spec: EncoderDecoderSpec, *, series: int, horizon: int):
        super().__init__()
        self.prompt, self.horizon = spec.prompt, horizon
        options = {"positions": True, "dropout": spec.dropout}
        self.past, self.asked = (SeriesEmbedding(series, spec.width, **options) for _ in range(2))
        self.encoder = nn.ModuleList(
            SeriesLayer(spec.mixing(decoder=False, halvings=place * spec.distils), spec)
            for place in range(spec.encoder)
        )
        self.halvings = nn.ModuleList(Halving(spec.width) for _ in range((spec.encoder - 1) * spec.distils))
        self.encoder_norm = nn.LayerNorm(spec.width)
        self.decoder = nn.ModuleList(DecoderLayer(spec.mixing(decoder=True), spec) for _ in range(spec.decoder))
        self.decoder_norm = nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, series)

    @property
    def blocks(self) -> list[nn.Module]:
        """Layers of the encoder, then those of the decoder."""
        return [*self.encoder, *self.decoder]

    def encoded(self, rows: Float[Tensor, "b t c"]) -> Float[Tensor, "b s d"]:
        """What the decoder is told of the past."""
        x = self.past(rows)
        for place, layer in enumerate(self.encoder):
            x = layer(x)
            if place < len(self.halvings):
                x = self.halvings[place](x)
        return self.encoder_norm(x)

    def forward(self, rows: Float[Tensor, "b t c"]) -> Float[Tensor, "b h s"]:
        """Forecasts ``[b, horizon, series]`` of the rows after those given.

        Raises:
            ValueError: if there are fewer rows than the decoder is prompted with.
        """
        if rows.shape[1] < self.prompt:
            raise ValueError(f"rows must be at least the prompt={self.prompt} in number, not {rows.shape[1]}")
        told = self.encoded(rows)
        x = self.asked(torch.cat((rows[:, -self.prompt :], following(rows, self.horizon)), 1))
        for layer in self.decoder:
            x = layer(x, told)
        return self.readout(self.decoder_norm(x[:, -self.horizon :]))


class DecoderLayer(nn.Module):
    """A :class:`SeriesLayer` with cross-attention to the encoder's rows between both: softmax over all of them.

    The two have no common axis of time, and no position matrix.
    """

    def __init__(self, mixer: nn.Module, spec: ForecasterSpec):
        super().__init__()
        self.mixer, self.dropout = mixer, nn.Dropout(spec.dropout)
        self.cross = CrossAttention(spec.width, spec.mixer.heads, dropout=spec.attention_dropout, fused=True)
        self.feedforward = FeedForward(spec.width, spec.feedforward, spec.dropout)
        self.mixer_norm, self.cross_norm, self.feedforward_norm = (nn.LayerNorm(spec.width) for _ in range(3))

    def forward(self, x: Float[Tensor, "b t d"], told: Float[Tensor, "b s d"]) -> Float[Tensor, "b t d"]:
        x = self.mixer_norm(x + self.dropout(self.mixer(x)))
        x = self.cross_norm(x + self.dropout(self.cross(x, told)))
        return self.feedforward_norm(x + self.feedforward(x))


class Halving(nn.Module):
    """Distilling: a convolution of three rows, normalisation, ELU, and the largest of every three, every second one.

    t rows become ⌈t/2⌉. The convolution is circular, as published: the last row and the first are neighbours.
    """

    def __init__(self, width: int):
        super().__init__()
        self.convolution = nn.Conv1d(width, width, 3, padding=1, padding_mode="circular")
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b s d"]:
        return F.max_pool1d(F.elu(self.norm(self.convolution(x.mT))), 3, stride=2, padding=1).mT
