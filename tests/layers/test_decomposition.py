import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.layers import LinearRNN, NearlyDefectiveWarning, decompose, recompose, rem_matrix
from tests.hostile import refused


def random_weight(n, seed=0, radius=0.95):
    weight = torch.randn(n, n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return radius * weight / torch.linalg.eigvals(weight).abs().max()


def run(weight, inputs):
    """One step at a time: ``h_t = W h_{t−1} + u_t``."""
    state, states = torch.zeros_like(inputs[:, 0]), []
    for u in inputs.unbind(1):
        state = state @ weight.T + u
        states.append(state)
    return torch.stack(states, 1)


def inputs_of(n, t=40):
    return torch.randn(2, t, n, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 9), seed=st.integers(0, 10_000), radius=st.floats(0.1, 1.2))
def test_heads_are_the_rnn_to_machine_precision(n, seed, radius):
    weight, inputs = random_weight(n, seed, radius), inputs_of(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearlyDefectiveWarning)
        heads = decompose(weight)
    want = run(weight, inputs)
    # eigenvectors of condition κ lose log₁₀ κ digits
    tolerance = 1e-13 * heads.condition * want.abs().max().item()
    torch.testing.assert_close(heads.apply(inputs), want, rtol=0, atol=tolerance)
    torch.testing.assert_close(recompose(heads), weight, rtol=0, atol=1e-13 * heads.condition)
    assert heads.error <= 1e-13 * heads.condition


def test_the_golden_matrix_of_the_reference_has_two_real_heads_and_two_pairs():
    for seed in range(100):
        weight = random_weight(6, seed)
        if (torch.linalg.eigvals(weight).imag == 0).sum() == 2:
            break
    heads = decompose(weight)
    assert heads.kinds == ("real", "real", "cos", "cos", "sin", "sin")
    matrices = rem_matrix(heads.kinds, heads.decay, heads.angle, 40)
    inputs = inputs_of(6)
    # h_t = u_t (lag 0) + Σ over heads of P_k (G_k u)
    ours = inputs + torch.einsum("hts,hij,bsj->bti", matrices, heads.maps, inputs)
    torch.testing.assert_close(ours, run(weight, inputs), rtol=0, atol=1e-10)


def test_real_maps_are_projectors_that_do_not_mix():
    weight = random_weight(7, 3)
    heads = decompose(weight)
    pairs = heads.kinds.count("cos")
    real = heads.maps[: heads.kinds.count("real")]
    cos = heads.maps[len(real) : len(real) + pairs]
    for one in real:
        torch.testing.assert_close(one @ one, one)
        assert torch.linalg.matrix_rank(one) == 1
    torch.testing.assert_close(real.sum(0) + cos.sum(0), torch.eye(7, dtype=torch.float64))
    if len(real) > 1:
        torch.testing.assert_close(real[0] @ real[1], torch.zeros(7, 7, dtype=torch.float64))


def test_eigenvalues_of_zero_need_no_head():
    weight = torch.zeros(3, 3)
    weight[0, 0] = 0.5
    heads = decompose(weight)
    assert (heads.kinds, heads.decay.tolist()) == (("real",), [0.5])
    nothing = decompose(torch.zeros(3, 3))
    assert nothing.kinds == ()
    assert torch.equal(nothing.apply(inputs_of(3)), inputs_of(3))
    assert torch.equal(recompose(nothing), torch.zeros(3, 3, dtype=torch.float64))


def test_a_rotation_is_one_pair_and_equal_eigenvalues_are_no_defect():
    rotation = decompose(torch.tensor([[0.0, -0.9], [0.9, 0.0]]))
    assert rotation.kinds == ("cos", "sin")
    torch.testing.assert_close(rotation.angle, torch.full((2,), torch.pi / 2, dtype=torch.float64))
    identity = decompose(0.5 * torch.eye(3))
    assert identity.kinds == ("real",) * 3
    assert identity.condition == pytest.approx(1)
    assert identity.error == 0


@pytest.mark.parametrize(
    "weight",
    [
        torch.tensor([[0.5, 1.0], [0.0, 0.5]]),
        torch.tensor([[0.0, 1.0], [0.0, 0.0]]),
        torch.diag(torch.full((4,), 0.9)) + torch.diag(torch.ones(3), 1),
    ],
    ids=["Jordan block", "nilpotent", "Jordan block of four"],
)
def test_a_defective_matrix_is_approximated_with_a_warning_that_says_how_well(weight):
    with pytest.warns(NearlyDefectiveWarning, match=r"condition number \S+e\+\d+ .* relative error of \S+e-\d+"):
        heads = decompose(weight)
    assert heads.error < 1e-8
    weight, inputs = weight.double(), inputs_of(len(weight), t=60)
    assert (heads.apply(inputs) - run(weight, inputs)).abs().max() < 1e-5
    largest = max(torch.linalg.matrix_power(weight, n).norm() for n in range(1, 65))
    assert (recompose(heads) - weight).norm() <= heads.error * largest * (1 + 1e-9)


def test_the_error_is_that_of_the_worst_of_64_powers():
    weight = torch.diag(torch.full((3,), 0.9)).double() + torch.diag(torch.ones(2), 1)
    with pytest.warns(NearlyDefectiveWarning):
        heads = decompose(weight)
    powers = torch.stack([torch.linalg.matrix_power(weight, n) for n in range(1, 65)])
    impulse = torch.zeros(3, 65, 3, dtype=torch.float64)
    impulse[:, 0] = torch.eye(3)
    sums = heads.apply(impulse)[:, 1:].permute(1, 2, 0)
    errors = (sums - powers).norm(dim=(1, 2)) / powers.norm(dim=(1, 2)).max()
    # both are rounding errors: another order of sums, and another processor, doubles them or halves them; that of the
    # first power alone would not pass
    assert errors.max() / 4 < heads.error < 4 * errors.max()
    assert errors[0] < errors.max() / 4


def test_powers_that_overflow_are_left_out_of_the_error():
    assert decompose(1e6 * torch.randn(16, 16, generator=torch.Generator().manual_seed(0))).error < 1e-10


def test_an_rnn_and_its_heads_are_each_other_s_reverse():
    torch.manual_seed(0)
    rnn = LinearRNN(5).double()
    x = inputs_of(5)
    torch.testing.assert_close(rnn.heads().apply(rnn.input(x)), rnn.states(x))
    again = LinearRNN.from_heads(rnn.heads())
    torch.testing.assert_close(again.recurrent, rnn.recurrent)
    torch.testing.assert_close(again(rnn.input(x)), rnn.states(x))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.zeros(2, 3), r"recurrent_weight must be square, not of shape \(2, 3\)"),
        (torch.zeros(2, 2, 2), "recurrent_weight must have 2 dimensions"),
        (torch.zeros(0, 0), "recurrent_weight must not be empty"),
        (torch.zeros(2, 2, dtype=torch.int64), "real floating-point numbers, not torch.int64"),
        (torch.zeros(2, 2, dtype=torch.complex64), "real floating-point numbers, not torch.complex64"),
        (torch.tensor([[1.0, torch.nan], [0.0, 1.0]]), "recurrent_weight must be finite, not nan"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    refused(decompose, message, weight)
