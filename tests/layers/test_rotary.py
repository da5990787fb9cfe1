"""Rotary positions against complex numbers, a window against a loop, relative positions in both directions."""

import cmath
import math

import pytest
import torch

from inductive_bias.layers import PlainAttention, RelativeAttention, RotaryPositions, RSAttention, WindowAttention
from inductive_bias.layers.relative import distance_waves
from tests.layers.naive import gradients


def random(*shape, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=rng).requires_grad_()


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize("width", [2, 4, 5, 7])
@pytest.mark.parametrize("t", [1, 6])
def test_pairs_of_channels_are_complex_numbers_that_turn(t, width, first):
    x, pairs = random(2, 3, t, width), width // 2
    turns = [[cmath.exp(1j * (first + m) * 10_000 ** (-2 * i / width)) for i in range(pairs)] for m in range(t)]
    complexes = torch.view_as_complex(x[..., : 2 * pairs].reshape(2, 3, t, pairs, 2).contiguous())
    turned = torch.view_as_real(complexes * torch.tensor(turns, dtype=torch.complex128)).flatten(3)
    want = torch.cat((turned, x[..., 2 * pairs :]), 3)
    ours = RotaryPositions(width)(x, first)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, [x]), gradients(want, [x]))


def test_products_know_the_distance_and_not_the_place():
    q, k, turn = random(1, 1, 1, 8), random(1, 1, 1, 8, seed=1), RotaryPositions(8)
    products = {(m, n): float((turn(q, m) @ turn(k, n).mT).detach()) for m in range(6) for n in range(6)}
    for m in range(5):
        for n in range(5):
            assert math.isclose(products[m, n], products[m + 1, n + 1], rel_tol=1e-9, abs_tol=1e-9)
    assert not math.isclose(products[2, 0], products[0, 2])


def test_lengths_stay_and_the_first_token_does_not_turn():
    x, turn = random(2, 2, 9, 6), RotaryPositions(6)
    torch.testing.assert_close(turn(x, 3).norm(dim=3), x.norm(dim=3))
    assert torch.equal(turn(x, 0)[:, :, 0], x[:, :, 0])


@pytest.mark.parametrize("layer", [PlainAttention, RSAttention])
def test_moving_all_tokens_changes_nothing(layer):
    torch.manual_seed(0)
    one, x = layer(12, 2, positions=RotaryPositions(6)).double(), random(2, 7, 12)
    want = one(x)
    q, k, v = one._split(x, 11)
    torch.testing.assert_close(one._join(one.mix(q, k, v, None)), want)


def test_far_places_are_exact_enough_in_float32():
    x, turn = torch.randn(1, 1, 1, 16), RotaryPositions(16)
    torch.testing.assert_close(turn(x, 500).double(), turn(x.double(), 500), atol=1e-3, rtol=1e-3)


def test_widths_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="must be an integer of at least 2, not 1"):
        RotaryPositions(1)
    with pytest.raises(ValueError, match="heads must have width=4, not 6"):
        PlainAttention(12, 2, positions=RotaryPositions(4))(torch.zeros(1, 3, 12))


def loop(layer, x, sees, extra=None):
    """Softmax over the keys that ``sees(i, j)``, one query at a time; ``extra(head, q, i, j)`` is added to a score."""
    b, t, width = x.shape
    d = width // layer.heads
    q, k, v = (part.view(b, t, layer.heads, d) for part in layer.query_key_value(x).split(width, 2))
    rows = []
    for one in range(b):
        for i in range(t):
            parts = []
            for head in range(layer.heads):
                keys = [j for j in range(t) if sees(i, j)]
                scores = torch.stack(
                    [
                        (
                            q[one, i, head] @ k[one, j, head]
                            + (extra(head, q[one, i, head], k[one, j, head], i - j) if extra else 0)
                        )
                        / math.sqrt(d)
                        for j in keys
                    ]
                )
                parts.append(scores.softmax(0) @ v[one, keys, head])
            rows.append(torch.cat(parts))
    return layer.output(torch.stack(rows).view(b, t, width))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("window", "t"), [(1, 1), (1, 5), (3, 7), (4, 3), (20, 6)])
def test_a_window_is_its_naive_twin_in_value_and_gradient(window, t, causal):
    torch.manual_seed(0)
    layer, x = WindowAttention(6, 2, window=window, causal=causal).double(), random(2, t, 6)
    ours = layer(x)
    want = loop(layer, x, lambda i, j: abs(i - j) < window and (j <= i or not causal))
    torch.testing.assert_close(ours, want)
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_a_window_without_a_key_is_refused():
    with pytest.raises(ValueError, match="window must be an integer of at least 1, not 0"):
        WindowAttention(6, 2, window=0)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("t", [1, 2, 5])
def test_relative_attention_is_its_naive_twin_in_both_directions(t, causal):
    torch.manual_seed(0)
    layer, x = RelativeAttention(6, 2, causal=causal).double(), random(2, t, 6)
    relative = layer.relative
    for bias in (relative.content_bias, relative.distance_bias):
        torch.nn.init.normal_(bias)

    def extra(head, q, k, distance):
        far = relative.distance(distance_waves(torch.tensor([distance]), 6).double())[0, 3 * head : 3 * head + 3]
        return relative.content_bias[head] @ k + (q + relative.distance_bias[head]) @ far

    ours, want = layer(x), loop(layer, x, lambda i, j: j <= i or not causal, extra)
    torch.testing.assert_close(ours, want)
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_relative_attention_is_plain_attention_with_relative_positions():
    torch.manual_seed(0)
    layer = RelativeAttention(12, 3).double()
    other = PlainAttention(12, 3, attention=layer.relative).double()
    other.load_state_dict({name.replace("relative.", "attention."): x for name, x in layer.state_dict().items()})
    x = random(2, 9, 12)
    torch.testing.assert_close(layer(x), other(x))
