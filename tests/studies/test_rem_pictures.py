import math

import numpy as np
import pytest

from inductive_bias.studies.rnn_heads import rem


def test_the_layer_s_six_kinds_are_those_of_the_functions():
    found = rem.six_kinds()
    assert tuple(found) == rem.SIX
    for (name, ours), (kind, dilation) in zip(
        found.items(), [(kind, d) for d in (1, 2) for kind in ("real", "cos", "sin")], strict=True
    ):
        assert name.startswith(kind)
        np.testing.assert_allclose(ours, rem.matrix(kind, rem.DECAY, 45, dilation), atol=1e-15)


def test_a_causal_matrix_has_nothing_on_or_above_the_diagonal_and_an_unmasked_one_is_symmetric():
    for matrix in rem.six_kinds().values():
        np.testing.assert_array_equal(np.triu(matrix), 0)
    for matrix in rem.six_kinds(causal=False).values():
        np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("decay", [0.5, 0.9, -0.9, 0.99])
def test_reach_is_where_the_weights_stay_small(decay):
    lags = rem.weights("real", decay, length=rem.reach(decay) + 2)
    assert np.abs(lags[rem.reach(decay) :]).max() < rem.FORGOTTEN <= abs(lags[rem.reach(decay) - 1])


def test_the_starting_ranges_are_those_of_the_layer():
    low, high = rem.START["|λ|"]
    assert (round(low, 2), round(high, 2)) == (0.76, 0.96)
    assert [round(value, 2) for value in rem.START["γ"]] == [0.73, 0.88]
    assert rem.START["gate σ(μ)"][0] == pytest.approx(1 - rem.START["gate σ(μ)"][1])


def test_the_tables_say_that_only_a_cos_diagonal_differs_and_that_matrix_and_steps_agree():
    table = rem.diagonal_table().set_index("kind")
    assert table["on the diagonal"].to_dict() == {"real": 0, "cos": 1, "sin": 0}
    assert (table["elsewhere"] == 0).all()
    assert set(rem.recurrence_table().iloc[:, 1]) == {"yes"}
    sums = rem.rows_table().set_index("kind")["sum"]
    assert sums["real, λⁿ"] == pytest.approx(sum(rem.DECAY**n for n in range(1, rem.LENGTH)))


def test_titles_name_what_is_set():
    assert rem.words("real", -0.9, 0, 1) == "real\nλ = −0.9"
    assert rem.words("cos", 0.95, 45, 3) == "cos, d = 3\nγ = 0.95, θ = 45°"
    assert math.isclose(rem.ANGLE, math.radians(45))
