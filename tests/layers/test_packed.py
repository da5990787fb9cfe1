"""Sequences packed into one row: the reference is every sequence alone, in value and gradient."""

import pytest
import torch
from torch import nn

from inductive_bias.layers import (
    LogSparse,
    PlainAttention,
    ProbSparse,
    RSAttention,
    apply_rem,
    kernel,
    rem_matrix,
    run_packed,
)
from inductive_bias.layers.packed import SPREAD, batches
from inductive_bias.models.mixer_model import MixingSpec
from tests.hostile import refused
from tests.layers.naive import example, gradients
from tests.layers.test_every_layer import LAYERS, TWO_WAY, every_layer, made, tokens

#: Of length 1, empty, repeated and odd ones, in no order.
LENGTHS = (3, 1, 0, 9, 4, 4, 1, 7)
BOUNDS = torch.tensor((0, *LENGTHS)).cumsum(0)
every_layer_that_looks_both_ways = pytest.mark.parametrize(
    "name", [name for name, make in LAYERS.items() if type(make()) in TWO_WAY]
)


def one_by_one(layer, x, dim=1):
    return torch.cat([layer(each) for each in x.split(LENGTHS, dim) if each.shape[dim]], dim)


def same(layer, x, **options):
    """The packed row's values and gradients are those of the sequences alone."""
    ours, want = run_packed(layer, x, BOUNDS, **options), one_by_one(layer, x)
    torch.testing.assert_close(ours, want)
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def row():
    return tokens(sum(LENGTHS), 1).requires_grad_()


@every_layer
def test_packed_sequences_are_each_sequence_alone(name):
    same(made(name), row())


@every_layer_that_looks_both_ways
def test_packed_sequences_may_be_looked_at_both_ways(name):
    same(made(name, causal=False), row())


@every_layer
def test_no_sequence_sees_another(name):
    layer, x = made(name), row()
    out = run_packed(layer, x, BOUNDS)
    start, end = int(BOUNDS[3]), int(BOUNDS[4])
    (grad,) = torch.autograd.grad(out[:, start:end].sum(), x)
    seen = grad[0].any(-1)
    assert not seen[:start].any()
    assert not seen[end:].any()
    assert seen[start : end - 1].all()


@pytest.mark.parametrize("form", [False, None], ids=["chunks", "chosen"])
@pytest.mark.parametrize("causal", [True, False])
def test_the_chunked_form_of_a_rem_takes_packed_values(causal, form):
    kinds = ("real", "cos", "sin")
    values, decay, angle = example(kinds, b=1, t=sum(LENGTHS))
    options = {"dilation": (1, 2, 3), "causal": causal}

    def apply(values):
        with kernel(form) if form is False else torch.enable_grad():
            return apply_rem(values, kinds, decay, angle, **options)

    ours = run_packed(apply, values, BOUNDS, dim=2, causal=causal)
    blocks = [rem_matrix(kinds, decay, angle, length, **options) for length in LENGTHS if length]
    want = torch.stack([torch.block_diag(*(each[h] for each in blocks)) for h in range(3)]) @ values
    torch.testing.assert_close(ours, want)
    leaves = [values, decay, angle]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_packed_attention_is_attention_with_a_mask_of_blocks():
    layer, x = made("plain"), row()
    weights = layer._split(x, 0)
    member = torch.repeat_interleave(torch.arange(len(LENGTHS)), torch.tensor(LENGTHS))
    allowed = (member[:, None] == member) & torch.ones(len(member), len(member), dtype=torch.bool).tril()
    want = layer._join(nn.functional.scaled_dot_product_attention(*weights, attn_mask=allowed))
    torch.testing.assert_close(run_packed(layer, x, BOUNDS), want)


@pytest.mark.parametrize("attention", [ProbSparse(1), LogSparse()])
def test_an_attention_that_depends_on_the_length_sees_no_padding(attention):
    torch.manual_seed(0)
    same(PlainAttention(12, 3, attention=attention).double().eval(), row())


def test_a_layer_of_one_s_own_without_a_mask_sees_no_padding():
    class Mean(nn.Module):
        def forward(self, x):
            return x - x.mean(1, keepdim=True)

    same(Mean(), row())


def test_a_whole_model_takes_packed_tokens():
    torch.manual_seed(0)
    model = MixingSpec(width=12, layers=2, positions="sinusoidal").build(outputs=5, vocabulary=7).double()
    x = torch.randint(1, 7, (1, sum(LENGTHS)))
    torch.testing.assert_close(run_packed(model, x, BOUNDS), one_by_one(model, x))


def test_bounds_may_be_a_list_and_of_any_whole_number_type():
    layer, x = made("rsa"), row()
    want = run_packed(layer, x, BOUNDS)
    assert torch.equal(run_packed(layer, x, BOUNDS.tolist()), want)
    assert torch.equal(run_packed(layer, x, BOUNDS.int()), want)


def test_batches_have_less_than_twice_as_many_places_as_tokens():
    lengths = [5, 0, 1, 100, 3, 51, 50, 2, 1]
    found = batches(lengths)
    assert sorted(each for batch in found for each in batch) == [0, 2, 3, 4, 5, 6, 7, 8]
    for batch in found:
        sizes = [lengths[each] for each in batch]
        assert max(sizes) < SPREAD * min(sizes) or max(sizes) == min(sizes)
    assert [[lengths[each] for each in batch] for batch in batches(lengths, alike=True)][-1] == [1, 1]
    assert all(len({lengths[each] for each in batch}) == 1 for batch in batches(lengths, alike=True))


def test_a_causal_layer_is_given_no_mask():
    """So the fused kernel needs none of all tokens by all tokens."""
    asked = []

    class Told(RSAttention):
        def forward(self, x, mask=None):
            asked.append(mask)
            return super().forward(x, mask)

    x = row().float().detach()
    run_packed(Told(12, 6), x, BOUNDS)
    assert set(asked) == {None}
    run_packed(Told(12, 6, causal=False), x, BOUNDS)
    assert any(mask is not None for mask in asked)


@pytest.mark.parametrize(
    ("x", "bounds", "message"),
    [
        (torch.zeros(2, 4, 12), [0, 4], r"x must be packed into one row, \[1, …\], .* not \(2, 4, 12\)"),
        (torch.zeros(1, 4, 12), [0, 3], r"cu_seqlens must rise from 0 to the 4 tokens there are, not \[0, 3\]"),
        (torch.zeros(1, 4, 12), [1, 4], "cu_seqlens must rise from 0"),
        (torch.zeros(1, 4, 12), [0, 3, 2, 4], "cu_seqlens must rise from 0"),
        (torch.zeros(1, 4, 12), [0], "cu_seqlens must be at least two whole numbers"),
        (torch.zeros(1, 4, 12), [0.0, 4.0], "cu_seqlens must be at least two whole numbers"),
        (torch.zeros(1, 0, 12), [0, 0], "there must be a token in the sequences, not none"),
    ],
)
def test_what_is_not_packed_is_refused(x, bounds, message):
    refused(run_packed, message, PlainAttention(12, 3), x, bounds)
