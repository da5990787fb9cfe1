import math

import pytest
import torch

from inductive_bias.layers import rem_lags, rem_matrix
from tests.hostile import refused
from tests.layers.naive import example, gradients, naive_lags, naive_matrix

KINDS = ("real", "cos", "sin")
DECAY, ANGLE = torch.tensor([0.5, 0.9]), torch.tensor([0.3, 2.0])


@pytest.mark.parametrize("diagonal", ["zero", "printed"])
@pytest.mark.parametrize("dilation", [1, 2, 5])
@pytest.mark.parametrize("length", [1, 2, 9])
def test_lags_are_powers_made_by_repeated_multiplication(length, dilation, diagonal):
    _, decay, angle = example(KINDS)
    ours = rem_lags(KINDS, decay, angle, length, dilation=dilation, diagonal=diagonal)
    want = torch.stack(
        [naive_lags(kind, decay[h], angle[h], length, dilation, diagonal) for h, kind in enumerate(KINDS)]
    )
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, (decay, angle)), gradients(want, (decay, angle)))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("length", [1, 2, 9])
def test_the_matrix_holds_the_lag_of_every_pair(length, causal):
    _, decay, angle = example(KINDS)
    ours = rem_matrix(KINDS, decay, angle, length, dilation=(1, 2, 3), causal=causal)
    want = naive_matrix(KINDS, decay, angle, length, (1, 2, 3), causal)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, (decay, angle)), gradients(want, (decay, angle)))


def test_a_golden_matrix():
    (matrix,) = rem_matrix("real", torch.tensor([-0.5]), None, 4)
    want = [[0, 0, 0, 0], [-0.5, 0, 0, 0], [0.25, -0.5, 0, 0], [-0.125, 0.25, -0.5, 0]]
    assert matrix.tolist() == want
    (symmetric,) = rem_matrix("real", torch.tensor([-0.5]), None, 4, causal=False)
    assert torch.equal(symmetric, matrix + matrix.T)


def test_a_dilated_matrix_is_the_kronecker_product_with_the_identity():
    # the paper's definition: P ⊗ I_d, cut to t × t
    small = rem_matrix("cos", DECAY, ANGLE, 4)
    dilated = rem_matrix("cos", DECAY, ANGLE, 11, dilation=3)
    for one, other in zip(small, dilated, strict=True):
        torch.testing.assert_close(torch.kron(one, torch.eye(3))[:11, :11], other)


@pytest.mark.parametrize(("kind", "first"), [("real", 0.0), ("cos", 1.0), ("sin", 0.0)])
def test_only_the_printed_cosine_has_a_diagonal(kind, first):
    for causal in (True, False):
        matrix = rem_matrix(kind, DECAY, ANGLE, 3, causal=causal, diagonal="printed")
        assert (matrix.diagonal(dim1=1, dim2=2) == first).all()
        assert (rem_matrix(kind, DECAY, ANGLE, 3, causal=causal).diagonal(dim1=1, dim2=2) == 0).all()


def test_no_decay_at_all_has_a_gradient_at_lag_one_only():
    decay = torch.zeros(1, requires_grad=True)
    lags = rem_lags("real", decay, None, 5)
    assert lags.tolist() == [[0.0] * 5]
    assert [torch.autograd.grad(lags[0, n], decay, retain_graph=True)[0].item() for n in range(5)] == [0, 1, 0, 0, 0]


def test_far_lags_are_exact_and_vanish_without_nan():
    decay = torch.tensor([-0.9999, 0.5], requires_grad=True)
    angle = torch.tensor([2.0, 2.0], requires_grad=True)
    lags = rem_lags(("real", "cos"), decay, angle, 16_384)
    assert lags.dtype == torch.float32
    n = 16_383
    assert lags[0, n].item() == pytest.approx(-math.exp(n * math.log(-decay[0].item())), rel=1e-6)
    assert lags[1, n].item() == 0
    assert all(grad.isfinite().all() for grad in gradients(lags, (decay, angle)))
    slow = rem_lags("cos", torch.tensor([0.99999]), torch.tensor([2.0]), n + 1)[0, n].item()
    assert slow == pytest.approx(0.99999**n * math.cos(2 * n), rel=1e-2)  # γ itself is rounded: n · 2⁻²⁴


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "tan"}, "kind must be one of real, cos, sin, not 'tan'"),
        ({"kind": ("cos",) * 3}, "kind must be one value or one for each of the 2 heads, not 3 values"),
        ({"dilation": 0}, "dilation must be an integer of at least 1, not 0"),
        ({"dilation": (1, -2)}, "dilation must be an integer of at least 1, not -2"),
        ({"dilation": (1, 2, 3)}, "dilation must be one value or one for each of the 2 heads"),
        ({"length": 0}, "length must be an integer of at least 1, not 0"),
        ({"diagonal": "one"}, "diagonal must be one of zero, printed, not 'one'"),
        ({"decay": torch.tensor([0.5, -0.5])}, "decay of a cos head must lie strictly between 0 and 1, not -0.5"),
        ({"decay": torch.tensor([0.5, 1.0])}, "strictly between 0 and 1, not 1.0"),
        ({"kind": "real", "decay": torch.tensor([0.5, -1.0])}, "real head must lie strictly between -1 and 1, not -1"),
        ({"kind": "real", "decay": torch.tensor([0.5, torch.nan])}, "strictly between -1 and 1, not nan"),
        (
            {"decay": torch.tensor([0.5 + 0.1j, 0.5])},
            "decay must hold real floating-point numbers, not torch.complex64",
        ),
        ({"decay": torch.tensor([1, 0])}, "decay must hold real floating-point numbers, not torch.int64"),
        ({"decay": torch.tensor(0.5)}, r"decay must have 1 dimensions \[h\], not shape \(\)"),
        ({"decay": torch.zeros(0), "angle": torch.zeros(0)}, "decay must not be empty"),
        ({"angle": None}, "angle may be left out"),
        ({"angle": torch.zeros(3)}, r"angle must have decay's shape \(2,\), not \(3,\)"),
        ({"angle": torch.zeros(2, device="meta")}, "one device, not decay on cpu, angle on meta"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    arguments = {"kind": "cos", "decay": DECAY, "angle": ANGLE, "length": 4} | change
    for function in (rem_lags, rem_matrix):
        refused(function, message, **arguments)
