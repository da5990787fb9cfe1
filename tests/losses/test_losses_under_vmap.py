"""Losses and objectives within torch.func: one batch a model, rows that do not count, and second derivatives."""

import pytest
import torch
from torch.func import grad, vmap

from inductive_bias.losses import OutputLayer, distillation_loss, vocabulary_cross_entropy
from inductive_bias.protocols.objectives import rows_of

SETTINGS = {"temperature": 2.5, "mixing": 0.3, "scaling": "squared"}


def random(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("ignore_index", [None, 2])
def test_distillation_of_stacked_batches_is_that_of_each(ignore_index):
    ours, theirs, labels = random(3, 7, 5), random(3, 7, 5, seed=1), torch.arange(21).remainder(5).view(3, 7)

    def loss(*operands):
        return distillation_loss(*operands, ignore_index=ignore_index, **SETTINGS)

    stacked = vmap(grad(loss))(ours, theirs, labels)
    for at in range(3):
        leaf = ours[at].clone().requires_grad_()
        (want,) = torch.autograd.grad(loss(leaf, theirs[at], labels[at]), leaf)
        torch.testing.assert_close(stacked[at], want)


@pytest.mark.parametrize("taught", [False, True])
@pytest.mark.parametrize("ignore_index", [None, 2])
def test_the_vocabulary_s_of_stacked_batches_is_that_of_each(ignore_index, taught):
    states, weight, bias = random(3, 7, 4), random(3, 11, 4, seed=1), random(3, 11, seed=2)
    targets, teacher = torch.arange(21).remainder(11).view(3, 7), (random(7, 2, seed=3), random(11, 2, seed=4))

    def loss(operands, targets):
        options = {"precision": torch.float64, "chunk": 3, "ignore_index": ignore_index}
        if taught:
            options |= SETTINGS | {"teacher_states": teacher[0], "teacher_output": OutputLayer(teacher[1], bias[0])}
        return vocabulary_cross_entropy(operands[0], OutputLayer(*operands[1:]), targets, **options)

    stacked = vmap(grad(loss))((states, weight, bias), targets)
    for at in range(3):
        leaves = [x[at].clone().requires_grad_() for x in (states, weight, bias)]
        want = torch.autograd.grad(loss(leaves, targets[at]), leaves)
        torch.testing.assert_close([x[at] for x in stacked], list(want))


def test_words_that_are_ignored_are_as_if_they_were_not_there():
    states, output = random(7, 4), OutputLayer(random(11, 4), random(11))
    targets = torch.tensor([1, 0, 3, 0, 4, 0, 10])
    ours = vocabulary_cross_entropy(states, output, targets, ignore_index=0)
    assert torch.equal(ours, vocabulary_cross_entropy(states[targets != 0], output, targets[targets != 0]))


@pytest.mark.parametrize("taught", [False, True])
def test_the_vocabulary_s_has_second_derivatives(taught):
    leaves = [x.requires_grad_() for x in (random(5, 3), random(6, 3, seed=1), random(6, seed=2))]
    options = {"precision": torch.float64}
    if taught:
        output = OutputLayer(random(6, 2, seed=3), random(6, seed=4))
        options |= SETTINGS | {"teacher_states": random(5, 2, seed=5), "teacher_output": output}
    targets = torch.tensor([0, 5, 1, 1, 2])
    assert torch.autograd.gradgradcheck(
        lambda states, *output: vocabulary_cross_entropy(states, OutputLayer(*output), targets, **options), leaves
    )


def test_rows_are_selected_but_within_torch_func():
    table, chosen = random(2, 3, 4), torch.tensor([[True, False, True], [False, False, True]])
    assert torch.equal(rows_of(table, chosen), table[chosen])
    assert vmap(rows_of)(table[None], chosen[None]).shape == (1, 6, 4)
