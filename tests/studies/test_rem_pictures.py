import math

import numpy as np
import pytest

from inductive_bias.studies.rnn_heads import figures, rem, tables


def test_the_layer_s_six_kinds_are_those_of_the_functions():
    settings = [(kind, dilation) for dilation in (1, 2) for kind in rem.KINDS]
    for (name, ours), (kind, dilation) in zip(rem.six_kinds().items(), settings, strict=True):
        assert name.startswith(kind)
        np.testing.assert_allclose(ours, rem.matrix(kind, rem.DECAY, rem.ANGLE, dilation), atol=1e-15)
        np.testing.assert_array_equal(np.triu(ours), 0)
    for matrix in rem.six_kinds(causal=False).values():
        np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("decay", [0.5, 0.9, -0.9, 0.99])
def test_reach_is_where_the_weights_stay_small(decay):
    lags = rem.weights("real", decay, 0, length=rem.reach(decay) + 2)
    assert np.abs(lags[rem.reach(decay) :]).max() < rem.FORGOTTEN <= abs(lags[rem.reach(decay) - 1])


def test_the_starting_ranges_are_those_of_the_layer():
    rounded = {name: tuple(round(value, 2) for value in ends) for name, ends in rem.START.items()}
    assert rounded == {"|λ|": (0.76, 0.96), "γ": (0.73, 0.88)}
    assert rem.reach_table()["value"].tolist()[:4] == [*rem.START["|λ|"], *rem.START["γ"]]


def test_titles_name_what_is_set():
    assert rem.words("real", -0.9, 0, 1) == "real\nλ = −0.9"
    assert rem.words("cos", 0.95, 45, 3) == "cos, d = 3\nγ = 0.95, θ = 45°"


def test_a_trained_head_may_grow_and_lag_0_is_the_identity():
    assert figures.head_matrix("real", 1.1, 0.0, 9)[8, 0] == pytest.approx(1.1**8)
    assert figures.head_matrix("sin", 0.9, 0.5)[5, 2] == pytest.approx(0.9**3 * math.sin(1.5))
    np.testing.assert_array_equal(figures.head_matrix(tables.LAG_ZERO, 0.0, 0.0, 3), np.eye(3))
