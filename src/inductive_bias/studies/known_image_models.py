"""The models of images that a profile stands beside: perceptrons, convolutions, and mixers of patches."""

from collections.abc import Callable
from functools import partial

from inductive_bias.layers import AttentionSpec, LSTMLayerSpec, RSASpec
from inductive_bias.layers.base import HeadSpec, MixerSpec
from inductive_bias.models import CNNSpec, MixingSpec, MLPSpec, PatchSpec
from inductive_bias.studies.known_models import SMALL, Member

#: Families, in the order of the pages.
PERCEPTRON, POOLED, UNPOOLED, PATCHES = IMAGE_FAMILIES = (
    "perceptron",
    "convolution, averaged",
    "convolution, not averaged",
    "patches",
)


def perceptron(layers: int) -> Callable[[int], MLPSpec]:
    """Hidden layers of one width, without dropout and penalties: the architecture alone differs."""
    return lambda width: MLPSpec(widths=(width,) * layers, dropout=0.0, l1=0.0, l2=0.0)


def convolution(pools: tuple[int, ...], *, readout: str = "average") -> Callable[[int], CNNSpec]:
    """A block for every entry of ``pools``, all with as many maps, without dropout and penalties."""
    blocks = len(pools)
    return lambda width: CNNSpec(
        filters=(width,) * blocks, units=(width,) * blocks, pools=pools, dropout=0.0, l1=0.0, l2=0.0, readout=readout
    )


def patches(mixer: MixerSpec) -> Callable[[int], PatchSpec]:
    """Two blocks over patches of four by four pixels, with sinusoidal positions: what mixes the patches alone differs.

    Heads see all patches. An LSTM sees those before each, in rows from the upper left; answers are averaged over all.
    """
    sees_all = isinstance(mixer, HeadSpec)
    return lambda width: PatchSpec(
        sequence=MixingSpec(mixer=mixer, positions="sinusoidal", causal=not sees_all, feedforward=2, width=width)
    )


_member = partial(Member, images=True)
IMAGE_POPULATION: tuple[Member, ...] = (
    _member("MLP", PERCEPTRON, perceptron(2)),
    _member("MLP, 1 layer", PERCEPTRON, perceptron(1)),
    _member("MLP, small", PERCEPTRON, perceptron(2), weights=SMALL),
    _member("CNN", POOLED, convolution((2, 2, 1))),
    _member("CNN, small", POOLED, convolution((2, 2, 1)), weights=SMALL, step=2),
    _member("CNN, flat", UNPOOLED, convolution((2, 2, 1), readout="flat"), step=2),
    _member("Attention, patches", PATCHES, patches(AttentionSpec())),
    _member("RSA, patches", PATCHES, patches(RSASpec())),
    _member("LSTM, patches", PATCHES, patches(LSTMLayerSpec())),
)
IMAGE_MODELS: dict[str, Member] = {member.name: member for member in IMAGE_POPULATION}
