import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from torch import nn

from inductive_bias.analysis import equivariance_error, invariance_error, linear_equivariance_error, shift


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def islands(n=4, size=16, border=6):
    """Images that are empty but for the middle."""
    images = torch.zeros(n, 1, size, size, dtype=torch.float64)
    images[..., border:-border, border:-border] = draw(n, 1, size - 2 * border, size - 2 * border).abs()
    return images


def convolutions(stride=1):
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 4, 3, padding=1, stride=stride), nn.ReLU()
    ).double()


def naive_shift(images, dy, dx):
    out = np.zeros_like(images)
    _n, _c, height, width = images.shape
    for y in range(height):
        for x in range(width):
            if 0 <= y - dy < height and 0 <= x - dx < width:
                out[:, :, y, x] = images[:, :, y - dy, x - dx]
    return out


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(-7, 7), st.integers(-7, 7))
def test_shift_moves_every_pixel_and_fills_with_zeros(height, width, dy, dx):
    images = draw(2, 3, height, width)
    np.testing.assert_array_equal(shift(images, dy, dx).numpy(), naive_shift(images.numpy(), dy, dx))


def test_positive_shifts_go_down_and_right():
    image = torch.zeros(1, 1, 3, 3)
    image[0, 0, 0, 0] = 1.0
    assert shift(image, 1, 2)[0, 0, 1, 2] == 1.0


@pytest.mark.parametrize(("dy", "dx"), [(0, 0), (3, 0), (-2, 4), (4, -4)])
def test_a_convolution_is_exactly_equivariant_on_images_with_empty_borders(dy, dx):
    features, images = convolutions(), islands()
    assert equivariance_error(features, images, dy, dx, crop=2) < 1e-12
    without_bias = convolutions()
    for layer in without_bias[::2]:
        nn.init.zeros_(layer.bias)
    assert equivariance_error(without_bias, images, dy, dx) < 1e-12  # empty stays empty: no border to leave out
    assert (invariance_error(features, images, dy, dx) < 1e-12) == (dy == dx == 0)


@pytest.mark.parametrize(("dy", "dx"), [(1, 0), (3, 5), (-4, 2)])
def test_a_convolution_is_exactly_equivariant_on_any_image_away_from_the_border(dy, dx):
    assert equivariance_error(convolutions(), draw(3, 1, 16, 16), dy, dx, crop=2) < 1e-12


def test_a_strided_convolution_is_equivariant_to_multiples_of_its_stride_only():
    features, images = convolutions(stride=2), islands()
    assert equivariance_error(features, images, 4, -2, stride=2, crop=1) < 1e-12
    assert equivariance_error(features, images, 3, 0, stride=2, crop=1) > 0.05


def test_fractional_moves_are_bilinear():
    def halves(x):
        return F.avg_pool2d(x, 2)

    ramp = torch.arange(12.0, dtype=torch.float64).expand(2, 1, 12, 12) + 5
    # the mean over two columns of a ramp is a ramp, on which linear interpolation is exact
    assert equivariance_error(halves, ramp, 0, 3, stride=2, crop=1) < 1e-12
    # a map of interpolation twin: half a cell down is the mean of a cell and the one above it
    images = islands()
    after, before = halves(shift(images, 1, 0))[..., 1:, :], halves(images)
    moved = (before[..., 1:, :] + before[..., :-1, :]) / 2
    want = (after - moved).norm() / (after.square().sum() + moved.square().sum()).sqrt()
    assert equivariance_error(halves, images, 1, 0, stride=2) == pytest.approx(want.item())


def test_global_average_pooling_is_exactly_invariant_on_images_with_empty_borders():
    trunk = convolutions()
    for layer in trunk[::2]:
        nn.init.zeros_(layer.bias)

    def pooled(x):
        return trunk(x).mean(dim=(2, 3))

    assert invariance_error(pooled, islands(), 3, -4) < 1e-12
    assert invariance_error(nn.Flatten(), islands(), 3, -4) > 0.5


def test_the_norm_scale_is_one_for_orthogonal_features_and_root_two_for_opposite_ones():
    image = torch.zeros(1, 1, 2, 2)
    image[0, 0, 0, 0] = 1.0
    assert invariance_error(nn.Flatten(), image, 1, 0) == pytest.approx(1.0)
    assert invariance_error(lambda x: x[:, :, 0, 0] - x[:, :, 1, 0], image, 1, 0) == pytest.approx(2**0.5)


def test_the_unrelated_scale_is_one_where_a_shift_leaves_no_trace_of_the_image():
    noise = draw(200, 1, 1, 400).abs()  # all positive, hence never orthogonal, and without any order to recognise
    assert invariance_error(nn.Flatten(), noise, 0, 1, normalise="unrelated") == pytest.approx(1.0, abs=0.01)
    assert invariance_error(nn.Flatten(), noise, 0, 1) < 0.7
    assert invariance_error(nn.Flatten(), noise, 0, 0, normalise="unrelated") == 0.0


def test_the_unrelated_scale_is_the_mean_over_all_pairs_of_different_images():
    images = draw(5, 1, 4, 4)
    a, b = shift(images, 1, 0).flatten(1).numpy(), images.flatten(1).numpy()
    pairs = [np.sum((a[i] - b[j]) ** 2) for i in range(5) for j in range(5) if i != j]
    want = np.sqrt(np.mean(np.sum((a - b) ** 2, axis=1)) / np.mean(pairs))
    assert invariance_error(nn.Flatten(), images, 1, 0, normalise="unrelated") == pytest.approx(want)


def test_silent_features_are_equivariant():
    assert equivariance_error(torch.zeros_like, islands(), 1, 1) == 0.0


def test_a_linear_change_of_features_is_found_and_an_unpredictable_one_is_not():
    matrix, offset = draw(4, 3, seed=9), draw(3, seed=8)
    fit, test = draw(50, 4), draw(20, 4, seed=1)
    after_fit, after_test = fit @ matrix + offset, test @ matrix + offset
    assert linear_equivariance_error(fit, after_fit, test, after_test, ridge=1e-12) < 1e-9
    noise = linear_equivariance_error(fit, draw(50, 3, seed=2), test, draw(20, 3, seed=3))
    assert 0.9 < noise < 1.5


def test_the_linear_map_is_scikit_learns_ridge():
    fit, after, test, target = draw(15, 6), draw(15, 3, seed=1), draw(9, 6, seed=2), draw(9, 3, seed=3)
    centred = fit - fit.mean(dim=0)
    alpha = 0.1 * centred.square().sum().item() / 6
    predicted = Ridge(alpha=alpha).fit(fit.numpy(), after.numpy()).predict(test.numpy())
    want = np.linalg.norm(predicted - target.numpy()) / np.linalg.norm(target.numpy() - after.numpy().mean(axis=0))
    assert linear_equivariance_error(fit, after, test, target, ridge=0.1) == pytest.approx(want)


@settings(max_examples=15, deadline=None)
@given(st.floats(1e-3, 1e3), st.integers(0, 99))
def test_the_linear_error_is_free_of_scale_and_rotation(scale, seed):
    fit, after, test, target = draw(9, 4), draw(9, 4, seed=1), draw(5, 4, seed=2), draw(5, 4, seed=3)
    rotation = torch.linalg.qr(draw(4, 4, seed=seed)).Q
    want = linear_equivariance_error(fit, after, test, target)
    turn = scale * rotation
    ours = linear_equivariance_error(fit @ turn, after @ turn, test @ turn, target @ turn)
    assert ours == pytest.approx(want, rel=1e-6)


def test_constant_features_predict_the_mean():
    ones = torch.ones(6, 2)
    assert linear_equivariance_error(ones, draw(6, 3), ones, draw(6, 3, seed=1)) == pytest.approx(1.0)
    assert linear_equivariance_error(ones, ones, ones, ones) == 0.0


def test_single_precision_and_single_images_are_enough():
    one = draw(1, 1, 8, 8).float()
    assert equivariance_error(nn.Identity(), one, 1, 0) == 0.0
    with pytest.raises(ValueError, match="at least 2 images, not 1"):
        equivariance_error(nn.Identity(), one, 1, 0, normalise="unrelated")


@pytest.mark.parametrize("normalise", ["norm", "unrelated"])
def test_features_that_are_no_numbers_have_no_error(normalise):
    images = draw(3, 1, 8, 8)

    def broken(x):
        return torch.full_like(x, math.nan)

    assert math.isnan(equivariance_error(broken, images, 1, 0, normalise=normalise))
    assert math.isnan(invariance_error(broken, images, 1, 0, normalise=normalise))


def test_bad_input_is_refused():
    images = draw(2, 1, 8, 8)
    with pytest.raises(ValueError, match="leave nothing of 8 cells"):
        equivariance_error(nn.Identity(), images, 8, 0)
    with pytest.raises(ValueError, match="leave nothing of 8 cells"):
        equivariance_error(nn.Identity(), images, 0, 0, crop=4)
    with pytest.raises(ValueError, match="not 0 and 0"):
        equivariance_error(nn.Identity(), images, 0, 0, stride=0)
    with pytest.raises(ValueError, match="not 1 and -1"):
        equivariance_error(nn.Identity(), images, 0, 0, crop=-1)
    with pytest.raises(ValueError, match=r"must return \[n, c, h, w\]"):
        equivariance_error(nn.Flatten(), images, 0, 0)
    with pytest.raises((ValueError, TypeError), match="luck"):
        invariance_error(nn.Flatten(), images, 0, 0, normalise="luck")
    with pytest.raises(ValueError, match=r"ridge must be positive and finite, not 0\.0"):
        linear_equivariance_error(draw(3, 2), draw(3, 2), draw(3, 2), draw(3, 2), ridge=0.0)
    with pytest.raises((ValueError, TypeError), match=r"before and after|after_fit"):
        linear_equivariance_error(draw(3, 2), draw(4, 2), draw(3, 2), draw(3, 2))
