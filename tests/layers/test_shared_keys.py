"""Heads of queries that share keys and values: the reference has them repeated in its weights."""

import pytest
import torch
from torch import nn

from inductive_bias.layers import (
    ALiBiAttention,
    AttentionSpec,
    ConvolvedQueries,
    PlainAttention,
    RelativeAttention,
    RoPESpec,
    RotaryPositions,
    RSASpec,
    RSAttention,
    ToeplitzAttention,
    ToeplitzSpec,
    WindowAttention,
)
from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.registry import MIXERS
from inductive_bias.trials import canonical
from tests.layers.test_every_layer import tokens

MAKE = {
    "rsa": lambda **options: RSAttention(12, 6, gate="head", **options),
    "rsa, plain heads": lambda **options: RSAttention(12, 6, plain=1, **options),
    "plain": lambda **options: PlainAttention(12, 6, **options),
    "alibi": lambda **options: ALiBiAttention(12, 6, **options),
    "rope": lambda **options: PlainAttention(12, 6, positions=RotaryPositions(2), **options),
    "relative": lambda **options: RelativeAttention(12, 6, **options),
    "window": lambda **options: WindowAttention(12, 6, window=4, **options),
    "toeplitz": lambda **options: ToeplitzAttention(12, 6, length=20, **options),
}
every_layer = pytest.mark.parametrize("name", MAKE)
every_number = pytest.mark.parametrize("kv_heads", [1, 2, 3])


def repeated(weight, kv_heads):
    """Rows of queries, and those of keys and values once for each head of queries."""
    parts = weight.split([12, 2 * kv_heads, 2 * kv_heads])
    others = [part.unflatten(0, (kv_heads, 2)).repeat_interleave(6 // kv_heads, 0).flatten(0, 1) for part in parts[1:]]
    return torch.cat([parts[0], *others])


def pair(name, kv_heads, **options):
    """A layer with shared keys and values, and one of as many heads whose weights are the same repeated."""
    torch.manual_seed(0)
    shared = MAKE[name](kv_heads=kv_heads, **options).double()
    if name == "toeplitz":
        nn.init.normal_(shared.lags)
    own = MAKE[name](**options).double()
    state = shared.state_dict()
    for each in ("weight", "bias"):
        state[f"query_key_value.{each}"] = repeated(state[f"query_key_value.{each}"], kv_heads)
    own.load_state_dict(state)
    return shared, own


@every_layer
@every_number
@pytest.mark.parametrize("causal", [True, False])
def test_shared_keys_and_values_are_repeated_ones_in_value_and_gradient(name, kv_heads, causal):
    (shared, own), x = pair(name, kv_heads, causal=causal), tokens().requires_grad_()
    mask = torch.ones(2, 11, dtype=torch.bool)
    mask[1, 7:] = False
    grads = []
    for layer in (shared, own):
        out = layer(x, mask)[mask]
        grads.append(torch.autograd.grad(out.pow(3).sum(), [x, layer.query_key_value.weight, layer.output.weight]))
        if layer is shared:
            ours = out
    torch.testing.assert_close(ours, out)
    torch.testing.assert_close(grads[0][0], grads[1][0])
    torch.testing.assert_close(grads[0][2], grads[1][2])
    # a shared weight has the sum of the gradients of its copies
    parts = grads[1][1].split(12)
    summed = [part.unflatten(0, (kv_heads, 6 // kv_heads, 2)).sum(1).flatten(0, 1) for part in parts[1:]]
    torch.testing.assert_close(grads[0][1], torch.cat([parts[0], *summed]))


@every_layer
def test_they_have_memories_units_steps_and_states_too(name):
    (shared, own), x = pair(name, 2), tokens(12)
    torch.testing.assert_close(shared(x[:, 4:], memory=x[:, :4]), own(x[:, 4:], memory=x[:, :4]))
    torch.testing.assert_close(shared.in_units(x, 4), own.in_units(x, 4))
    want = own(x)
    out, cache = shared.prefill(x[:, :4])
    torch.testing.assert_close(out, want[:, :4])
    assert cache.keys.shape == cache.values.shape == (2, 2, 4, 2)
    out, cache = shared.step(x[:, 4], cache)
    torch.testing.assert_close(out, want[:, 4])
    torch.testing.assert_close(shared(x[:, 5:], initial_state=cache), want[:, 5:])


def test_attention_weights_are_those_of_repeated_keys():
    (shared, own), x = pair("plain", 2), tokens()
    torch.testing.assert_close(shared.weights(x), own.weights(x))


@every_layer
def test_as_many_keys_as_heads_change_no_bit(name):
    layers = []
    for options in ({}, {"kv_heads": 6}):
        torch.manual_seed(0)
        layers.append(MAKE[name](**options))
    x = tokens().float()
    assert torch.equal(layers[0](x), layers[1](x))


def test_settings_hand_them_on_and_are_named_as_before_without_them():
    assert [
        layer(12).kv_heads for layer in (AttentionSpec(heads=6, kv_heads=2).layer, AttentionSpec(heads=6).layer)
    ] == [2, 6]
    for kind in MIXERS:
        if issubclass(kind, QuerySpec):
            given = {name: 9 for name, field in kind.model_fields.items() if field.is_required()}
            assert kind(heads=6, kv_heads=3, **given).layer(12).query_key_value.weight.shape == (24, 12)
            assert "kv_heads" not in canonical(kind(heads=6, **given))
            assert canonical(kind(heads=6, kv_heads=3, **given))["kv_heads"] == 3
    assert {RSASpec, ToeplitzSpec, RoPESpec} < {kind for kind in MIXERS if issubclass(kind, QuerySpec)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kv_heads": 4}, "kv_heads must divide heads=6, not 4"),
        ({"kv_heads": 12}, "kv_heads must divide heads=6, not 12"),
        ({"kv_heads": 0}, "kv_heads must be an integer of at least 1, not 0"),
        ({"kv_heads": 3, "projection": ConvolvedQueries(12)}, "kv_heads must be None beside a projection"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PlainAttention(12, 6, **options)
