import math

import pytest
import torch
from sklearn.metrics import r2_score

from inductive_bias.metrics import unexplained


def values(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_one_output_is_one_minus_scikit_learn_s_r2():
    outputs, targets = values(37, 1), values(37, 1, seed=1)
    assert unexplained(outputs, targets) == pytest.approx(1 - r2_score(targets, outputs))


def test_several_outputs_are_weighted_by_their_variance_over_all_axes():
    outputs, targets = values(5, 7, 3), values(5, 7, 3, seed=1)
    want = 1 - r2_score(targets.flatten(end_dim=1), outputs.flatten(end_dim=1), multioutput="variance_weighted")
    assert unexplained(outputs, targets) == pytest.approx(want)


def test_exact_is_0_the_mean_is_1_and_nan_stays():
    targets = values(9, 2)
    assert unexplained(targets, targets) == 0
    assert unexplained(targets.mean(0).expand(9, 2), targets) == pytest.approx(1)
    assert math.isnan(unexplained(targets * float("nan"), targets))


def test_other_shapes_no_value_and_constant_targets_are_refused():
    with pytest.raises(ValueError, match=r"one shape \[…, k\], with values: \(3, 2\), \(2, 2\)"):
        unexplained(values(3, 2), values(2, 2))
    with pytest.raises(ValueError, match="with values"):
        unexplained(values(0, 2), values(0, 2))
    with pytest.raises(ValueError, match="must vary"):
        unexplained(values(3, 2), torch.ones(3, 2))
