import math

import numpy as np
import pytest

from inductive_bias.studies.rnn_heads import design, figures


def test_the_layer_s_six_kinds_are_those_of_the_functions():
    settings = [(kind, dilation) for dilation in (1, 2) for kind in figures.REM_KINDS]
    for (name, ours), (kind, dilation) in zip(figures.six_kinds().items(), settings, strict=True):
        assert name.startswith(kind)
        np.testing.assert_allclose(
            ours, figures.rem_matrix(kind, figures.REM_DECAY, figures.REM_ANGLE, dilation), atol=1e-15
        )
        np.testing.assert_array_equal(np.triu(ours), 0)
    for matrix in figures.six_kinds(causal=False).values():
        np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("decay", [0.5, 0.9, -0.9, 0.99])
def test_reach_is_where_the_weights_stay_small(decay):
    lags = figures.rem_weights("real", decay, 0, length=figures.reach(decay) + 2)
    assert np.abs(lags[figures.reach(decay) :]).max() < figures.FORGOTTEN <= abs(lags[figures.reach(decay) - 1])


def test_the_starting_ranges_are_those_of_the_layer():
    rounded = {name: tuple(round(value, 2) for value in ends) for name, ends in figures.REM_STARTS.items()}
    assert rounded == {"|λ|": (0.76, 0.96), "γ": (0.73, 0.88)}
    assert figures.reach_table()["value"].tolist()[:4] == [*figures.REM_STARTS["|λ|"], *figures.REM_STARTS["γ"]]


def test_titles_name_what_is_set():
    assert figures.rem_title("real", -0.9, 0, 1) == "real\nλ = −0.9"
    assert figures.rem_title("cos", 0.95, 45, 3) == "cos, d = 3\nγ = 0.95, θ = 45°"


def test_a_trained_head_may_grow_and_lag_0_is_the_identity():
    assert figures.head_matrix("real", 1.1, 0.0, 9)[8, 0] == pytest.approx(1.1**8)
    assert figures.head_matrix("sin", 0.9, 0.5)[5, 2] == pytest.approx(0.9**3 * math.sin(1.5))
    np.testing.assert_array_equal(figures.head_matrix(design.LAG_ZERO, 0.0, 0.0, 3), np.eye(3))
