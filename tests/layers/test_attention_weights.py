"""Softmax weights written out, against what the fused kernel makes of them."""

import pytest
import torch

from inductive_bias.layers.attention import PlainAttention


@pytest.mark.parametrize("length", [1, 7])
@pytest.mark.parametrize("causal", [True, False], ids=["causal", "both ways"])
def test_weights_times_values_is_the_layer(length, causal):
    torch.manual_seed(0)
    layer = PlainAttention(12, 3, causal=causal).double()
    x = torch.randn(2, length, 12, dtype=torch.float64)
    weights = layer.weights(x)
    assert weights.shape == (2, 3, length, length)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, length).double())
    values = layer.query_key_value(x)[..., 24:].unflatten(-1, (3, 4)).transpose(1, 2)
    torch.testing.assert_close(layer.output((weights @ values).transpose(1, 2).flatten(2)), layer(x))
    if causal:
        assert weights.triu(1).abs().max() == 0
