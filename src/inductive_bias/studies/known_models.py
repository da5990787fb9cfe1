"""The models that a profile stands beside: thirty-five of known kinds, most of them with about equally many weights."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from inductive_bias.layers import (
    ALiBiSpec,
    AttentionSpec,
    LinearRNNSpec,
    LSTMLayerSpec,
    RelativeSpec,
    REMSpec,
    RoPESpec,
    RSASpec,
    StableLSTM,
    ToeplitzSpec,
    WindowSpec,
)
from inductive_bias.layers.base import MixerSpec
from inductive_bias.models import GatedConvolutionSpec, MixingSpec, RecurrentSpec, TCNSpec, WindowMLPSpec
from inductive_bias.studies.parameter_matching import match_parameters
from inductive_bias.tasks.image_probes import SIZE
from inductive_bias.trials import ModelSpec

#: Families, in the order of the pages.
ATTENTION, RECURRENCE_INSIDE, RECURRENT, CONVOLUTION = FAMILIES = (
    "attention",
    "recurrence inside attention",
    "recurrent",
    "convolution",
)
#: Weights of a usual member, of a small one, and of a large one.
WEIGHTS, SMALL, LARGE = 20_000, 5_000, 100_000
#: Tokens and answers of the task by which widths are found; tasks differ by some hundreds of weights.
DIMENSIONS = {"vocabulary": 20, "outputs": 8}
#: The same of a task of images.
IMAGE_DIMENSIONS = {"image": (1, SIZE, SIZE), "classes": 6}
#: The longest sequence that any probe has: a free matrix is as large.
LONGEST = 128


@dataclass(frozen=True)
class Member:
    """One model of the population.

    Attributes:
        name: on pages and in tables.
        family: one of :data:`FAMILIES`.
        make: from a width to its settings.
        weights: about so many; the width is the multiple of ``step`` that comes nearest.
        step: what the width is a multiple of.
        images: whether it is a model of images.
    """

    name: str
    family: str
    make: Callable[[int], ModelSpec]
    weights: int = WEIGHTS
    step: int = 4
    images: bool = False

    def spec(self, weights: int | None = None) -> ModelSpec:
        """The settings at the width that comes nearest to the weights."""
        return _matched(self.make, weights or self.weights, self.step, self.images)


@lru_cache(maxsize=256)
def _matched(make: Callable[[int], ModelSpec], weights: int, step: int, images: bool) -> ModelSpec:
    return match_parameters(make, weights, IMAGE_DIMENSIONS if images else DIMENSIONS, step=step)


def mixing(mixer: MixerSpec, *, layers: int = 2, positions: str = "none", feedforward: int = 2) -> Callable:
    """Blocks with a mixer as a function of their width: the model that a layer of one's own is put into."""
    return lambda width: MixingSpec(
        mixer=mixer, layers=layers, positions=positions, feedforward=feedforward, width=width
    )


POPULATION: tuple[Member, ...] = (
    Member("Attention", ATTENTION, mixing(AttentionSpec())),
    Member("Attention, sinusoidal", ATTENTION, mixing(AttentionSpec(), positions="sinusoidal")),
    Member("Attention, ALiBi", ATTENTION, mixing(ALiBiSpec())),
    # heads of rotary positions have an even width
    Member("Attention, RoPE", ATTENTION, mixing(RoPESpec()), step=8),
    Member("Attention, Transformer-XL", ATTENTION, mixing(RelativeSpec()), step=8),
    Member("Attention, window", ATTENTION, mixing(WindowSpec(window=8))),
    Member("Attention, 1 layer", ATTENTION, mixing(AttentionSpec(), layers=1)),
    Member("Attention, RoPE, 1 layer", ATTENTION, mixing(RoPESpec(), layers=1), step=8),
    Member("Attention, mixers alone", ATTENTION, mixing(AttentionSpec(), feedforward=0)),
    Member("Attention, RoPE, small", ATTENTION, mixing(RoPESpec()), weights=SMALL, step=8),
    Member("Attention, RoPE, large", ATTENTION, mixing(RoPESpec()), weights=LARGE, step=8),
    Member("Free Toeplitz", RECURRENCE_INSIDE, mixing(ToeplitzSpec(length=LONGEST))),
    Member("RSA", RECURRENCE_INSIDE, mixing(RSASpec())),
    Member("RSA, sinusoidal", RECURRENCE_INSIDE, mixing(RSASpec(), positions="sinusoidal")),
    Member("RSA, 1 layer", RECURRENCE_INSIDE, mixing(RSASpec(), layers=1)),
    Member("RSA, small", RECURRENCE_INSIDE, mixing(RSASpec()), weights=SMALL),
    Member("RSA, large", RECURRENCE_INSIDE, mixing(RSASpec()), weights=LARGE),
    Member("REM only", RECURRENCE_INSIDE, mixing(REMSpec())),
    Member("Linear RNN", RECURRENT, mixing(LinearRNNSpec())),
    Member("Linear RNN, 1 layer", RECURRENT, mixing(LinearRNNSpec(), layers=1)),
    Member("Linear RNN, mixers alone", RECURRENT, mixing(LinearRNNSpec(), feedforward=0)),
    Member("Linear RNN, small", RECURRENT, mixing(LinearRNNSpec()), weights=SMALL),
    Member("Linear RNN, large", RECURRENT, mixing(LinearRNNSpec()), weights=LARGE),
    Member("LSTM", RECURRENT, mixing(LSTMLayerSpec())),
    Member("LSTM, 1 layer", RECURRENT, mixing(LSTMLayerSpec(), layers=1)),
    Member("LSTM, mixers alone", RECURRENT, mixing(LSTMLayerSpec(), feedforward=0)),
    Member("LSTM, small", RECURRENT, mixing(LSTMLayerSpec()), weights=SMALL),
    Member("LSTM, large", RECURRENT, mixing(LSTMLayerSpec()), weights=LARGE),
    Member("plain LSTM", RECURRENT, lambda width: RecurrentSpec(cell="lstm", states=width, embedding=width)),
    Member("plain GRU", RECURRENT, lambda width: RecurrentSpec(cell="gru", states=width, embedding=width)),
    Member("plain tanh RNN", RECURRENT, lambda width: RecurrentSpec(cell="tanh", states=width, embedding=width)),
    Member(
        "stable LSTM",
        RECURRENT,
        lambda width: RecurrentSpec(cell="lstm", states=width, embedding=width, constraint=StableLSTM(forget=0.9)),
    ),
    Member("TCN", CONVOLUTION, lambda width: TCNSpec(levels=3, kernel=3, width=width, embedding=width, dropout=0.0)),
    Member("Gated CNN", CONVOLUTION, lambda width: GatedConvolutionSpec(layers=4, kernel=4, width=width)),
    # a convolution of one layer: the last sixteen tokens, and nothing before them
    Member("MLP on a window", CONVOLUTION, lambda width: WindowMLPSpec(window=16, width=width)),
)
BY_NAME: dict[str, Member] = {member.name: member for member in POPULATION}
