"""ProbSparse and LogSparse attention against dense twins, and which keys a query sees."""

import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.layers import ConvolvedQueries, LogSparse, PlainAttention, ProbSparse, RSAttention
from inductive_bias.layers.sparse import MASKED, by_lags, log_sparse_lags, log_sparse_mask, prob_sparse
from tests.layers.naive import gradients, naive_matrix


def heads(t, n=None, b=2, h=3, d=4, seed=0):
    rng = torch.Generator().manual_seed(seed)
    sizes = (t, n or t, n or t)
    return [torch.randn(b, h, size, d, dtype=torch.float64, generator=rng).requires_grad_() for size in sizes]


def dense(q, k, v, drawn, active, causal):
    """ProbSparse one query at a time, in the words of Zhou et al. 2021, algorithm 1."""
    b, h, t, d = q.shape
    out, attended = [], torch.zeros(b, h, t, dtype=torch.bool)
    for one in range(b):
        for head in range(h):
            measure = []
            for i in range(t):
                scores = [float((q[one, head, i] @ k[one, head, j]).detach()) for j in drawn[i].tolist()]
                measure.append(max(scores) - sum(scores) / len(scores))
            chosen = sorted(range(t), key=lambda i, measure=measure: -measure[i])[:active]
            for i in range(t):
                seen = i + 1 if causal else k.shape[2]
                keys, values = k[one, head, :seen], v[one, head, :seen]
                if i in chosen:
                    attended[one, head, i] = True
                    out.append(torch.softmax(keys @ q[one, head, i] / math.sqrt(d), 0) @ values)
                else:
                    out.append(values.sum(0) if causal else values.mean(0))
    return torch.stack(out).view(b, h, t, d), attended


@pytest.mark.parametrize("causal", [True, False], ids=["causal", "unmasked"])
@pytest.mark.parametrize(("t", "draws", "active"), [(1, 1, 1), (2, 1, 1), (7, 3, 3), (13, 13, 2), (9, 4, 9)])
def test_prob_sparse_is_its_dense_twin_in_value_and_gradient(t, draws, active, causal):
    q, k, v = heads(t)
    drawn = torch.randint(t, (t, draws), generator=torch.Generator().manual_seed(1))
    ours, which = prob_sparse(q, k, v, drawn, active=active, causal=causal)
    want, wanted = dense(q, k, v, drawn, active, causal)
    assert torch.equal(which, wanted)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, [q, k, v]), gradients(want, [q, k, v]))


def test_unmasked_queries_may_be_fewer_than_keys_and_causal_ones_may_not():
    q, k, v = heads(3, 8)
    drawn = torch.randint(8, (3, 4), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        prob_sparse(q, k, v, drawn, active=2, causal=False)[0], dense(q, k, v, drawn, 2, False)[0]
    )
    with pytest.raises(ValueError, match="as many queries as keys, not 3 and 8"):
        prob_sparse(q, k, v, drawn, active=2, causal=True)


def test_lazy_queries_get_the_mean_or_the_sum_so_far():
    q, k, v = heads(40)
    for causal in (True, False):
        out, which = ProbSparse(1).eval().chosen(q, k, v, causal=causal)
        assert (which.sum(2) == math.ceil(math.log(40))).all()
        lazy = v.cumsum(2) if causal else v.mean(2, keepdim=True).expand_as(v)
        torch.testing.assert_close(out[~which], lazy[~which])
        full = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        torch.testing.assert_close(out[which], full[which])


def test_a_large_factor_is_attention_to_all_keys():
    q, k, v = heads(17)
    for causal in (True, False):
        full = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        torch.testing.assert_close(ProbSparse(20)(q, k, v, causal=causal), full)
    assert [ProbSparse(5).size(length) for length in (1, 2, 24, 96, 720)] == [1, 2, 20, 25, 35]


def test_keys_are_drawn_anew_in_training_and_never_in_evaluation():
    layer, (q, k, v) = ProbSparse(1), heads(60)
    torch.manual_seed(0)
    assert not torch.equal(layer(q, k, v, causal=False), layer(q, k, v, causal=False))
    before = torch.get_rng_state()
    layer.eval()
    assert torch.equal(layer(q, k, v, causal=False), layer(q, k, v, causal=False))
    assert torch.equal(torch.get_rng_state(), before)


def test_no_gradient_of_a_causal_query_reaches_a_later_token():
    q, k, v = heads(12)
    for attention in (ProbSparse(1).eval(), LogSparse()):
        out = attention(q, k, v, causal=True)
        for i in range(12):
            for leaf in torch.autograd.grad(out[:, :, i].sum(), [q, k, v], retain_graph=True, allow_unused=True):
                assert leaf is None or (leaf[:, :, i + 1 :] == 0).all()


@pytest.mark.parametrize(("length", "window"), [(1, None), (2, 1), (19, 1), (19, 4), (33, None)])
def test_a_log_sparse_query_sees_itself_a_window_and_powers_of_two(length, window):
    mask = log_sparse_mask(length, window)
    local = window or max(1, math.ceil(math.log2(length)))
    for i in range(length):
        far = {i - 2**power for power in range(math.floor(math.log2(i)) + 1)} if i else set()
        near = {j for j in range(i - local + 1, i + 1) if j >= 0}
        assert set(mask[i].nonzero().flatten().tolist()) == {i} | far | near
    assert mask.sum(1).max() <= local + math.log2(max(length, 2)) + 1


@pytest.mark.parametrize("memory", [0, 5])
def test_log_sparse_attention_is_softmax_over_what_the_mask_allows(memory):
    q, k, v = heads(9, 9 + memory)
    ours = LogSparse(2)(q, k, v, causal=True)
    rows = []
    for i in range(9):
        place = i + memory
        seen = [j for j in range(place + 1) if place - j < 2 or math.log2(place - j).is_integer()]
        weights = (q[:, :, i : i + 1] @ k[:, :, seen].mT / 2).softmax(-1)
        rows.append(weights @ v[:, :, seen])
    want = torch.cat(rows, 2)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, [q, k, v]), gradients(want, [q, k, v]))
    with pytest.raises(ValueError, match="causal must be True"):
        LogSparse()(q, k, v, causal=False)


@pytest.mark.parametrize(("length", "window"), [(1, None), (2, 1), (19, 1), (19, 4), (33, None)])
@pytest.mark.parametrize("memory", [0, 5])
def test_attention_lag_by_lag_is_attention_with_a_mask(length, window, memory):
    q, k, v = heads(length, length + memory)
    ours = by_lags(q, k, v, log_sparse_lags(length + memory, window))
    mask = log_sparse_mask(length + memory, window)[memory:]
    want = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, [q, k, v]), gradients(want, [q, k, v]))


@pytest.mark.parametrize("length", [MASKED, MASKED + 1])
def test_log_sparse_attention_is_the_same_on_both_sides_of_the_length_where_it_goes_lag_by_lag(length):
    q, k, v = heads(length, b=1, h=1)
    want = F.scaled_dot_product_attention(q, k, v, attn_mask=log_sparse_mask(length))
    torch.testing.assert_close(LogSparse()(q, k, v, causal=True), want)


def test_weights_of_attention_lag_by_lag_are_dropped_and_the_others_made_larger():
    q, k, v = heads(40)
    lags = log_sparse_lags(40)
    torch.manual_seed(0)
    ours = by_lags(q, k, torch.ones_like(v), lags, dropout=0.5)
    kept = by_lags(q, k, torch.ones_like(v), lags)
    torch.testing.assert_close(kept, torch.ones_like(kept))
    assert ours[:, :, 0].unique().tolist() == [0, 2]  # the first query has one weight of 1
    assert abs(ours.mean().item() - 1) < 0.2


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("t", [1, 2, 7])
def test_queries_and_keys_are_made_of_a_few_steps_and_values_of_one(t, kernel):
    layer = ConvolvedQueries(4, kernel).double()
    x = torch.randn(2, t, 4, dtype=torch.float64).requires_grad_()
    q, k, v = layer(x).split(4, 2)
    want = layer.query_key.bias.expand(2, t, 8).clone()
    for i in range(t):
        for back in range(min(kernel, i + 1)):
            want[:, i] = want[:, i] + x[:, i - back] @ layer.query_key.weight[:, :, kernel - 1 - back].T
    torch.testing.assert_close(torch.cat((q, k), 2), want)
    torch.testing.assert_close(v, layer.value(x))
    reach = torch.autograd.grad(q[:, -1].sum(), x)[0].abs().sum((0, 2)) > 0
    assert reach.tolist() == [t - 1 - i < kernel for i in range(t)]


def rsa(attention, *, causal=True, **options):
    torch.manual_seed(0)
    layer = RSAttention(12, 6, (1, 1, 1, 1, 1, 1), dilation=2, causal=causal, attention=attention, **options)
    return layer.double().eval()


@pytest.mark.parametrize("causal", [True, False], ids=["causal", "unmasked"])
@pytest.mark.parametrize("rows", ["all", "selected"])
@pytest.mark.parametrize("t", [1, 15])
def test_a_rem_stands_beside_sparse_queries_at_their_own_places(t, rows, causal):
    layer = rsa(ProbSparse(1), causal=causal, rows=rows)
    x = torch.randn(2, t, 12, dtype=torch.float64).requires_grad_()
    q, k, v = (part.unflatten(2, (6, 2)).transpose(1, 2) for part in layer.query_key_value(x).split(12, 2))
    attended, chosen = layer.attention.chosen(q, k, v, causal=causal)
    rem, gate = layer.rem, layer.mu.sigmoid()
    matrix = naive_matrix(rem.kinds, rem.decay, rem.angle, t, rem.dilations, causal)
    want = []
    for i in range(t):  # row i of the matrix belongs to the query at place i
        mixed = (1 - gate) * attended[:, :, i] + gate * torch.einsum("hn,bhnd->bhd", matrix[:, i], v)
        lazy = ~chosen[:, :, i, None] if rows == "selected" else torch.zeros(1, dtype=torch.bool)
        want.append(torch.where(lazy, attended[:, :, i], mixed))
    want, ours = layer.output(torch.stack(want, 2).transpose(1, 2).flatten(2)), layer(x)
    torch.testing.assert_close(ours, want)
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_what_a_layer_with_its_own_attention_cannot_do_is_refused():
    layer, x = rsa(ProbSparse()), torch.randn(2, 5, 12).double()
    for rows in ("all", "selected"):
        with pytest.raises(ValueError, match="mask of padding"):
            rsa(ProbSparse(), rows=rows)(x, torch.ones(2, 5, dtype=torch.bool))
    with pytest.raises(ValueError, match="does not go token by token"):
        layer.prefill(x)
    with pytest.raises(ValueError, match="does not go token by token"):
        PlainAttention(12, 3, projection=ConvolvedQueries(12)).prefill(x.float())
    with pytest.raises(ValueError, match="rows='selected' needs a ProbSparse attention"):
        rsa(LogSparse(), rows="selected")
    for wrong in (lambda: ProbSparse(0), lambda: LogSparse(0), lambda: ConvolvedQueries(4, 0)):
        with pytest.raises(ValueError, match="must be an integer of at least 1"):
            wrong()
