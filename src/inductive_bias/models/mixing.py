"""One causal model in which only the token mixer changes: attention, RSA, a REM, a free matrix, an RNN or an LSTM.

What a comparison of mixers needs is that all else is equal: embedding, number of layers, width, feed-forward layers and
read-out are those of :class:`MixingModel`, whatever mixes the tokens.
"""

import math
from collections.abc import Callable
from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.attention import (
    LSTM,
    ALiBiAttention,
    LinearRNN,
    PlainAttention,
    REMOnly,
    RSAttention,
    ToeplitzAttention,
)
from inductive_bias.settings import Setting

Mixer = Literal["attention", "alibi", "rsa", "rem", "toeplitz", "linear_rnn", "lstm"]

NAMES: dict[str, str] = {
    "attention": "Transformer",
    "alibi": "Transformer, ALiBi",
    "rsa": "RSA",
    "rem": "REM only",
    "toeplitz": "Free Toeplitz",
    "linear_rnn": "Linear RNN",
    "lstm": "LSTM",
}
#: Wavelengths of sinusoidal positions run from 2π to 2π times this (Vaswani et al. 2017, section 3.5).
LONGEST_WAVE = 10_000.0


class MixingSpec(Setting):
    """Choices of a :class:`MixingModel`.

    Attributes:
        mixer: what tokens learn of each other by.
        positions: added to the embeddings: ``none``, or ``sinusoidal`` ones.
        layers: blocks.
        width: of the token representations; ``heads`` divides it.
        heads: of all mixers but the two recurrent ones.
        states: of the recurrent mixers; None for ``width``.
        feedforward: width of the feed-forward layers as a multiple of ``width``; 0 leaves them out.
        dropout: on the output of mixer and feed-forward layer.
        counts: heads of the six kinds of REM (``rsa`` and ``rem``); None spreads them evenly.
        dilation: of the dilated REM heads.
        diagonal: ``zero`` or ``printed``, see :class:`~inductive_bias.attention.REM`.
        shared: one λ or (γ, θ) for all heads of a kind.
        gate: one gate a ``layer`` or a ``head`` (``rsa`` and ``toeplitz``).
        gate_logit: where μ starts; None draws it from (−3, 3), as the paper does.
        decay_start: ``paper`` (|λ| from .76 to .96, γ from .73 to .88) or ``small`` (both below .05).
        frozen: decays and angles stay as they were drawn (``rsa`` and ``rem``); the gate still learns.
        plain: so many heads are softmax attention alone (``rsa`` and ``toeplitz``).
        length: longest sequence of a free Toeplitz matrix.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "vocabulary"}),
        frozenset({"outputs", "channels"}),
    )
    causal: ClassVar[bool] = True
    kind: Literal["mixing"] = "mixing"
    mixer: Mixer = "attention"
    positions: Literal["none", "sinusoidal"] = "none"
    layers: int = Field(2, ge=1)
    width: int = Field(64, ge=1)
    heads: int = Field(4, ge=1)
    states: int | None = Field(None, ge=1)
    feedforward: int = Field(4, ge=0)
    dropout: float = Field(0.0, ge=0, lt=1)
    counts: tuple[int, int, int, int, int, int] | None = None
    dilation: int | tuple[int, ...] = 2
    diagonal: Literal["zero", "printed"] = "zero"
    shared: bool = False
    gate: Literal["layer", "head"] = "layer"
    gate_logit: float | None = None
    decay_start: Literal["paper", "small"] = "paper"
    frozen: bool = False
    plain: int = Field(0, ge=0)
    length: int | None = Field(None, ge=2)
    l1: float = Field(0.0, ge=0)
    l2: float = Field(0.0, ge=0)

    @model_validator(mode="after")
    def _fits(self) -> "MixingSpec":
        if self.width % self.heads:
            raise ValueError(f"heads={self.heads} must divide width={self.width}")
        if (self.mixer == "toeplitz") != (self.length is not None):
            raise ValueError(f"length={self.length} must be given for the mixer toeplitz and for no other one")
        if self.plain and self.mixer not in ("rsa", "toeplitz"):
            raise ValueError(f"plain={self.plain} needs the mixer rsa or toeplitz, not {self.mixer}")
        if self.frozen and self.mixer not in ("rsa", "rem"):
            raise ValueError(f"frozen=True needs the mixer rsa or rem, not {self.mixer}")
        return self

    @property
    def name(self) -> str:
        """As on the pages: ``Transformer, sinusoidal``."""
        return NAMES[self.mixer] + (", sinusoidal" if self.positions == "sinusoidal" else "")

    def build(self, *, outputs: int, vocabulary: int | None = None, channels: int | None = None) -> "MixingModel":
        """A freshly initialised model of tokens (``vocabulary``) or of real-valued sequences (``channels``).

        Raises:
            ValueError: if not exactly one of both is given.
        """
        if (vocabulary is None) == (channels is None):
            raise ValueError(f"give either vocabulary or channels, not vocabulary={vocabulary}, channels={channels}")
        embedding = nn.Linear(channels, self.width) if vocabulary is None else nn.Embedding(vocabulary, self.width)
        return MixingModel(self, embedding, outputs)

    def mixing_layer(self) -> nn.Module:
        """One freshly initialised mixer ``[b, t, width] → [b, t, width]``; it sees the past alone."""
        rem = {"dilation": self.dilation, "diagonal": self.diagonal, "shared": self.shared}
        gate = {"gate": self.gate, "gate_logit": self.gate_logit, "plain": self.plain}
        makers: dict[str, Callable[[], nn.Module]] = {
            "attention": lambda: PlainAttention(self.width, self.heads),
            "alibi": lambda: ALiBiAttention(self.width, self.heads),
            "rsa": lambda: RSAttention(self.width, self.heads, self.counts, **rem, **gate),
            "rem": lambda: REMOnly(self.width, self.heads, self.counts, **rem),
            "toeplitz": lambda: ToeplitzAttention(self.width, self.heads, length=self.length, **gate),
            "linear_rnn": lambda: LinearRNN(self.width, self.states),
            "lstm": lambda: LSTM(self.width, self.states),
        }
        layer = makers[self.mixer]()
        if self.decay_start == "small" and self.mixer in ("rsa", "rem"):
            _start_small(layer.rem)
        if self.frozen:
            layer.rem.requires_grad_(False)
        return layer


@torch.no_grad()
def _start_small(rem: nn.Module) -> None:
    """Decays that forget nearly all within a step: |λ| and γ below .05 (the ablation of claim 11 of our notes)."""
    if rem.eta is not None:
        rem.eta.uniform_(-0.05, 0.05)
    if rem.nu is not None:
        rem.nu.uniform_(-4.0, -3.0)


class MixingBlock(nn.Module):
    """Pre-norm mixer and, if there is one, feed-forward layer (GELU), each added to its input."""

    def __init__(self, spec: MixingSpec):
        super().__init__()
        self.mixer_norm = nn.LayerNorm(spec.width)
        self.mixer = spec.mixing_layer()
        self.feedforward = None
        if spec.feedforward:
            hidden = spec.feedforward * spec.width
            self.feedforward_norm = nn.LayerNorm(spec.width)
            self.feedforward = nn.Sequential(nn.Linear(spec.width, hidden), nn.GELU(), nn.Linear(hidden, spec.width))
        self.dropout = nn.Dropout(spec.dropout)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        x = x + self.dropout(self.mixer(self.mixer_norm(x)))
        if self.feedforward is None:
            return x
        return x + self.dropout(self.feedforward(self.feedforward_norm(x)))


class MixingModel(nn.Module):
    """Embedding, blocks, normalisation, and a linear read-out at every token; no token sees a later one.

    Inputs are tokens ``[b, t]`` or real values ``[b, t, channels]``. Padding on the right is never seen by what stands
    before it; outputs there have no meaning.

    Attributes:
        blocks: their ``mixer`` is the layer under comparison.
    """

    def __init__(self, spec: MixingSpec, embedding: nn.Module, outputs: int):
        super().__init__()
        self.embedding, self.sinusoidal = embedding, spec.positions == "sinusoidal"
        self.blocks = nn.ModuleList(MixingBlock(spec) for _ in range(spec.layers))
        self.norm = nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, outputs)

    def states(self, inputs: Tensor) -> Float[Tensor, "b t d"]:
        """What the read-out sees of every token."""
        x = self.embedding(inputs)
        if self.sinusoidal:
            x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def features(self, inputs: Tensor) -> Float[Tensor, "b d"]:
        """The state of the last position."""
        return self.states(inputs)[:, -1]

    def forward(self, inputs: Tensor) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs))


def sinusoidal_positions(length: int, width: int) -> Float[Tensor, "t d"]:
    """Sines and cosines of falling frequency, in turns (Vaswani et al. 2017, section 3.5)."""
    steps = torch.arange(length, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(LONGEST_WAVE) / width))
    return torch.stack((torch.sin(steps * rates), torch.cos(steps * rates)), -1).flatten(1)[:, :width]
