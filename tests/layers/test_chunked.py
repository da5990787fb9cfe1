import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inductive_bias.layers import apply_rem, chunked, chunked_autograd, rem_lags, rem_matrix
from tests.hostile import refused
from tests.layers.naive import example, gradients, naive_matrix

pytestmark = pytest.mark.usefixtures("chunks")

KINDS = ("real", "cos", "sin")

heads = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([1, 1, 2, 3, 7])), min_size=1, max_size=4)


def assert_equal_to_dense(kinds, dilations, leaves, causal=True, diagonal="zero"):
    values, decay, angle = leaves
    ours = apply_rem(values, kinds, decay, angle, dilation=dilations, causal=causal, diagonal=diagonal)
    matrix = rem_matrix(kinds, decay, angle, values.shape[2], dilation=dilations, causal=causal, diagonal=diagonal)
    want = matrix @ values
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))
    return ours


@settings(max_examples=40, deadline=None)
@given(
    heads=heads,
    t=st.integers(1, 80),
    b=st.integers(1, 2),
    d=st.integers(1, 3),
    causal=st.booleans(),
    diagonal=st.sampled_from(["zero", "printed"]),
    chunks=st.sampled_from([(1, 0, 1), (4, 20, 7), chunked.CHUNKS]),
    group=st.sampled_from([1, 3, chunked.GROUP]),
    tile=st.sampled_from([1, chunked_autograd.TILE]),
)
def test_chunks_are_the_matrix_in_value_and_gradient(heads, t, b, d, causal, diagonal, chunks, group, tile):
    kinds, dilations = zip(*heads, strict=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunked, "CHUNKS", chunks)
        patch.setattr(chunked, "GROUP", group)
        patch.setattr(chunked_autograd, "TILE", tile)
        assert_equal_to_dense(kinds, dilations, example(kinds, b=b, t=t, d=d), causal, diagonal)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("t", [1, 2, 33])
def test_chunks_are_the_formula_written_out(t, causal):
    leaves = values, decay, angle = example(KINDS, t=t)
    ours = apply_rem(values, KINDS, decay, angle, dilation=(1, 2, 3), causal=causal)
    want = naive_matrix(KINDS, decay, angle, t, (1, 2, 3), causal) @ values
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_decay_close_to_one_over_many_chunks(kind, dilation):
    values, _, angle = example((kind,) * 3, t=301)
    decay = torch.tensor([0.5, 1 - 1e-9, 0.999], dtype=torch.float64, requires_grad=True)
    assert_equal_to_dense((kind,) * 3, (dilation,) * 3, (values, decay, angle))


def test_a_real_head_is_the_recurrence():
    values, decay, _ = example(("real", "real"), t=67)
    state, want = torch.zeros_like(values[:, :, 0]), []
    for t in range(values.shape[2]):
        want.append(state)
        state = decay[:, None] * (state + values[:, :, t])
    torch.testing.assert_close(apply_rem(values, "real", decay, None), torch.stack(want, 2))


def test_the_gradient_agrees_with_finite_differences(monkeypatch):
    monkeypatch.setattr(chunked, "CHUNKS", (2, 0, 2))
    monkeypatch.setattr(chunked, "GROUP", 2)
    leaves = example(KINDS, b=1, t=11, d=1)
    assert torch.autograd.gradcheck(lambda v, r, a: apply_rem(v, KINDS, r, a, dilation=(1, 1, 2), causal=False), leaves)


@pytest.mark.parametrize("layout", ["heads last", "strided", "one head many times"])
def test_the_layout_in_memory_does_not_matter(layout):
    values, decay, angle = example(KINDS, t=70, d=4)
    other = {
        "heads last": lambda v: v.transpose(1, 2).contiguous().transpose(1, 2),
        "strided": lambda v: v.repeat_interleave(2, -1)[..., ::2],
        "one head many times": lambda v: v[:, :1].expand(-1, 3, -1, -1),
    }[layout](values)
    assert_equal_to_dense(KINDS, (1, 1, 1), (other, decay, angle))


@pytest.mark.parametrize("dilation", [1, 4])
def test_every_result_depends_on_the_strict_past_alone(dilation):
    values, decay, angle = example(KINDS, b=1, t=75, d=2)
    out = apply_rem(values, KINDS, decay, angle, dilation=dilation)
    for t in (0, 31, 32, 33, 64, 74):
        (grad,) = torch.autograd.grad(out[:, :, t].sum(), values, retain_graph=True)
        touched = (grad != 0).any(-1)[0]
        lags = t - torch.arange(75)
        assert torch.equal(touched, ((lags > 0) & (lags % dilation == 0)).expand(3, -1))


def test_without_a_mask_the_past_weighs_as_much_as_the_future():
    values, decay, angle = example(KINDS, t=75)
    ours = apply_rem(values, KINDS, decay, angle, dilation=2, causal=False)
    mirrored = apply_rem(values.flip(2), KINDS, decay, angle, dilation=2, causal=False).flip(2)
    torch.testing.assert_close(ours, mirrored)
    assert torch.autograd.grad(ours[:, :, 10].sum(), values)[0][:, :, 74].abs().min() > 0


def test_sixteen_thousand_steps_neither_vanish_into_nan_nor_lose_their_precision():
    kinds, t = ("real", "real", "real", "cos", "sin", "cos"), 16_384
    values, _, angle = example(kinds, b=1, t=t, d=2, dtype=torch.float32)
    decay = torch.tensor([-0.999999, 1e-3, 0.99, 0.999999, 0.999999, 1e-6], requires_grad=True)
    out = apply_rem(values, kinds, decay, angle)
    for grad in (out, *gradients(out, (values, decay, angle))):
        assert grad.isfinite().all()
    lags = rem_lags(kinds, decay.double(), angle.double(), t)
    for row in (1, 5_000, t - 1):
        want = torch.einsum("hn,hnd->hd", lags[:, : row + 1].flip(1), values[0, :, : row + 1].double())
        # sums of up to 16,384 float32 numbers of the size of one
        torch.testing.assert_close(out[0, :, row].double(), want, rtol=1e-4, atol=2e-3)


def test_bfloat16_is_summed_in_float32():
    values, decay, angle = example(KINDS, t=200, dtype=torch.float32)
    rough = values.detach().bfloat16().requires_grad_()
    wide = rough.detach().float().requires_grad_()
    ours, want = (apply_rem(v, KINDS, decay, angle, dilation=(1, 2, 1)) for v in (rough, wide))
    assert ours.dtype == torch.bfloat16
    torch.testing.assert_close(ours, want.bfloat16(), rtol=0, atol=0)
    upstream = torch.ones_like(want)
    d_rough, d_decay = torch.autograd.grad(ours, (rough, decay), upstream.bfloat16(), retain_graph=True)
    d_wide, d_exact = torch.autograd.grad(want, (wide, decay), upstream, retain_graph=True)
    torch.testing.assert_close(d_rough, d_wide.bfloat16(), rtol=0, atol=0)
    torch.testing.assert_close(d_decay, d_exact)


def test_autocast_changes_nothing():
    values, decay, angle = example(KINDS, t=70, dtype=torch.float32)
    want = apply_rem(values, KINDS, decay, angle)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        ours = apply_rem(values, KINDS, decay, angle)
        grads = gradients(ours, (values, decay, angle))
    torch.testing.assert_close(ours, want, rtol=0, atol=0)
    torch.testing.assert_close(grads, gradients(want, (values, decay, angle)), rtol=0, atol=0)


class Sizes(TorchDispatchMode):
    """Counts the numbers in all tensors that operations return."""

    def __init__(self):
        super().__init__()
        self.total, self.largest = 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **kwargs or {})
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor) and leaf.untyped_storage().nbytes():
                self.total += leaf.numel()
                self.largest = max(self.largest, leaf.untyped_storage().nbytes() // leaf.element_size())
        return result


@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("causal", [True, False])
def test_numbers_made_grow_linearly_with_the_length(causal, dilation):
    def sizes(t):
        values, decay, angle = example(KINDS, b=1, t=t, d=4, dtype=torch.float32)
        with Sizes() as counted:
            apply_rem(values, KINDS, decay, angle, causal=causal, dilation=dilation).sum().backward()
        return counted

    small, large = sizes(8_192 * dilation), sizes(16_384 * dilation)
    # some small matrices for each tile of the values: a little more than twice, where t × t would be four times
    assert large.total <= 2.1 * small.total
    # no tensor is much larger than the values, and far from t × t
    assert large.largest <= 1.5 * 3 * 16_384 * dilation * 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_gives_the_same():
    leaves = values, decay, angle = example(KINDS, t=300)
    ours = apply_rem(values.cuda(), KINDS, decay.cuda(), angle.cuda(), dilation=2)
    want = apply_rem(values, KINDS, decay, angle, dilation=2)
    torch.testing.assert_close(ours.cpu(), want)
    torch.testing.assert_close(gradients(ours.cpu(), leaves), gradients(want, leaves))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.zeros(2, 3, 4), r"values must have 4 dimensions \[b h t d\], not shape \(2, 3, 4\)"),
        (torch.zeros(2, 3, 0, 4), r"values must not be empty: .* at least 1, not \(2, 3, 0, 4\)"),
        (torch.zeros(2, 3, 5, 4, dtype=torch.int64), "values must hold real floating-point numbers, not torch.int64"),
        (torch.zeros(2, 2, 5, 4), r"values must have decay's 3 heads, not 2: \(2, 2, 5, 4\)"),
        (torch.zeros(2, 3, 5, 4, device="meta"), "one device, not values on meta, decay on cpu"),
    ],
)
def test_bad_values_are_refused(values, message):
    refused(apply_rem, message, values, "real", torch.full((3,), 0.5), None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "tan"}, "kind must be one of"),
        ({"dilation": 0}, "dilation must be an integer of at least 1, not 0"),
        ({"diagonal": "one"}, "diagonal must be one of zero, printed, not 'one'"),
        ({"decay": torch.tensor([0.5, 0.5, 1.5])}, "strictly between 0 and 1, not 1.5"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    arguments = {"kind": "cos", "decay": torch.full((3,), 0.5), "angle": torch.zeros(3)} | change
    with pytest.raises(ValueError, match=message):
        apply_rem(torch.zeros(2, 3, 5, 4), **arguments)
