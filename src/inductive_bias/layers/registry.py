"""Every mixer that a model of exchangeable mixers may have: a new one is its own file and one line here."""

from functools import reduce
from operator import or_
from typing import Annotated

from pydantic import Field

from inductive_bias.layers.alibi import ALiBiSpec
from inductive_bias.layers.attention import AttentionSpec
from inductive_bias.layers.linear_rnn import LinearRNNSpec
from inductive_bias.layers.lstm import LSTMLayerSpec
from inductive_bias.layers.relative import RelativeSpec
from inductive_bias.layers.rem_only import REMSpec
from inductive_bias.layers.rotary import RoPESpec
from inductive_bias.layers.rsa import RSASpec
from inductive_bias.layers.toeplitz import ToeplitzSpec
from inductive_bias.layers.window import WindowSpec

#: In the order of the pages: attention, position matrices, recurrent layers.
MIXERS = (
    AttentionSpec,
    ALiBiSpec,
    RoPESpec,
    RelativeSpec,
    WindowSpec,
    RSASpec,
    REMSpec,
    ToeplitzSpec,
    LinearRNNSpec,
    LSTMLayerSpec,
)
#: The settings of one of them, told apart by ``kind``.
Mixer = Annotated[reduce(or_, MIXERS), Field(discriminator="kind")]
