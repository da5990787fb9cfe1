"""Intervals beside a population: closed forms, simulated variances, and how often a word is wrong."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from inductive_bias.studies import profile_comparison
from inductive_bias.studies.profile_comparison import (
    SMALLEST_VARIANCE,
    UNUSUAL,
    Usual,
    _trigamma_inverse,
    compare,
    half_width,
    usual_variance,
    word,
)
from inductive_bias.studies.profile_distances import nearest


def table(values, axis="recency", model=None):
    """Rows of one model, a value a run."""
    found = pd.DataFrame({"axis": axis, "number": range(len(values)), "value": np.asarray(values, dtype=float)})
    return found if model is None else found.assign(model=model)


def population(rng, models=30, runs=3, centre=0.5, between=0.2, within=0.03, axis="recency"):
    centres = centre + between * rng.standard_normal(models)
    return pd.concat(
        [table(c + within * rng.standard_normal(runs), axis, f"model {n}") for n, c in enumerate(centres)],
        ignore_index=True,
    )


@pytest.mark.parametrize("y", [0.01, 0.3, 1.0, 7.0, 500.0])
def test_trigamma_is_inverted(y):
    assert _trigamma_inverse(float(special.polygamma(1, y))) == pytest.approx(y, rel=1e-6)


@pytest.mark.parametrize(("prior", "freedom"), [(4.0, 2), (10.0, 3)])
def test_the_distribution_of_variances_is_found(prior, freedom):
    rng = np.random.default_rng(0)
    true = 0.04 * prior / rng.chisquare(prior, 20_000)
    seen = true * rng.chisquare(freedom, 20_000) / freedom
    found = usual_variance(seen, freedom)
    assert found.variance == pytest.approx(0.04, rel=0.05)
    assert found.freedom == pytest.approx(prior, rel=0.1)


def test_equal_variances_are_pooled():
    found = usual_variance(np.full(12, 0.01), 2)
    assert found.freedom == 24
    assert np.isfinite(found.variance)


def test_runs_without_spread_are_rounding():
    found = usual_variance(np.zeros(8), 2)
    half = half_width(np.full(3, 1.0), found, level=0.05)
    assert 0 < half < 5 * np.sqrt(SMALLEST_VARIANCE)


def test_without_a_prior_the_interval_is_students():
    values = np.array([0.1, 0.4, 0.2, 0.35])
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert half_width(values, Usual(1.0, 0.0), level=0.05) == pytest.approx((high - low) / 2)


def test_with_a_sure_prior_the_interval_is_that_of_a_known_variance():
    values = np.array([0.1, 0.9, 0.5])
    known = stats.norm.ppf(0.975) * np.sqrt(0.04 / 3)
    assert half_width(values, Usual(0.04, 1e9), level=0.05) == pytest.approx(known, rel=1e-4)


def test_runs_that_scatter_far_more_than_is_usual_have_their_own_interval():
    values, usual = np.array([0.25, 0.63, 0.26]), Usual(0.002, 8.0)
    low, high = stats.t.interval(0.95, 2, loc=values.mean(), scale=stats.sem(values))
    # F(2, d) has a closed form: its tail is (1 + 2 x / d) ^ (−d / 2)
    assert (1 + 2 * values.var(ddof=1) / usual.variance / 8) ** -4 < UNUSUAL
    assert half_width(values, usual, level=0.05) == pytest.approx((high - low) / 2)
    # just inside the bound the variance is shrunk
    edge = usual.variance * (UNUSUAL**-0.25 - 1) * 8 / 2
    spread = (values - values.mean()) / values.std(ddof=1)
    inside, outside = (half_width(spread * np.sqrt(edge * by), usual, level=0.05) for by in (0.999, 1.001))
    shrunk = (8 * usual.variance + 2 * edge) / 10
    assert inside == pytest.approx(stats.t.ppf(0.975, 10) * np.sqrt(shrunk / 3), rel=1e-3)
    assert outside == pytest.approx(stats.t.ppf(0.975, 2) * np.sqrt(edge / 3), rel=1e-3)


def test_a_model_that_scatters_unlike_its_population_is_missed_less_often_by_its_own_interval(monkeypatch):
    """With ten times the usual spread four shrunk intervals in ten miss the truth, and eight in a hundred others."""
    draws = 0.3 * np.random.default_rng(3).standard_normal((2_000, 3))

    def missed():
        return np.mean([abs(values.mean()) > half_width(values, Usual(0.03**2, 8.0), level=0.05) for values in draws])

    assert missed() < 0.09
    monkeypatch.setattr(profile_comparison, "UNUSUAL", 0.0)
    assert missed() > 0.3


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.05, 0.05, "alike"),
        (0.01, 0.05, "alike"),
        (0.01, 0.3, "more"),
        (-0.3, -0.01, "less"),
        (-0.2, 0.05, "cannot tell"),
        (-0.1, 0.1, "cannot tell"),
        (0.0, 0.3, "cannot tell"),
    ],
)
def test_words(low, high, said):
    assert word(low, high, 0.1) == said


def test_a_model_is_placed_beside_the_median():
    others = pd.concat([table([level] * 3, model=f"model {level}") for level in (0.2, 0.4, 0.6)])
    (found,) = compare(table([0.8, 0.82, 0.81]), others)
    assert found.word == "more"
    assert found.others == pytest.approx(0.4)
    assert found.difference == pytest.approx(0.41)
    assert (found.place, found.of) == (3, 3)
    assert found.low < found.value < found.high


def test_runs_are_pairs_by_their_number():
    """A number whose sequences are harder for all is no spread of the difference."""
    hard = np.array([0.0, -0.3, 0.2])
    others = pd.concat([table(0.5 + 0.02 * n + hard, model=f"model {n}") for n in range(-4, 5)])
    (found,) = compare(table(0.6 + hard), others)
    assert found.word == "more"
    assert found.visible < 0.02
    shuffled = table(0.6 + hard[[1, 2, 0]])
    assert compare(shuffled, others)[0].visible > 0.05


def test_what_was_not_learnt_has_no_word():
    others = population(np.random.default_rng(0))
    (found,) = compare(table([0.5, np.nan, 0.5]), others)
    assert found.word == "not learnt"
    unlearnt = others.assign(value=np.nan)
    (found,) = compare(table([0.5, 0.5, 0.5]), unlearnt)
    assert found.word == "cannot tell"
    assert found.of == 0


def test_intervals_miss_as_seldom_as_they_say():
    """Of a model that is like its population, at most about five intervals in a hundred miss the truth."""
    rng, missed, rounds = np.random.default_rng(1), 0, 2_000
    for _ in range(rounds):
        # each model has a spread of its own, as in a population of real models
        spreads = np.sqrt(0.03**2 * 6 / rng.chisquare(6, 16))
        runs = spreads[:, None] * rng.standard_normal((16, 3))
        usual = usual_variance(runs[1:].var(axis=1, ddof=1), 2)
        missed += abs(runs[0].mean()) > half_width(runs[0], usual, level=0.05)
    assert 0.03 < missed / rounds < 0.07


def test_more_axes_are_paid_for():
    rng = np.random.default_rng(2)
    own, others = table([0.5, 0.52, 0.55]), population(rng)
    (alone,) = compare(own, others)
    both = compare(pd.concat([own, own.assign(axis="recall")]), pd.concat([others, others.assign(axis="recall")]))
    assert both[0].visible > alone.visible


def test_the_nearest_is_the_most_similar():
    profiles = pd.DataFrame(
        {"recency": [0.1, 0.9, 0.5], "recall": [0.2, 0.8, np.nan], "length": [1.0, 0.0, np.nan]},
        index=["attention", "LSTM", "broken"],
    )
    own = pd.Series({"recency": 0.8, "recall": 0.9, "length": 0.0})
    found = nearest(own, profiles)
    assert list(found.index) == ["LSTM", "attention"]
    assert found["LSTM"] == pytest.approx((0.1 + 0.1 + 0.0) / 3)
