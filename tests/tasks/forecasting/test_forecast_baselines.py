"""Forecasts without a network, against loops and closed forms."""

import math

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from inductive_bias.tasks import Forecasting, Split
from inductive_bias.tasks.forecasting.baselines import (
    BASELINES,
    LAST,
    LINEAR,
    MEAN,
    PENALTY,
    YESTERDAY,
    baseline_errors,
    errors_of,
    fit_line,
    last_value,
    same_hour_yesterday,
)

TASK = Forecasting(data="generated", past=30, horizon=26, rows=300)


def split_of(values, past, horizon):
    """Windows of a table ``[t, c]``, whose time is a channel of zeros."""
    table = torch.cat((values, torch.zeros(len(values), 1)), 1)
    inputs = torch.stack([table[i : i + past] for i in range(len(values) - past - horizon + 1)])
    labels = torch.stack([values[i + past : i + past + horizon] for i in range(len(inputs))])
    return Split(inputs, labels, "generated:test")


def test_yesterday_is_the_row_of_a_day_before_as_often_as_it_takes():
    past = torch.arange(7.0)[None, :, None]
    assert same_hour_yesterday(past, 8, 3).flatten().tolist() == [4, 5, 6, 4, 5, 6, 4, 5]
    assert last_value(past, 3).flatten().tolist() == [6, 6, 6]
    with pytest.raises(ValueError, match="a day of 8 rows, not 7"):
        same_hour_yesterday(past, 2, 8)


def test_a_series_that_repeats_itself_daily_is_known_from_yesterday():
    rows = torch.arange(60)[:, None]
    split = split_of(torch.sin(2 * math.pi * rows / 6).float(), 6, 9)
    errors = errors_of(lambda past: same_hour_yesterday(past, 9, 6), split)
    torch.testing.assert_close(errors.squared, torch.zeros(9).double(), atol=1e-10, rtol=0)


def test_of_a_random_walk_the_last_value_has_the_error_of_the_steps_passed():
    steps = torch.randn(40_000, 1, generator=torch.Generator().manual_seed(0))
    errors = errors_of(lambda past: last_value(past, 4), split_of(steps.cumsum(0), 2, 4))
    torch.testing.assert_close(errors.squared, torch.tensor([1.0, 2, 3, 4]).double(), rtol=0.03, atol=0)
    torch.testing.assert_close(errors.absolute, (errors.squared * 2 / math.pi).sqrt(), rtol=0.03, atol=0)


def test_the_line_is_scikit_learns_ridge_regression_of_all_columns():
    data = TASK.load()
    train, line = data["train"], fit_line(data["train"])
    last = train.inputs[:, -1:, :-1]
    x, y = (
        (part - last).transpose(1, 2).flatten(0, 1).double().numpy() for part in (train.inputs[..., :-1], train.labels)
    )
    other = Ridge(alpha=PENALTY * len(x), fit_intercept=False).fit(x, y)
    np.testing.assert_allclose(line.weights.T.numpy(), other.coef_, atol=1e-7)
    past = data["test"].inputs[..., :-1]
    wanted = other.predict((past - past[:, -1:]).transpose(1, 2).flatten(0, 1).double().numpy())
    found = line.forecast(past.double()) - past[:, -1:]
    np.testing.assert_allclose(found.transpose(1, 2).flatten(0, 1).numpy(), wanted, atol=1e-6)
    with pytest.raises(ValueError, match="penalty must be positive"):
        fit_line(train, penalty=0.0)


def test_errors_are_means_over_windows_and_columns_step_by_step():
    data = TASK.load()
    found = baseline_errors(data, day=24)
    assert tuple(found) == BASELINES == (MEAN, LAST, YESTERDAY, LINEAR)
    labels, past = data["test"].labels.double(), data["test"].inputs[..., :-1].double()
    for step in (0, 1, 25):
        wanted = labels[:, step]
        assert found[MEAN].squared[step].item() == pytest.approx(wanted.square().mean().item())
        assert found[LAST].absolute[step].item() == pytest.approx((wanted - past[:, -1]).abs().mean().item())
        before = past[:, 30 - 24 + step % 24]
        assert found[YESTERDAY].squared[step].item() == pytest.approx((wanted - before).square().mean().item())
    assert found[LINEAR].squared.mean() < found[YESTERDAY].squared.mean() < found[LAST].squared.mean()
