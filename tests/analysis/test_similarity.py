import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.analysis import (
    distance_matrix,
    noise_floor,
    representational_similarity,
    similarity_between,
    similarity_matrix,
)

FORMS = ["cosine", "centred", "cka", "debiased"]


def draw(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) + 0.5


def naive_cosines(features):
    n = len(features)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            norms = np.sqrt(np.sum(features[i] ** 2)) * np.sqrt(np.sum(features[j] ** 2))
            out[i, j] = np.sum(features[i] * features[j]) / norms
    return out


def naive_similarity(a, b, form):
    n = len(a)
    if form == "cka":  # Kornblith et al. (2019): HSIC of centred Gram matrices
        centring = np.eye(n) - np.ones((n, n)) / n
        k, m = (centring @ f @ f.T @ centring for f in (a, b))
        return np.trace(k @ m) / np.sqrt(np.trace(k @ k) * np.trace(m @ m))
    if form == "debiased":  # Song et al. (2012), equation 5
        k, m = (f @ f.T - np.diag(np.square(f).sum(1)) for f in (a, b))

        def hsic(k, m):
            ones = np.ones(n)
            means = (ones @ k @ ones) * (ones @ m @ ones) / ((n - 1) * (n - 2))
            return (np.trace(k @ m) + means - 2 / (n - 2) * ones @ k @ m @ ones) / (n * (n - 3))

        return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))
    k, m = naive_cosines(a), naive_cosines(b)
    if form == "centred":
        upper = np.triu_indices(n, 1)
        return np.corrcoef(k[upper], m[upper])[0, 1]
    rows = [np.dot(k[i] / np.linalg.norm(k[i]), m[i] / np.linalg.norm(m[i])) for i in range(n)]
    return np.mean(rows)


@pytest.mark.parametrize("n", [1, 2, 65])
def test_similarity_matrix_holds_cosines(n):
    features = draw(n, 3)
    np.testing.assert_allclose(similarity_matrix(features), naive_cosines(features), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "d1", "d2"), [(4, 2, 3), (7, 20, 3), (65, 4, 5), (130, 3, 150)])
def test_similarity_is_the_formula(form, n, d1, d2):
    a, b = draw(n, d1), draw(n, d2, seed=1)
    assert representational_similarity(a, b, form=form) == pytest.approx(naive_similarity(a, b, form), abs=1e-12)


def test_centred_form_is_rsatoolboxs_correlation_of_dissimilarities():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from rsatoolbox.rdm import RDMs, compare

    a, b = draw(20, 5), draw(20, 8, seed=1)
    upper = np.triu_indices(20, 1)
    dissimilarities = [RDMs(1 - similarity_matrix(f)[upper][None]) for f in (a, b)]
    theirs = compare(*dissimilarities, method="corr")[0, 0]
    assert representational_similarity(a, b, form="centred") == pytest.approx(theirs, abs=1e-12)


def test_similarity_matrix_is_scikit_learns():
    from sklearn.metrics.pairwise import cosine_similarity

    features = draw(9, 4)
    np.testing.assert_allclose(similarity_matrix(features), cosine_similarity(features), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_many_models_at_once_equal_every_pair(form):
    models = [draw(70, d, seed=d).astype(np.float32) for d in (2, 30, 90)]
    matrix = similarity_between(models, form=form)
    for i, a in enumerate(models):
        for j, b in enumerate(models):
            assert matrix[i, j] == pytest.approx(representational_similarity(a, b, form=form), abs=1e-9)
    np.testing.assert_allclose(np.diagonal(matrix), 1.0)
    np.testing.assert_array_equal(matrix, matrix.T)


def random_rotation(d, seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.integers(4, 20), st.integers(2, 6))
def test_rotation_scale_and_example_order_change_nothing(form, seed, scale, n, d):
    a, b = draw(n, d, seed), draw(n, d + 1, seed + 1)
    want = representational_similarity(a, b, form=form)
    moved = scale * a @ random_rotation(d, seed)
    assert representational_similarity(moved, b, form=form) == pytest.approx(want, abs=1e-9, nan_ok=True)
    assert representational_similarity(a, moved, form=form) == pytest.approx(1.0)
    order = np.random.default_rng(seed).permutation(n)
    assert representational_similarity(a[order], b[order], form=form) == pytest.approx(want, abs=1e-9, nan_ok=True)
    assert representational_similarity(b, a, form=form) == pytest.approx(want, abs=1e-9, nan_ok=True)
    assert -1 - 1e-9 <= want <= 1 + 1e-9


def test_only_cka_ignores_a_common_offset():
    a, b = draw(12, 4), draw(12, 4, seed=1)
    shifted = {form: representational_similarity(a + 7, b, form=form) for form in FORMS}
    plain = {form: representational_similarity(a, b, form=form) for form in FORMS}
    assert shifted["cka"] == pytest.approx(plain["cka"])
    assert abs(shifted["cosine"] - plain["cosine"]) > 0.01


def test_all_positive_features_look_alike_in_the_papers_form_only():
    a, b = np.abs(draw(100, 16)), np.abs(draw(100, 16, seed=1))
    assert representational_similarity(a, b, form="cosine") > 0.95
    assert abs(representational_similarity(a, b, form="centred")) < 0.1


@pytest.mark.parametrize("form", FORMS)
def test_an_example_without_any_active_feature_is_like_itself_alone(form):
    features = np.abs(draw(6, 4))
    features[2] = 0.0
    assert similarity_matrix(features)[2].tolist() == [0, 0, 1, 0, 0, 0]
    assert representational_similarity(features, features, form=form) == pytest.approx(1.0)
    assert np.isfinite(representational_similarity(features, np.abs(draw(6, 4, seed=1)), form=form))


@pytest.mark.parametrize("form", ["centred", "cka"])
def test_features_without_any_difference_have_no_centred_similarity(form):
    assert np.isnan(representational_similarity(np.full((9, 3), 0.1), draw(9, 2), form=form))
    assert np.isnan(representational_similarity(draw(9, 2), np.full((9, 300), 0.1), form=form))


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_cka_survives_extreme_scales(scale):
    for n, d in ((9, 3), (3, 9)):
        a, b = draw(n, d), draw(n, d, seed=1)
        want = representational_similarity(a, b, form="cka")
        assert representational_similarity(scale * a, b, form="cka") == pytest.approx(want)


def test_distances_are_never_negative_and_zero_from_a_model_to_itself():
    similarity = np.array([[1 - 1e-12, 1 + 1e-9, 0.5], [1 + 1e-9, 1.0, -1.0], [0.5, -1.0, 1.0]])
    np.testing.assert_allclose(distance_matrix(similarity), [[0, 0, 0.5], [0, 0, 2], [0.5, 2, 0]])
    np.testing.assert_allclose(distance_matrix(similarity, kind="chord"), [[0, 0, 1], [0, 0, 2], [1, 2, 0]])
    assert not np.diagonal(distance_matrix(similarity)).any()


@pytest.mark.parametrize("form", FORMS)
def test_chord_distances_obey_the_triangle_inequality(form):
    distance = distance_matrix(similarity_between([draw(9, 3, seed) for seed in range(8)], form=form), kind="chord")
    assert (distance[:, None, :] <= distance[:, :, None] + distance[None, :, :] + 1e-12).all()


def test_bad_input_is_refused():
    a = draw(4, 2)
    with pytest.raises((ValueError, TypeError), match="pearson"):
        representational_similarity(a, a, form="pearson")
    with pytest.raises((ValueError, TypeError), match=r"examples|5,2"):
        representational_similarity(a, draw(5, 2))
    with pytest.raises(ValueError, match=r"same examples, but their numbers are \[4, 5\]"):
        similarity_between([a, draw(5, 2)])
    with pytest.raises(ValueError, match="no model"):
        similarity_between([])
    with pytest.raises(ValueError, match="must be finite"):
        representational_similarity(a, np.where(a > 0, np.nan, a))
    with pytest.raises(ValueError, match="non-empty"):
        similarity_matrix(np.zeros((0, 3)))
    with pytest.raises((ValueError, TypeError), match=r"square|2,3"):
        distance_matrix(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="symmetric"):
        distance_matrix(np.array([[1.0, 0.0], [0.5, 1.0]]))
    with pytest.raises((ValueError, TypeError), match="arc"):
        distance_matrix(np.eye(2), kind="arc")


def test_independent_features_are_not_similar_by_the_debiased_form_and_by_others_are():
    # the case A1: 200 examples of 2,048 independent normal numbers
    a, b = (np.random.default_rng(seed).normal(size=(200, 2048)) for seed in (0, 1))
    found = {form: representational_similarity(a, b, form=form) for form in FORMS}
    assert found["cosine"] == pytest.approx(0.912, abs=2e-3)
    assert found["cka"] == pytest.approx(0.911, abs=2e-3)
    assert abs(found["debiased"]) < 0.01
    for form in FORMS:
        mean, deviation = noise_floor(a[:, :300], b[:, :300], form=form, draws=5)
        assert representational_similarity(a[:, :300], b[:, :300], form=form) == pytest.approx(mean, abs=6 * deviation)


def test_the_noise_floor_is_that_of_shuffled_examples():
    a = draw(30, 6)
    b = a @ draw(6, 4, seed=1)
    random = np.random.default_rng(7)
    wanted = [naive_similarity(a, b[random.permutation(30)], "cka") for _ in range(6)]
    mean, deviation = noise_floor(a, b, form="cka", draws=6, seed=7)
    assert mean == pytest.approx(np.mean(wanted))
    assert deviation == pytest.approx(np.std(wanted, ddof=1))
    assert representational_similarity(a, b, form="cka") > mean + 6 * deviation
    with pytest.raises(ValueError, match="draws must be at least 2, not 1"):
        noise_floor(a, b, draws=1)


def test_the_debiased_form_needs_four_examples():
    assert np.isnan(representational_similarity(draw(3, 2), draw(3, 2, seed=1), form="debiased"))
    assert representational_similarity(draw(4, 2), draw(4, 2), form="debiased") == pytest.approx(1)
