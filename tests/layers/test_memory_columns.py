"""Tokens before a sequence that are seen and get no results; relative positions against loops."""

import math
from itertools import pairwise

import pytest
import torch

from inductive_bias.layers import (
    ALiBiAttention,
    PlainAttention,
    RelativeAttention,
    RelativePositions,
    RotaryPositions,
    RSAttention,
    ToeplitzAttention,
    WindowAttention,
)
from inductive_bias.layers.relative import distance_waves, shifted
from tests.hostile import refused
from tests.layers.naive import gradients, naive_matrix

LAYERS = {
    "attention": lambda **options: PlainAttention(12, 6, **options),
    "alibi": lambda **options: ALiBiAttention(12, 6, **options),
    "rope": lambda **options: PlainAttention(12, 6, positions=RotaryPositions(2), **options),
    "relative": lambda **options: RelativeAttention(12, 6, **options),
    "window": lambda **options: WindowAttention(12, 6, window=8, **options),
    "rsa": lambda **options: RSAttention(12, 6, (1, 1, 1, 1, 1, 1), dilation=3, **options),
    "toeplitz": lambda **options: ToeplitzAttention(12, 6, length=40, **options),
    "some plain": lambda **options: RSAttention(12, 6, (0, 1, 1, 0, 1, 1), plain=2, **options),
}
every_layer = pytest.mark.parametrize("make", LAYERS.values(), ids=LAYERS)


def tokens(t, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(2, t, 12, dtype=torch.float64, generator=rng).requires_grad_()


@every_layer
@pytest.mark.parametrize("causal", [True, False], ids=["causal", "bidirectional"])
@pytest.mark.parametrize(("m", "t"), [(1, 1), (3, 1), (1, 7), (9, 4)])
def test_with_a_memory_results_are_the_last_of_the_whole_sequence(make, m, t, causal):
    torch.manual_seed(0)
    layer, memory, x = make(causal=causal).double(), tokens(m, 1), tokens(t)
    ours, want = layer(x, memory=memory), layer(torch.cat((memory, x), 1))[:, m:]
    torch.testing.assert_close(ours, want)
    leaves = [x, memory, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@pytest.mark.parametrize(("m", "t"), [(1, 1), (5, 3), (2, 9)])
def test_a_rem_of_memory_columns_is_the_bottom_of_the_whole_matrix(m, t):
    torch.manual_seed(0)
    layer, memory, x = LAYERS["rsa"]().double(), tokens(m, 1), tokens(t)
    whole = torch.cat((memory, x), 1)
    q, k, v = (part.unflatten(2, (6, 2)).transpose(1, 2) for part in layer.query_key_value(whole).split(12, 2))
    rem, gate = layer.rem, layer.mu.sigmoid()
    matrix = naive_matrix(rem.kinds, rem.decay, rem.angle, m + t, rem.dilations)[:, m:]
    scores = (q[:, :, m:] @ k.mT / math.sqrt(2)).masked_fill(torch.ones(t, m + t).triu(m + 1).bool(), -torch.inf)
    want = layer.output((((1 - gate) * scores.softmax(-1) + gate * matrix) @ v).transpose(1, 2).flatten(2))
    ours, leaves = layer(x, memory=memory), [x, memory, *layer.parameters()]
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@every_layer
def test_a_detached_memory_carries_no_gradient_and_a_changed_one_changes_results(make):
    torch.manual_seed(0)
    layer, memory, x = make().double(), tokens(3, 1), tokens(5)
    layer(x, memory=memory.detach()).sum().backward()
    assert memory.grad is None
    assert not torch.allclose(layer(x, memory=memory), layer(x, memory=memory + 1))
    assert not torch.allclose(layer(x, memory=memory), layer(x))


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (torch.zeros(2, 3, 11), "memory must be"),
        (torch.zeros(1, 3, 12), "memory must be"),
        (torch.zeros(2, 12), "must be"),
    ],
)
def test_memories_that_do_not_fit_are_refused(memory, message):
    refused(PlainAttention(12, 6), message, torch.zeros(2, 5, 12), memory=memory)


def test_memory_beside_padding_is_refused():
    with pytest.raises(ValueError, match="memory and a mask of padding"):
        PlainAttention(12, 6)(torch.zeros(2, 5, 12), torch.ones(2, 5, dtype=torch.bool), torch.zeros(2, 3, 12))


def naive_relative(layer, q, k, v):
    """One score at a time, from Dai et al. 2019, section 3.3."""
    (b, h, t, d), n = q.shape, k.shape[2]
    out = torch.zeros_like(q)
    for one in range(b):
        for head in range(h):
            rows = []
            for i in range(t):
                scores = []
                first = 0 if layer.window is None else max(0, n - t + i + 1 - layer.window)
                for j in range(first, n - t + i + 1):
                    r = layer.distance(distance_waves(torch.tensor([n - t + i - j]), h * d).double())[0]
                    r = r[head * d : (head + 1) * d]
                    content = (q[one, head, i] + layer.content_bias[head]) @ k[one, head, j]
                    scores.append((content + (q[one, head, i] + layer.distance_bias[head]) @ r) / math.sqrt(d))
                rows.append(torch.stack(scores).softmax(0) @ v[one, head, first : first + len(scores)])
            out[one, head] = torch.stack(rows)
    return out


@pytest.mark.parametrize("window", [None, 1, 3])
@pytest.mark.parametrize(("t", "n"), [(1, 1), (1, 4), (5, 5), (3, 7)])
def test_relative_positions_are_their_naive_twin_in_value_and_gradient(t, n, window):
    torch.manual_seed(0)
    layer = RelativePositions(6, 2, window=window).double()
    torch.nn.init.normal_(layer.content_bias)
    torch.nn.init.normal_(layer.distance_bias)
    q, k, v = (torch.randn(2, 2, size, 3, dtype=torch.float64).requires_grad_() for size in (t, n, n))
    ours, want = layer(q, k, v, causal=True), naive_relative(layer, q, k, v)
    torch.testing.assert_close(ours, want)
    leaves = [q, k, v, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@every_layer
@pytest.mark.parametrize("units", [2, 4])
def test_units_are_each_with_the_one_before_it_as_memory(make, units):
    torch.manual_seed(0)
    layer, x = make().double(), tokens(3 * units)
    parts = x.split(3, 1)
    ours = layer.in_units(x, 3)
    want = torch.cat([layer(each, memory=before) for before, each in pairwise(parts)], 1)
    torch.testing.assert_close(ours, want)
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))
    for length in (3, 7):
        with pytest.raises(ValueError, match="whole units of 3 tokens"):
            layer.in_units(tokens(length), 3)


def test_scores_by_distance_move_to_their_keys():
    t, n = 3, 5
    by_distance = torch.arange(n - 1, -1, -1.0).expand(1, 1, t, n)
    found = shifted(by_distance)[0, 0]
    for i in range(t):
        for j in range(n - t + i + 1):
            assert found[i, j] == n - t + i - j


def test_only_the_distance_matters():
    torch.manual_seed(0)
    layer, x = PlainAttention(12, 6, attention=RelativePositions(12, 6)).double(), tokens(8)
    torch.testing.assert_close(layer(x[:, 3:], memory=x[:, :3]), layer(x)[:, 3:])
    alone = layer(x[:, 2:])
    torch.testing.assert_close(alone[:, 0], layer(x[:, 2:3])[:, 0])


def test_waves_are_sines_then_cosines_and_what_cannot_be_is_refused():
    waves = distance_waves(torch.arange(4), 4)
    torch.testing.assert_close(waves[:, 0], torch.arange(4.0).sin())
    torch.testing.assert_close(waves[:, 3], (torch.arange(4.0) / 100).cos())
    assert distance_waves(torch.arange(4), 5).shape == (4, 5)
    with pytest.raises(ValueError, match="heads must divide width=6, not 4"):
        RelativePositions(6, 4)
    with pytest.raises(ValueError, match="causal must be True"):
        RelativePositions(6, 2)(*[torch.zeros(1, 2, 3, 3)] * 3, causal=False)
    with pytest.raises(ValueError, match="window must be an integer of at least 1, not 0"):
        RelativePositions(6, 2, window=0)
