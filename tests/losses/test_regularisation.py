import pytest
import torch
from torch import nn

from inductive_bias.losses import weight_penalty


def small_model():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 1)
    )
    return model.double()


def naive_penalty(model, l1, l2):
    total = 0.0
    for layer in model:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            for weight in layer.weight.flatten():
                total = total + l1 * weight.abs() + l2 * weight**2
    return total


@pytest.mark.parametrize(("l1", "l2"), [(0.3, 0.0), (0.0, 0.7), (1e-5, 1e-5)])
def test_penalty_sums_kernels_and_leaves_biases_and_normalisation_alone(l1, l2):
    model = small_model()
    ours, want = weight_penalty(model, l1=l1, l2=l2), naive_penalty(model, l1, l2)
    torch.testing.assert_close(ours, want)
    parameters = list(model.parameters())
    grads = [torch.autograd.grad(y, parameters, allow_unused=True) for y in (ours, want)]
    for left, right, parameter in zip(*grads, parameters, strict=True):
        assert (left is None) == (parameter.ndim < 2)
        if left is not None:
            torch.testing.assert_close(left, right)


def test_l2_has_no_factor_one_half():
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 3.0)
    assert weight_penalty(model, l1=0.0, l2=1.0).item() == 9.0
    assert weight_penalty(model, l1=1.0, l2=0.0).item() == 3.0


def test_without_coefficients_the_penalty_is_an_exact_zero_without_gradient():
    penalty = weight_penalty(small_model(), l1=0.0, l2=0.0)
    assert penalty.item() == 0.0
    assert not penalty.requires_grad


def test_a_model_without_kernels_has_no_penalty():
    assert weight_penalty(nn.ReLU(), l1=1.0, l2=1.0).item() == 0.0
    assert weight_penalty(nn.BatchNorm1d(3), l1=1.0, l2=1.0).item() == 0.0


def test_a_zero_weight_has_a_zero_gradient():
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    weight_penalty(model, l1=1.0, l2=1.0).backward()
    assert torch.equal(model.weight.grad, torch.zeros(1, 2))


def test_a_shared_weight_counts_once():
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    both = weight_penalty(nn.Sequential(first, second), l1=1.0, l2=0.0)
    torch.testing.assert_close(both, weight_penalty(first, l1=1.0, l2=0.0))


@pytest.mark.parametrize("bad", [-1e-9, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["l1", "l2"])
def test_a_negative_or_infinite_coefficient_is_refused(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be non-negative and finite, not {bad}"):
        weight_penalty(nn.Linear(1, 1), **{"l1": 0.0, "l2": 0.0, name: bad})


def test_embeddings_are_not_penalised_even_where_an_output_layer_shares_them():
    embedding, readout = nn.Embedding(5, 2), nn.Linear(2, 5)
    readout.weight = embedding.weight
    alone = nn.Linear(2, 2)
    together = nn.ModuleList([embedding, readout, alone])
    assert weight_penalty(together, l1=0.3, l2=0.7) == weight_penalty(alone, l1=0.3, l2=0.7)
