import copy

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import update_bn

from inductive_bias.analysis import barrier, interpolate, interpolation_curve, recompute_batch_statistics


def mlp(seed, dropout=0.0):
    generator_state = torch.get_rng_state()
    torch.manual_seed(seed)
    model = nn.Sequential(
        nn.Linear(3, 5), nn.ReLU(), nn.BatchNorm1d(5), nn.Dropout(dropout), nn.Linear(5, 4), nn.BatchNorm1d(4)
    )
    torch.set_rng_state(generator_state)
    return model


def batches(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(8, 3, generator=generator) for _ in range(3)]


def equal(left, right):
    return left.keys() == right.keys() and all(torch.equal(left[k], right[k]) for k in left)


def test_the_ends_of_the_line_are_the_states_themselves():
    a, b = mlp(0).state_dict(), mlp(1).state_dict()
    b["2.num_batches_tracked"] += 7
    assert equal(interpolate(a, b, 0.0), a)
    end = interpolate(a, b, 1.0)
    assert all(torch.equal(end[k], (b if b[k].is_floating_point() else a)[k]) for k in b)


def test_between_them_floats_are_mixed_and_counts_are_the_firsts():
    a, b = {"w": torch.tensor([0.0, 4.0]), "n": torch.tensor(3)}, {"w": torch.tensor([1.0, 0.0]), "n": torch.tensor(9)}
    mixed = interpolate(a, b, 0.25)
    assert mixed["w"].tolist() == [0.25, 3.0]
    assert mixed["n"].item() == 3


def test_states_that_do_not_fit_are_refused():
    a = mlp(0).state_dict()
    with pytest.raises(ValueError, match="weight must lie"):
        interpolate(a, a, 1.5)
    with pytest.raises(ValueError, match=r"only one of the two states holds '0\.bias'"):
        interpolate(a, {k: v for k, v in a.items() if k != "0.bias"}, 0.5)
    with pytest.raises(ValueError, match=r"'0\.bias' has shape \(5,\) in one state and \(6,\)"):
        interpolate(a, a | {"0.bias": torch.zeros(6)}, 0.5)


def test_statistics_are_those_of_torchs_own_update():
    ours, theirs = mlp(0), mlp(0)
    recompute_batch_statistics(ours, batches())
    update_bn(batches(), theirs)
    for (key, left), right in zip(ours.state_dict().items(), theirs.state_dict().values(), strict=True):
        torch.testing.assert_close(left, right, msg=key)


def test_statistics_of_one_batch_normalise_that_batch():
    model = mlp(0).double().eval()
    batch = batches()[0].double()
    recompute_batch_statistics(model, [batch])
    out = model[:3](batch)
    torch.testing.assert_close(out.mean(dim=0), model[2].bias.detach().double(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("training", [True, False])
def test_recomputing_restores_modes_and_momenta_and_draws_no_random_numbers(training):
    model = mlp(0, dropout=0.5).train(training)
    model[2].momentum = 0.37
    before, weights = torch.get_rng_state(), [p.clone() for p in model.parameters()]
    recompute_batch_statistics(model, batches())
    assert torch.equal(torch.get_rng_state(), before)
    assert (model[2].momentum, model[5].momentum) == (0.37, 0.1)
    assert all(module.training == training for module in model.modules())
    assert all(torch.equal(p, w) and p.grad is None for p, w in zip(model.parameters(), weights, strict=True))


def test_without_batch_norm_nothing_happens_and_without_batches_nothing_is_lost():
    recompute_batch_statistics(nn.Linear(3, 2), [])
    model = mlp(0)
    model(batches()[0])
    state = copy.deepcopy(model.state_dict())
    with pytest.raises(ValueError, match="at least one batch"):
        recompute_batch_statistics(model, [])
    assert equal(model.state_dict(), state)


def first_weight(model):
    return model[0].weight[0, 0].item()


def test_the_curve_evaluates_every_model_on_the_line():
    model, a, b = mlp(2), mlp(0).state_dict(), mlp(1).state_dict()
    curve = interpolation_curve(model, a, b, first_weight, points=5)
    assert [weight for weight, _ in curve] == [0.0, 0.25, 0.5, 0.75, 1.0]
    start, stop = a["0.weight"][0, 0].item(), b["0.weight"][0, 0].item()
    for weight, value in curve:
        assert value == pytest.approx((1 - weight) * start + weight * stop, rel=1e-5)


def test_the_model_is_given_back_as_it_was():
    model, other = mlp(0).eval(), mlp(1).state_dict()
    model[3].train()
    state = copy.deepcopy(model.state_dict())

    def evaluate(lent):
        lent.train()
        lent(batches()[0])
        return 0.0

    # the live state of the lent model as one end: it must not move along
    live = interpolation_curve(model, model.state_dict(), other, first_weight, points=3)
    assert live == interpolation_curve(mlp(5), state, other, first_weight, points=3)
    interpolation_curve(model, state, other, evaluate, points=3)
    with pytest.raises(ZeroDivisionError):
        interpolation_curve(model, state, other, lambda _: 1 / 0, points=3)
    assert equal(model.state_dict(), state)
    assert [module.training for module in model] == [False, False, False, True, False, False]


def test_prepare_runs_before_every_evaluation():
    seen = []
    interpolation_curve(
        mlp(0),
        mlp(0).state_dict(),
        mlp(1).state_dict(),
        lambda _: seen.append("evaluate") or 0.0,
        points=2,
        prepare=lambda _: seen.append("prepare"),
    )
    assert seen == ["prepare", "evaluate"] * 2


def test_a_line_needs_two_points():
    with pytest.raises(ValueError, match="points must be at least 2, not 1"):
        interpolation_curve(mlp(0), mlp(0).state_dict(), mlp(0).state_dict(), first_weight, points=1)


def test_the_barrier_is_the_largest_rise_above_the_straight_line():
    assert barrier([0.0, 0.5, 1.0], [1.0, 3.0, 2.0]) == pytest.approx(1.5)
    assert barrier([0.0, 0.25, 1.0], [0.0, 3.0, 4.0]) == pytest.approx(2.0)
    assert barrier([0, 1, 2], [0, 2, 0]) == 2.0


def test_a_valley_or_a_straight_line_has_no_barrier():
    assert barrier([0.0, 0.5, 1.0], [1.0, 0.2, 1.0]) == 0.0
    assert barrier([0.0, 1.0], [0.1, 0.7]) == 0.0
    assert barrier([0.0, 0.3, 1.0], [0.1, 0.4, 1.1]) == pytest.approx(0.0, abs=1e-15)


def test_two_solutions_of_a_symmetric_double_well_have_its_height_between_them():
    well = [(w, ((2 * w - 1) ** 2 - 1) ** 2) for w in torch.linspace(0, 1, 11).tolist()]
    assert barrier(*zip(*well, strict=True)) == pytest.approx(1.0)


def test_a_diverged_loss_is_not_hidden():
    nan = float("nan")
    assert barrier([0.0, 0.5, 1.0], [1.0, nan, 1.0]) != barrier([0.0, 0.5, 1.0], [1.0, nan, 1.0])
    assert barrier([0.0, 0.5, 1.0], [nan, 1.0, 1.0]) != 0.0
    assert barrier([0.0, 0.5, 1.0], [1.0, float("inf"), 1.0]) == float("inf")


def test_bad_curves_are_refused():
    with pytest.raises(ValueError, match="weights must increase"):
        barrier([0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="not 2 and 3"):
        barrier([0.0, 1.0], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="2 or more"):
        barrier([0.0], [1.0])
