import pytest
import torch

from inductive_bias.layers.projections import clip_singular_values, project_rows


def random(*shape, seed=0, scale=1.0):
    return scale * torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def row_by_bisection(row, budget):
    """The ℓ1 projection of one row: the shrink by halving an interval."""
    low, high = 0.0, row.abs().max().item()
    for _ in range(200):
        middle = (low + high) / 2
        if (row.abs() - middle).clamp(min=0).sum() > budget:
            low = middle
        else:
            high = middle
    return row.sign() * (row.abs() - high).clamp(min=0)


@pytest.mark.parametrize("columns", [1, 2, 7, 40])
@pytest.mark.parametrize("budget", [1e-3, 0.3, 5.0])
def test_rows_are_projected_as_by_bisection(columns, budget):
    weight = random(9, columns)
    found = project_rows(weight, budget)
    for row, projected in zip(weight, found, strict=True):
        expected = row if row.abs().sum() <= budget else row_by_bisection(row, budget)
        torch.testing.assert_close(projected, expected, rtol=1e-9, atol=1e-12)


def test_every_row_has_its_own_budget_and_rows_inside_stay_the_same_numbers():
    weight = torch.tensor([[3.0, -1.0], [0.2, 0.1], [1.0, 1.0]])
    found = project_rows(weight, torch.tensor([2.0, 0.5, 1.0]))
    torch.testing.assert_close(found, torch.tensor([[2.0, 0.0], [0.2, 0.1], [0.5, 0.5]]))
    assert torch.equal(found[1], weight[1])
    assert project_rows(weight, 100.0) is weight


def test_ties_and_zeros_shrink_together():
    found = project_rows(torch.tensor([[1.0, -1.0, 1.0, 0.0]]), 1.5)
    torch.testing.assert_close(found, torch.tensor([[0.5, -0.5, 0.5, 0.0]]))


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 8), (8, 3)])
@pytest.mark.parametrize("bound", [0.1, 1.0])
def test_clipped_matrices_are_the_nearest_inside(shape, bound):
    weight = random(*shape, scale=2.0)
    found = clip_singular_values(weight, bound)
    assert torch.linalg.matrix_norm(found, ord=2) <= bound * (1 + 1e-12)
    # of a convex set: no point inside lies on the other side of the plane through the projection
    for seed in range(50):
        other = clip_singular_values(random(*shape, seed=seed + 1, scale=2.0), bound)
        assert ((weight - found) * (other - found)).sum() <= 1e-9


def test_clipping_keeps_the_other_singular_values_and_a_matrix_inside():
    weight = torch.diag(torch.tensor([3.0, 0.5, 0.1]))
    torch.testing.assert_close(clip_singular_values(weight, 1.0), torch.diag(torch.tensor([1.0, 0.5, 0.1])))
    assert clip_singular_values(weight, 3.5) is weight


@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (3, 8), (8, 3), (40, 40)])
@pytest.mark.parametrize("bound", [0.3, 2.0])
def test_clipping_is_that_of_the_singular_value_decomposition(shape, bound):
    weight = random(*shape)
    left, values, right = torch.linalg.svd(weight, full_matrices=False)
    expected = left @ torch.diag(values.clamp(max=bound)) @ right
    torch.testing.assert_close(clip_singular_values(weight, bound), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_singular_values_that_repeat_or_nearly_so_are_clipped_too(dtype):
    """As they are after every step but the first; the tolerance is that of the numbers."""
    orthogonal = torch.linalg.qr(random(64, 64))[0]
    for noise in (0.0, 1e-8, 1e-4):
        weight = (0.9 * orthogonal + noise * random(64, 64, seed=1)).to(dtype)
        values = torch.linalg.svdvals(clip_singular_values(weight, 0.9).double())
        assert values.max() <= 0.9 * (1 + 4 * torch.finfo(dtype).eps)
        assert values.min() >= 0.9 - 20 * noise - 4 * torch.finfo(dtype).eps


def test_a_second_projection_changes_nothing():
    weight = random(6, 6, scale=3.0)
    for project in (lambda w: project_rows(w, 0.7), lambda w: clip_singular_values(w, 0.7)):
        once = project(weight)
        torch.testing.assert_close(project(once), once, rtol=0, atol=1e-14)


@pytest.mark.parametrize("budget", [1e-9, 1e-30])
@pytest.mark.parametrize("row", [[1.0, -3.0, 0.5], [2.0, -2.0, 2.0], [1e30, 1.0, 0.0]])
def test_a_budget_that_rounds_away_leaves_nothing_of_a_row(row, budget):
    found = project_rows(torch.tensor([row, [0.0, 0.0, 0.0]]), budget)
    assert (found.double().abs().sum(1) <= budget).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project_rows(torch.ones(2, 2), 0.0), "budget must be positive"),
        (lambda: project_rows(torch.ones(2, 2), torch.tensor([1.0, -1.0])), "budget must be positive"),
        (lambda: clip_singular_values(torch.ones(2, 2), 0.0), "bound must be positive"),
        (lambda: project_rows(torch.full((2, 2), torch.inf), 1.0), "weight must be finite"),
        (lambda: project_rows(torch.full((2, 2), torch.nan), 1.0), "weight must be finite"),
        (lambda: clip_singular_values(torch.full((2, 2), torch.nan), 1.0), "weight must be finite"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
