"""The layers under PyTorch's own tools: compile, export, trace, meta device, torch.func, second derivatives."""

import subprocess
import sys

import pytest
import torch
from torch.func import functional_call, grad, jvp, stack_module_state, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel

from inductive_bias.layers import REM, PlainAttention, RSAttention, apply_rem, rem_matrix
from inductive_bias.layers.chunked_reference import composed
from tests.layers.naive import example, gradients
from tests.layers.test_every_layer import LAYERS, made, tokens

ATTENTION = ("plain", "alibi", "rope", "relative", "window", "rsa", "toeplitz", "rem only")
every_attention = pytest.mark.parametrize("name", ATTENTION)
both_directions = pytest.mark.parametrize("causal", [True, False], ids=["causal", "bidirectional"])

# in a process of its own: a recorder cannot see through the shape checks of these tests, which no user has
TOOL = """
import sys, warnings, torch
from inductive_bias.layers import *
make = {
    "plain": lambda **o: PlainAttention(12, 3, **o),
    "alibi": lambda **o: ALiBiAttention(12, 3, **o),
    "rope": lambda **o: PlainAttention(12, 3, positions=RotaryPositions(4), **o),
    "relative": lambda **o: RelativeAttention(12, 3, **o),
    "window": lambda **o: WindowAttention(12, 3, window=4, **o),
    "rsa": lambda **o: RSAttention(12, 6, dilation=(2, 3, 40), gate="head", **o),
    "rsa, plain heads": lambda **o: RSAttention(12, 6, plain=2, **o),
    "toeplitz": lambda **o: ToeplitzAttention(12, 3, length=300, **o),
    "rem only": lambda **o: REMOnly(12, 6, **o),
}
def tokens(t, b=2):
    return torch.randn(b, t, 12, requires_grad=True)
def same(fast, layer, lengths):
    for t in lengths:
        x = tokens(t)
        values, leaves = [fast(x), layer(x)], [x, *layer.parameters()]
        torch.testing.assert_close(*values)
        pairs = [torch.autograd.grad(value.square().sum(), leaves, allow_unused=True) for value in values]
        torch.testing.assert_close(*pairs, rtol=1e-4, atol=1e-4)
def compiled(layer):
    # at the second length the compiler makes the length a symbol
    torch._dynamo.reset()
    same(torch.compile(layer, backend="aot_eager", fullgraph=True), layer, (9, 33, 70))
def exported(layer):
    shapes = {1: torch.export.Dim("t", min=2, max=200)}
    for strict in (False, True):
        module = torch.export.export(layer, (tokens(9),), dynamic_shapes=(shapes,), strict=strict).module()
        for t in (2, 9, 32, 33, 64, 200):
            x = tokens(t)
            torch.testing.assert_close(module(x), layer(x))
def traced(layer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks of the inputs are not part of what is recorded
        fast = torch.jit.trace(layer, (tokens(9),), check_trace=False)
    for t in (2, 9, 33, 70):
        x = tokens(t)
        torch.testing.assert_close(fast(x), layer(x))
torch.manual_seed(0)
matrices = "rsa", "rsa, plain heads", "toeplitz", "rem only"
for name, one in make.items():
    for causal in (True, False):
        # of attention alone a direction is a mask, which every other tool records
        if sys.argv[1] == "compiled" and not causal and name not in matrices:
            continue
        layer = one(causal=causal)
        if name == "toeplitz":
            torch.nn.init.normal_(layer.lags)
        globals()[sys.argv[1]](layer)
print("equal")
"""


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["compiled", "exported", "traced"])
def test_one_recording_serves_every_length(tool):
    answer = subprocess.run([sys.executable, "-c", TOOL, tool], capture_output=True, text=True)
    assert answer.stdout.strip() == "equal", answer.stderr[-3_000:]


# the length of a recurrence is a number of steps: a trace must keep the loop, and an export must not know the length
RECURRENT = """
import io, sys, warnings, torch
from inductive_bias.layers import *
warnings.simplefilter("ignore")
torch.manual_seed(0)
for layer in (LinearRNN(12, 5), LSTM(12, 5)):
    for masked in (False, True):
        def example(t, b):
            return (torch.randn(b, t, 12), *((torch.rand(b, t) < 0.7,) if masked else ()))
        file = io.BytesIO()
        torch.jit.save(torch.jit.trace(layer, example(9, 2), check_trace=False), file)
        file.seek(0)
        fast = torch.jit.load(file)
        for t in (1, 2, 8, 9, 10, 33, 200):
            arguments = example(t, 3)
            values = fast(*arguments), layer(*arguments)
            torch.testing.assert_close(*values)
            pairs = []
            for value, module in zip(values, (fast, layer)):
                module.zero_grad()
                value.square().sum().backward()
                pairs.append({name: 0 if p.grad is None else p.grad for name, p in module.named_parameters()})
            torch.testing.assert_close(*pairs, rtol=1e-4, atol=1e-4)
x = torch.randn(2, 9, 12)
# of a recurrence that grows, powers beyond the sequence must not be made; its sums are of numbers of many sizes
for grows, close in ((1.0, 1e-4), (1.3, 1e-2)):
    layer = LinearRNN(12, 5)
    with torch.no_grad():
        layer.recurrent *= grows
    for strict in (False, True):
        shapes = ({1: torch.export.Dim("t", min=2, max=4000)},)
        one = torch.export.export(layer, (x,), dynamic_shapes=shapes, strict=strict).module()
        for t in (2, 3, 8, 9, 10, 33, 200):
            tokens = torch.randn(2, t, 12)
            torch.testing.assert_close(one(tokens), layer(tokens), rtol=close, atol=1e-4)
        gradients = [torch.autograd.grad(module(x).sum(), list(module.parameters())) for module in (one, layer)]
        torch.testing.assert_close(*gradients, rtol=close, atol=1e-4)
refused = 0
for attempt in (
    lambda: torch.export.export(LinearRNN(12, 5), (x,)).module()(torch.randn(2, 200, 12)),
    lambda: torch.jit.trace(RSAttention(12, 6, dilation=10**9), (x,), check_trace=False),
    lambda: torch.onnx.export(RSAttention(12, 6), (x,), "never.onnx", dynamo=False),
    lambda: torch.onnx.export(REMOnly(12, 6), (x,), "never.onnx", dynamo=False),
):
    try:
        attempt()
    except Exception as error:
        words = "Guard failed", "dilation must be", "wrong at every other one"
        refused += any(word in str(error) for word in words) or print(repr(error)[:300])
print(refused)
"""


def test_a_recorded_recurrence_is_right_at_every_length_or_refuses_it(tmp_path):
    answer = subprocess.run([sys.executable, "-c", RECURRENT], capture_output=True, text=True, cwd=tmp_path)
    assert answer.stdout.strip() == "4", (answer.stdout, answer.stderr[-3_000:])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_built_without_memory_takes_the_weights_of_another(name):
    layer, x = made(name), tokens()
    with torch.device("meta"):
        empty = LAYERS[name]().double()
    other = empty.to_empty(device="cpu")
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(x), layer(x))


@both_directions
@every_attention
def test_gradients_by_torch_func_are_those_of_backward(name, causal):
    layer, x = made(name, causal=causal), tokens(20)
    parameters = dict(layer.named_parameters())
    ours = grad(lambda p: functional_call(layer, p, (x,)).pow(3).sum())(parameters)
    want = torch.autograd.grad(layer(x).pow(3).sum(), list(parameters.values()))
    torch.testing.assert_close(list(ours.values()), list(want))


@every_attention
@pytest.mark.parametrize("padded", [False, True], ids=["", "padded"])
def test_layers_stacked_by_vmap_are_the_layers_one_by_one(name, padded):
    layers = [LAYERS[name]().double() for _ in range(3)]
    for layer in layers if name == "toeplitz" else ():
        torch.nn.init.normal_(layer.lags)
    x = torch.stack([tokens(19) + shift for shift in range(3)])
    mask = torch.ones(3, 2, 19, dtype=torch.bool)
    mask[:, 1, :4] = False
    mask = mask if padded else None
    state = stack_module_state(layers)

    def loss(parameters, buffers, x, mask):
        out = functional_call(layers[0], (parameters, buffers), (x, mask))
        return out.pow(3).sum(), out

    places = (0, 0, 0, 0 if padded else None)
    ours, out = vmap(grad(loss, has_aux=True), in_dims=places)(*state, x, mask)
    for seed, layer in enumerate(layers):
        want = layer(x[seed], None if mask is None else mask[seed])
        torch.testing.assert_close(out[seed], want)
        for parameter, gradient in zip(
            ours, torch.autograd.grad(want.pow(3).sum(), list(layer.parameters())), strict=True
        ):
            torch.testing.assert_close(ours[parameter][seed], gradient, msg=lambda text, at=parameter: f"{at}: {text}")


def test_dropout_differs_between_stacked_layers():
    layer, x = PlainAttention(12, 3, dropout=0.5).double(), tokens()
    one, two = vmap(layer, randomness="different")(torch.stack((x, x)))
    assert not torch.equal(one, two)
    assert torch.equal(*vmap(layer.eval(), randomness="different")(torch.stack((x, x))))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:FutureWarning")  # torch's own rules are scripts
@every_attention
def test_derivatives_forwards_are_finite_differences(name):
    layer, x = made(name), tokens(5)
    step = torch.randn_like(x)
    _, ours = jvp(layer, (x,), (step,))
    torch.testing.assert_close(ours, (layer(x + 1e-6 * step) - layer(x - 1e-6 * step)) / 2e-6, rtol=1e-6, atol=1e-8)


@both_directions
def test_a_rem_has_second_derivatives(causal):
    leaves = example(("real", "cos", "sin"), b=1, t=5, d=1)
    assert torch.autograd.gradgradcheck(
        lambda v, r, a: apply_rem(v, ("real", "cos", "sin"), r, a, dilation=(1, 2, 1), causal=causal), leaves
    )


def test_second_derivatives_of_the_mix_are_those_of_the_matrix_even_where_one_operand_is_made_of_another():
    torch.manual_seed(0)
    rem, values = REM(6).double(), torch.randn(2, 6, 20, 3, dtype=torch.float64, requires_grad=True)
    logit = torch.randn(6, dtype=torch.float64, requires_grad=True)
    leaves, found = [values, logit, *rem.parameters()], []

    def naive(values, attended, logit):
        share, gate = (mu.sigmoid()[:, None, None] for mu in (-logit, logit))
        return share * attended + gate * (rem.matrix(20) @ values)

    for form in (rem.mix, naive):
        first = torch.autograd.grad(form(values, values.sin(), logit).pow(3).sum(), leaves, create_graph=True)
        found.append(torch.autograd.grad(sum(x.pow(2).sum() for x in first), leaves))
    torch.testing.assert_close(*found)


def test_second_derivatives_of_attention_need_the_softmax_written_out():
    layer, x = RSAttention(12, 6).double(), tokens(5).requires_grad_()
    (first,) = torch.autograd.grad(layer(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=r"derivative for .*scaled_dot_product.*backward is not implemented"):
        first.sum().backward()
    with sdpa_kernel(SDPBackend.MATH):
        assert torch.autograd.gradgradcheck(layer, (tokens(4, 1).requires_grad_(),))


@both_directions
@pytest.mark.parametrize("t", [1, 2, 31, 32, 33, 100])
@pytest.mark.parametrize("diagonal", ["zero", "printed"])
def test_ordinary_operations_are_the_matrix_in_value_and_gradient(t, causal, diagonal):
    kinds, dilations = ("real", "cos", "sin", "cos", "real"), (1, 1, 3, 40, 3)
    leaves = values, decay, angle = example(kinds, t=t)
    options = {"dilations": dilations, "causal": causal, "diagonal": diagonal}
    ours = composed(values, decay, angle, None, None, None, kinds=kinds, **options)
    want = rem_matrix(kinds, decay, angle, t, dilation=dilations, causal=causal, diagonal=diagonal) @ values
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@both_directions
@pytest.mark.parametrize("diagonal", ["zero", "printed"])
@pytest.mark.parametrize("t", [1, 7, 32, 33, 70])
def test_within_vmap_a_rem_is_its_matrix_at_every_length(t, diagonal, causal):
    """Up to 32 tokens the matrix is made, beyond there are chunks."""
    torch.manual_seed(0)
    kinds, dilations = ("real", "cos", "sin", "real", "cos", "sin"), (1, 1, 1, 2, 3, 40)
    options = {"causal": causal, "diagonal": diagonal}
    decay, angle = torch.rand(2, 6).mul(0.9).requires_grad_(), torch.randn(2, 6, requires_grad=True)
    values = torch.randn(2, 3, 6, t, 4, requires_grad=True)
    found = vmap(lambda *each: apply_rem(each[0], kinds, *each[1:], dilation=dilations, **options))(
        values, decay, angle
    )
    wanted = torch.stack(
        [
            rem_matrix(kinds, d, a, t, dilation=dilations, **options) @ v
            for v, d, a in zip(values, decay, angle, strict=True)
        ]
    )
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    weights, leaves = torch.randn_like(found), (values, decay, angle)
    pairs = [torch.autograd.grad((out * weights).sum(), leaves) for out in (found, wanted)]
    torch.testing.assert_close(*pairs, rtol=1e-3, atol=1e-4)
