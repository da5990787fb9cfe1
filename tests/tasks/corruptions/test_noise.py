import numpy as np
import pytest

from inductive_bias.tasks.corruptions.noise import impulse_noise, shot_noise
from inductive_bias.tasks.mnist_c import corrupt


@pytest.mark.parametrize("level", [0.0, 0.2, 1.0])
def test_shot_noise_is_poisson_of_three_photons(rng, level):
    photons = 3 * shot_noise(np.full((100, 28, 28), level), rng)
    np.testing.assert_array_equal(photons, np.rint(photons))
    assert photons.mean() == pytest.approx(3 * level, abs=0.03)  # six standard errors
    assert photons.var() == pytest.approx(3 * level, abs=0.12)


def test_impulse_noise_sets_17_percent_half_to_each_end(rng):
    noisy = impulse_noise(np.full((100, 28, 28), 0.5), rng)
    assert set(np.unique(noisy)) == {0, 0.5, 1}
    assert (noisy == 1).mean() == pytest.approx(0.085, abs=0.006)
    assert (noisy == 0).mean() == pytest.approx(0.085, abs=0.006)


def test_released_shot_noise_has_our_values_and_statistics(clean, released):
    files, ours = released("shot_noise"), corrupt(clean, "shot_noise", seed=0)
    assert set(np.unique(files)) == set(np.unique(ours)) == {0, 85, 170, 255}
    for low, high in ((1, 60), (60, 200), (200, 256)):
        part = (clean >= low) & (clean < high)
        counts = [np.bincount(images[part] // 85, minlength=4) / part.sum() for images in (files, ours)]
        np.testing.assert_allclose(*counts, atol=0.03)
    assert not files[clean == 0].any()


def test_released_impulse_noise_has_our_statistics(clean, released):
    for images in (released("impulse_noise"), corrupt(clean, "impulse_noise", seed=0)):
        changed = images != clean
        assert set(np.unique(images[changed])) == {0, 255}
        assert (images == 255)[clean < 255].mean() == pytest.approx(0.085, abs=0.003)
        assert (images == 0)[clean > 0].mean() == pytest.approx(0.085, abs=0.006)
