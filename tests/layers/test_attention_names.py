"""What other projects import from ``inductive_bias.attention`` stays there."""

import torch

from inductive_bias import attention, layers

NAMES = {
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
}


def test_the_names_are_those_of_the_layers():
    assert set(attention.__all__) == NAMES
    assert all(getattr(attention, name) is getattr(layers, name) for name in NAMES)


def test_the_example_of_its_text_runs():
    layer = attention.RSAttention(256, heads=8)
    y, cache = layer.prefill(torch.randn(1, 5, 256))
    assert y.shape == (1, 5, 256)
    assert layer.step(torch.randn(1, 256), cache)[0].shape == (1, 256)
