"""What mixes tokens, each layer with its settings beside it: attention, REM, RSA, free matrices, linear RNN, LSTM.

The layers need torch alone and no settings::

    layer = RSAttention(256, heads=8)          # [b, t, 256] -> [b, t, 256]
    y, cache = layer.prefill(prompt)           # then token by token: layer.step(x, cache)
    run_packed(layer, x, cu_seqlens)           # sequences one behind another in [1, total, 256]

Settings make the same layer: ``RSASpec(heads=8).layer(256)``. What computes a REM is told, and may be chosen, by
``kernel_status()`` and ``with kernel(False)`` (:mod:`~inductive_bias.layers.kernels`).
"""

from inductive_bias.layers.alibi import ALiBiAttention, ALiBiSpec
from inductive_bias.layers.attention import AttentionSpec, PlainAttention
from inductive_bias.layers.chunked import apply_rem
from inductive_bias.layers.contraction import certified_contraction
from inductive_bias.layers.cross_attention import BlockRecurrence, CrossAttention
from inductive_bias.layers.decomposition import Heads, NearlyDefectiveWarning, decompose, recompose
from inductive_bias.layers.heads import Cache
from inductive_bias.layers.kernels import kernel, kernel_status
from inductive_bias.layers.lags import rem_lags, rem_matrix
from inductive_bias.layers.linear_rnn import LinearRNN, LinearRNNSpec
from inductive_bias.layers.lstm import LSTM, LSTMLayerSpec
from inductive_bias.layers.packed import run_packed
from inductive_bias.layers.registry import MIXERS, Mixer
from inductive_bias.layers.relative import RelativeAttention, RelativePositions, RelativeSpec
from inductive_bias.layers.rem import REM
from inductive_bias.layers.rem_only import REMOnly, REMSpec
from inductive_bias.layers.rotary import RoPESpec, RotaryPositions
from inductive_bias.layers.rsa import RSASpec, RSAttention
from inductive_bias.layers.sparse import ConvolvedQueries, LogSparse, ProbSparse
from inductive_bias.layers.stable import StableLSTM, StableRNN
from inductive_bias.layers.toeplitz import ToeplitzAttention, ToeplitzSpec
from inductive_bias.layers.window import WindowAttention, WindowSpec

__all__ = [
    "LSTM",
    "MIXERS",
    "REM",
    "ALiBiAttention",
    "ALiBiSpec",
    "AttentionSpec",
    "BlockRecurrence",
    "Cache",
    "ConvolvedQueries",
    "CrossAttention",
    "Heads",
    "LSTMLayerSpec",
    "LinearRNN",
    "LinearRNNSpec",
    "LogSparse",
    "Mixer",
    "NearlyDefectiveWarning",
    "PlainAttention",
    "ProbSparse",
    "REMOnly",
    "REMSpec",
    "RSASpec",
    "RSAttention",
    "RelativeAttention",
    "RelativePositions",
    "RelativeSpec",
    "RoPESpec",
    "RotaryPositions",
    "StableLSTM",
    "StableRNN",
    "ToeplitzAttention",
    "ToeplitzSpec",
    "WindowAttention",
    "WindowSpec",
    "apply_rem",
    "certified_contraction",
    "decompose",
    "kernel",
    "kernel_status",
    "recompose",
    "rem_lags",
    "rem_matrix",
    "run_packed",
]
