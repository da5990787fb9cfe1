"""Recurrence inside attention: encoding matrices (REM), self-attention with recurrence (RSA), linear RNNs as heads.

Torch alone, usable on its own::

    layer = RSAttention(256, heads=8)          # [b, t, 256] -> [b, t, 256]
    y, cache = layer.prefill(prompt)           # then token by token: layer.step(x, cache)
"""

from inductive_bias.attention.baselines import ALiBiAttention, PlainAttention, REMOnly, ToeplitzAttention
from inductive_bias.attention.chunked import apply_rem
from inductive_bias.attention.decomposition import Heads, NearlyDefectiveWarning, decompose, recompose
from inductive_bias.attention.heads import Cache
from inductive_bias.attention.lags import rem_lags, rem_matrix
from inductive_bias.attention.rem import REM
from inductive_bias.attention.rnn import LSTM, LinearRNN
from inductive_bias.attention.rsa import RSAttention

__all__ = [
    "LSTM",
    "REM",
    "ALiBiAttention",
    "Cache",
    "Heads",
    "LinearRNN",
    "NearlyDefectiveWarning",
    "PlainAttention",
    "REMOnly",
    "RSAttention",
    "ToeplitzAttention",
    "apply_rem",
    "decompose",
    "recompose",
    "rem_lags",
    "rem_matrix",
]
