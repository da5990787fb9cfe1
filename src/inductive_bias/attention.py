"""Recurrence inside attention: encoding matrices (REM), self-attention with recurrence (RSA), linear RNNs as heads.

Torch and the package's few bare libraries, usable on their own::

    layer = RSAttention(256, heads=8)          # [b, t, 256] -> [b, t, 256]
    y, cache = layer.prefill(prompt)           # then token by token: layer.step(x, cache)

The layers live in :mod:`inductive_bias.layers`; these are the ones that other projects import.
"""

from inductive_bias.layers import (
    LSTM,
    REM,
    ALiBiAttention,
    Cache,
    Heads,
    LinearRNN,
    NearlyDefectiveWarning,
    PlainAttention,
    REMOnly,
    RSAttention,
    ToeplitzAttention,
    apply_rem,
    decompose,
    kernel,
    kernel_status,
    recompose,
    rem_lags,
    rem_matrix,
)

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
    "kernel",
    "kernel_status",
    "recompose",
    "rem_lags",
    "rem_matrix",
]
