"""A REM as one recurrence, by the compiled form: against the formula written out, and against the chunks."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.fx.experimental.proxy_tensor import make_fx

from inductive_bias.layers import apply_rem, kernel, rem_matrix
from inductive_bias.layers.chunked import apply
from inductive_bias.layers.kernels import form_for
from tests.layers.naive import example, gradients, naive_matrix

pytestmark = pytest.mark.usefixtures("compiled")

KINDS = ("real", "cos", "sin")
both_directions = pytest.mark.parametrize("causal", [True, False], ids=["causal", "bidirectional"])
heads = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([1, 1, 2, 3, 7, 40])), min_size=1, max_size=5)


def operands(kinds, **sizes):
    """All six operands of the mix, all leaves: values, decay, angle, scale, other, share."""
    values, decay, angle = example(kinds, **sizes)
    rng = torch.Generator().manual_seed(5)
    scale, share = (torch.rand(len(kinds), dtype=decay.dtype, generator=rng).requires_grad_() for _ in range(2))
    other = torch.randn(values.shape, dtype=values.dtype, generator=rng).requires_grad_()
    return [values, decay, angle, scale, other, share]


def mixed(kinds, dilations, leaves, causal=True, diagonal="zero"):
    values, decay, angle, scale, other, share = leaves
    options = {"causal": causal, "diagonal": diagonal, "scale": scale, "other": other, "share": share}
    return apply(values, kinds, decay, angle, dilations, **options)


def written_out(matrix, leaves):
    values, _, _, scale, other, share = leaves
    return share[:, None, None] * other + scale[:, None, None] * (matrix @ values)


@settings(max_examples=60, deadline=None)
@given(
    heads=heads,
    t=st.integers(1, 50),
    b=st.integers(1, 3),
    d=st.sampled_from([1, 2, 5, 8, 32, 33]),
    causal=st.booleans(),
    diagonal=st.sampled_from(["zero", "printed"]),
)
def test_the_mix_is_the_matrix_s_in_value_and_every_gradient(heads, t, b, d, causal, diagonal):
    kinds, dilations = zip(*heads, strict=True)
    leaves = operands(kinds, b=b, t=t, d=d)
    ours = mixed(kinds, dilations, leaves, causal, diagonal)
    matrix = rem_matrix(kinds, *leaves[1:3], t, dilation=dilations, causal=causal, diagonal=diagonal)
    want = written_out(matrix, leaves)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@both_directions
@pytest.mark.parametrize("t", [1, 2, 33])
def test_it_is_the_formula_written_out(t, causal):
    leaves = operands(KINDS, t=t)
    ours = mixed(KINDS, (1, 2, 40), leaves, causal)
    want = written_out(naive_matrix(KINDS, *leaves[1:3], t, (1, 2, 40), causal), leaves)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@both_directions
def test_the_gradient_agrees_with_finite_differences(causal):
    leaves = operands(KINDS, b=1, t=6, d=1)
    assert torch.autograd.gradcheck(lambda *x: mixed(KINDS, (1, 2, 1), x, causal), leaves)
    assert torch.autograd.gradgradcheck(lambda *x: mixed(KINDS, (1, 2, 1), x, causal), leaves)


@both_directions
@pytest.mark.parametrize("kinds", [("real",) * 8, ("cos", "sin") * 4, ("real", "cos", "sin", "real") * 2])
@pytest.mark.parametrize(("t", "d"), [(128, 32), (700, 8), (64, 1)])
def test_float32_is_equal_to_the_chunks_to_a_millionth(kinds, t, d, causal):
    leaves = operands(kinds, t=t, d=d, dtype=torch.float32)
    dilations = (1, 1, 1, 1, 2, 2, 6, 12)
    with kernel(False):
        chunks = mixed(kinds, dilations, leaves, causal)
    ours = mixed(kinds, dilations, leaves, causal)
    pairs = zip((ours, *gradients(ours, leaves)), (chunks, *gradients(chunks, leaves)), strict=True)
    for place, (a, b) in enumerate(pairs):
        assert (a - b).norm() <= 1e-6 * b.norm(), place
    wide = [x.detach().double() for x in leaves]
    matrix = rem_matrix(kinds, *wide[1:3], t, dilation=dilations, causal=causal)
    exact = written_out(matrix, wide)
    assert (ours - exact).norm() <= 2e-7 * exact.norm()


def test_bfloat16_is_rounded_once():
    leaves = operands(KINDS, t=200, dtype=torch.float32)
    for place in (0, 4):
        leaves[place] = leaves[place].detach().bfloat16().requires_grad_()
    wide = [x.detach().float().requires_grad_() for x in leaves]
    ours, want = mixed(KINDS, (1, 2, 1), leaves), mixed(KINDS, (1, 2, 1), wide)
    torch.testing.assert_close(ours, want.bfloat16(), rtol=0, atol=0)
    upstream = torch.randn(want.shape, generator=torch.Generator().manual_seed(0)).bfloat16()
    found, exact = torch.autograd.grad(ours, leaves, upstream), torch.autograd.grad(want, wide, upstream.float())
    for a, b in zip(found, exact, strict=True):
        torch.testing.assert_close(a, b.to(a.dtype))


@both_directions
def test_the_matrix_alone_and_real_heads_without_an_angle(causal):
    values, decay, _ = example(("real", "real"), t=40, d=3)
    ours = apply_rem(values, "real", decay, None, dilation=(1, 3), causal=causal)
    want = rem_matrix(("real", "real"), decay, None, 40, dilation=(1, 3), causal=causal) @ values
    torch.testing.assert_close(ours, want)
    leaves = values, decay
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@pytest.mark.parametrize("layout", ["heads last", "one of three", "strided", "one head many times", "expanded"])
def test_the_layout_in_memory_does_not_matter(layout):
    values, *others = operands(KINDS, t=40, d=4)
    other = {
        "heads last": lambda v: v.transpose(1, 2).contiguous().transpose(1, 2),
        "one of three": lambda v: torch.cat((v, v, v), 3)[..., 4:8],
        "strided": lambda v: v.repeat_interleave(2, -1)[..., ::2],
        "one head many times": lambda v: v[:, :1].expand(-1, 3, -1, -1),
        "expanded": lambda v: v[:, :, :1].expand(-1, -1, 40, -1),
    }[layout](values)
    ours = mixed(KINDS, (1, 2, 1), [other, *others])
    matrix = rem_matrix(KINDS, *others[:2], 40, dilation=(1, 2, 1))
    want = written_out(matrix, [other, *others])
    torch.testing.assert_close(ours, want)
    leaves = [values, *others]
    # the upstream gradient of a sum is one number in memory
    sums = [torch.autograd.grad(y.sum(), leaves, retain_graph=True) for y in (ours, want)]
    torch.testing.assert_close(*sums)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_changes_no_digit(threads):
    kinds, before = KINDS * 2, torch.get_num_threads()
    leaves = operands(kinds, b=3, t=70, d=32, dtype=torch.float32)
    one = mixed(kinds, (1,) * 6, leaves)
    want = [one, *gradients(one, leaves)]
    try:
        torch.set_num_threads(threads)
        ours = mixed(kinds, (1,) * 6, leaves)
        found = [ours, *gradients(ours, leaves)]
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(found, want, strict=True))


def test_a_closed_gate_has_a_gradient():
    leaves = operands(KINDS, t=9)
    leaves[3] = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    matrix = rem_matrix(KINDS, *leaves[1:3], 9)
    ours, want = mixed(KINDS, (1, 1, 1), leaves), written_out(matrix, leaves)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


def test_thousands_of_zeros_after_a_value_leave_zeros_and_no_denormal_numbers():
    values = torch.zeros(1, 1, 6_000, 4, dtype=torch.float64)
    values[:, :, 0] = 1
    out = apply_rem(values, "real", torch.tensor([0.7], dtype=torch.float64), None)
    assert (out[0, 0, 5_900:] == 0).all()
    assert torch.tensor(1e-310, dtype=torch.float64).mul(1) != 0  # elsewhere they are as they were


def test_numbers_that_are_none_stay_in_their_row_and_in_what_follows():
    values, decay, angle = example(KINDS, t=9)
    spoilt = values.detach().clone()
    spoilt[1, :, 4] = torch.nan
    ours, want = (apply_rem(x, KINDS, decay, angle) for x in (spoilt, values))
    assert torch.equal(ours[0], want[0])
    assert torch.equal(ours[1, :, :4], want[1, :, :4])
    assert ours[1, :, 5:].isnan().all()


def test_what_was_changed_in_place_is_not_differentiated():
    values, decay, angle = example(KINDS)
    inner = values * 1
    out = apply_rem(inner, KINDS, decay, angle)
    inner.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_the_operators_are_good_ones():
    leaves = [x.detach() for x in operands(KINDS)]
    coded = ([0, 1, 2], [1, 2, 1], True, False)
    tests = ("test_schema", "test_faketensor")
    torch.library.opcheck(torch.ops.inductive_bias.rem.default, (*leaves, *coded), test_utils=tests)
    operator = torch.ops.inductive_bias.rem_backward.default
    torch.library.opcheck(operator, (leaves[0], *leaves, *coded), test_utils=tests)
    bare = (*leaves[:3], None, None, None, *coded)
    torch.library.opcheck(operator, (leaves[0], *bare), test_utils=tests)


def test_a_recorder_of_operations_sees_it():
    values, decay, angle = (x.detach() for x in example(KINDS))
    graph = make_fx(lambda v: apply(v, KINDS, decay, angle, (1, 1, 1), causal=True, diagonal="zero"))(values)
    assert "inductive_bias.rem" in graph.code
    torch.testing.assert_close(graph(2 * values), apply_rem(2 * values, KINDS, decay, angle))


def test_two_precisions_in_one_mix_are_left_to_the_chunks():
    values, decay, angle, scale, other, share = operands(KINDS, dtype=torch.float32)
    leaves = [values, decay, angle, scale, other.bfloat16(), share]
    assert form_for(*leaves) == "chunks"
    assert mixed(KINDS, (1, 1, 1), leaves).dtype == torch.float32
