"""Cross-attention against PyTorch's, and the recurrent cell of a Block-Recurrent Transformer against loops."""

import math

import pytest
import torch
from torch import nn

from inductive_bias.layers import BlockRecurrence, CrossAttention, RelativePositions
from tests.layers.naive import gradients


def vectors(n, seed=0, width=6):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(2, n, width, dtype=torch.float64, generator=rng).requires_grad_()


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(("t", "n"), [(1, 1), (5, 3), (2, 7)])
def test_cross_attention_is_that_of_pytorch(t, n, fused):
    torch.manual_seed(0)
    ours, theirs = CrossAttention(6, 2, fused=fused).double(), nn.MultiheadAttention(6, 2, batch_first=True).double()
    theirs.in_proj_weight.data = torch.cat((ours.query.weight, ours.key_value.weight)).detach().clone()
    theirs.in_proj_bias.data = torch.cat((ours.query.bias, ours.key_value.bias)).detach().clone()
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    x, seen = vectors(t), vectors(n, 1)
    found, want = ours(x, seen), theirs(x, seen, seen)[0]
    torch.testing.assert_close(found, want)
    torch.testing.assert_close(gradients(found, [x, seen]), gradients(want, [x, seen]))


@pytest.mark.parametrize("fused", [False, True])
def test_dropout_is_of_training_alone(fused):
    torch.manual_seed(0)
    layer, x = CrossAttention(6, 2, dropout=0.5, fused=fused).double(), vectors(4)
    assert not torch.equal(layer(x, x), layer(x, x))
    assert torch.equal(layer.eval()(x, x), layer(x, x))


def attended(q, k, v):
    """One head, one query at a time."""
    return torch.stack([(k @ one / math.sqrt(len(one))).softmax(0) @ v for one in q])


class Naive:
    """The cell one sequence, one head and one vector at a time, from Hutchins et al. 2022, section 3."""

    def __init__(self, cell):
        self.cell, self.size = cell, cell.output.weight.shape[0]

    def parts(self, linear, x, head):
        """Own query, query across, keys and values of one head."""
        d = self.size // self.cell.heads
        return [(x @ linear.weight.T + linear.bias)[:, part * self.size + head * d :][:, :d] for part in range(4)]

    def of_states(self, states, head):
        return self.parts(self.cell.states, self.cell.state_norm(states) + self.cell.ids, head)

    def tokens(self, x, memory, states):
        rows = []
        for one in range(len(x)):
            whole, own, across = torch.cat((memory[one], x[one])), [], []
            for head in range(self.cell.heads):
                q, q_across, k, v = self.parts(self.cell.tokens, whole, head)
                _, _, state_k, state_v = self.of_states(states[one], head)
                m = len(memory[one])
                own.append(
                    torch.cat(
                        [attended(q[m + i : m + i + 1], k[: m + i + 1], v[: m + i + 1]) for i in range(len(x[one]))]
                    )
                )
                across.append(attended(q_across[m:], state_k, state_v))
            rows.append(torch.cat((*own, *across), 1) @ self.cell.output.weight.T + self.cell.output.bias)
        return torch.stack(rows)

    def advance(self, block, states):
        rows = []
        for one in range(len(block)):
            own, across = [], []
            for head in range(self.cell.heads):
                q, q_across, state_k, state_v = self.of_states(states[one], head)
                _, _, k, v = self.parts(self.cell.tokens, block[one], head)
                own.append(attended(q, state_k, state_v))
                across.append(attended(q_across, k, v))
            h = torch.cat((*own, *across), 1)
            y = h @ self.cell.update.weight.T + self.cell.update.bias
            if self.cell.kind == "bias":
                g = 1 / (1 + torch.exp(-self.cell.kept))
                rows.append(g * states[one] + (1 - g) * y)
            else:
                forget, insert = (h @ gate.weight.T + gate.bias for gate in (self.cell.forget, self.cell.insert))
                keep, put = 1 / (1 + torch.exp(-forget - 1)), 1 / (1 + torch.exp(1 - insert))
                rows.append(keep * states[one] + put * y)
        return torch.stack(rows)


class Content(nn.Module):
    """Causal attention by content alone."""

    def forward(self, q, k, v, *, causal, dropout):
        t, n = q.shape[2], k.shape[2]
        past = torch.ones(t, n, dtype=torch.bool).tril(n - t)
        return (q @ k.mT / math.sqrt(q.shape[3])).masked_fill(~past, -torch.inf).softmax(3) @ v


@pytest.mark.parametrize("gate", ["bias", "lstm"])
@pytest.mark.parametrize(("t", "m", "states"), [(1, 0, 1), (3, 2, 4), (5, 5, 2)])
def test_the_cell_is_its_naive_twin_in_value_and_gradient(t, m, states, gate):
    torch.manual_seed(0)
    cell = BlockRecurrence(6, 2, states, attention=Content(), gate=gate).double()
    naive, x, memory, given = Naive(cell), vectors(t), vectors(m, 1), vectors(states, 2)
    leaves = [x, memory, given] if m else [x, given]
    for ours, want in (
        (cell(x, memory, given), naive.tokens(x, memory, given)),
        (cell.advance(x, given), naive.advance(x, given)),
    ):
        torch.testing.assert_close(ours, want)
        used = [*leaves, *cell.parameters()]
        torch.testing.assert_close(
            torch.autograd.grad(ours.square().sum(), used, allow_unused=True, materialize_grads=True),
            torch.autograd.grad(want.square().sum(), used, allow_unused=True, materialize_grads=True),
        )


@pytest.mark.parametrize("gate", ["bias", "lstm"])
def test_a_gate_that_is_shut_keeps_the_states(gate):
    torch.manual_seed(0)
    cell = BlockRecurrence(6, 2, 3, attention=RelativePositions(6, 2), gate=gate).double()
    if gate == "bias":
        cell.kept.data[:] = 50.0
    else:
        cell.forget.bias.data[:], cell.insert.bias.data[:] = 50.0, -50.0
    states = vectors(3, 2)
    torch.testing.assert_close(cell.advance(vectors(4), states), states)


def test_states_are_told_apart_and_begin_alike_in_every_stream():
    torch.manual_seed(0)
    cell = BlockRecurrence(6, 2, 3, attention=RelativePositions(6, 2)).double()
    assert cell.start(2).shape == (2, 3, 6)
    assert torch.equal(cell.start(2)[0], cell.start(2)[1])
    alike = cell.advance(vectors(4), torch.zeros(2, 3, 6, dtype=torch.float64))
    assert not torch.allclose(alike[:, 0], alike[:, 1])
    cell.ids.data[:] = 0
    alike = cell.advance(vectors(4), torch.zeros(2, 3, 6, dtype=torch.float64))
    torch.testing.assert_close(alike[:, 0], alike[:, 1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CrossAttention(6, 4), "heads must divide width=6, not 4"),
        (lambda: BlockRecurrence(6, 4, 2, attention=Content()), "heads must divide width=6, not 4"),
        (lambda: BlockRecurrence(6, 2, 0, attention=Content()), "states must be an integer of at least 1, not 0"),
        (lambda: BlockRecurrence(6, 2, 1, attention=Content(), gate="gru"), "gate must be"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
