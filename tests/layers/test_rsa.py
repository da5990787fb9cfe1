import copy
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.layers import PlainAttention, RSAttention
from tests.hostile import refused
from tests.layers.naive import naive_matrix

pytestmark = pytest.mark.usefixtures("each_form")

COUNTS = (1, 1, 1, 1, 1, 1)

both_directions = pytest.mark.parametrize("causal", [True, False], ids=["causal", "bidirectional"])


def layer_of(seed=0, dtype=torch.float64, **options):
    torch.manual_seed(seed)
    return RSAttention(12, 6, **{"counts": COUNTS, "dilation": (2, 3, 4), "gate": "head"} | options).to(dtype)


def tokens(t=9, b=2, dtype=torch.float64, seed=0):
    return torch.randn(b, t, 12, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def naive(layer, x):
    """Equation 4 with all matrices written out."""
    b, t, _ = x.shape
    q, k, v = (part.view(b, t, 6, 2).transpose(1, 2) for part in layer.query_key_value(x).split(12, -1))
    scores = q @ k.mT / 2**0.5
    if layer.causal:
        scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
    rem = layer.rem
    matrix = naive_matrix(rem.kinds, rem.decay, rem.angle, t, rem.dilations, layer.causal, rem.diagonal)
    gate = torch.sigmoid(layer.mu).expand(6)[:, None, None]
    mixed = ((1 - gate) * scores.softmax(-1) + gate * matrix) @ v
    return layer.output(mixed.transpose(1, 2).reshape(b, t, 12))


@both_directions
@pytest.mark.parametrize("options", [{}, {"gate": "layer"}, {"diagonal": "printed"}], ids=str)
@pytest.mark.parametrize("t", [1, 2, 35])
def test_the_layer_is_equation_4_in_value_and_gradient(t, options, causal):
    layer = layer_of(causal=causal, **options)
    x = tokens(t).requires_grad_()
    leaves = [x, *layer.parameters()]
    grads = []
    ours, want = layer(x), naive(layer, x)
    torch.testing.assert_close(ours, want)
    for value in (ours, want):
        grads.append(torch.autograd.grad(value.pow(3).sum(), leaves, allow_unused=True, materialize_grads=True))
    torch.testing.assert_close(*grads)


@both_directions
def test_a_closed_gate_is_plain_attention_and_an_open_one_the_rem_alone(causal):
    layer, x = layer_of(causal=causal), tokens()
    plain = PlainAttention(12, 6, causal=causal).double()
    plain.load_state_dict({k: v for k, v in layer.state_dict().items() if k != "mu" and "rem" not in k})
    nn.init.constant_(layer.mu, -1e4)
    assert (layer.gate == 0).all()
    torch.testing.assert_close(layer(x), plain(x))
    nn.init.constant_(layer.mu, 1e4)
    assert (layer.gate == 1).all()
    v = layer.query_key_value(x)[..., 24:].view(2, 9, 6, 2).transpose(1, 2)
    torch.testing.assert_close(layer(x), layer.output((layer.rem.matrix(9) @ v).transpose(1, 2).reshape(2, 9, 12)))


def test_the_gate_is_one_number_a_layer_or_one_a_head():
    assert layer_of(gate="layer").gate.shape == (1,)
    assert layer_of(gate="head").gate.shape == (6,)
    torch.testing.assert_close(layer_of(gate_logit=1.0).gate, torch.full((6,), 1 / (1 + torch.e**-1)).double())
    torch.manual_seed(0)
    logits = torch.cat([RSAttention(6, 6, gate="head").mu for _ in range(40)])
    assert -3 < logits.min() < -2 < 2 < logits.max() < 3


@both_directions
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing_for_real_tokens(side, causal):
    layer, x = layer_of(causal=causal), tokens(13)
    lengths = (13, 5)
    mask = torch.zeros(2, 13, dtype=torch.bool)
    places = [slice(0, n) if side == "right" else slice(13 - n, 13) for n in lengths]
    for row, place in enumerate(places):
        mask[row, place] = True
    # what stands in padding must not matter
    noisy = torch.where(mask[:, :, None], x, 100.0)
    ours = layer(noisy, mask)
    assert ours.isfinite().all()
    for row, place in enumerate(places):
        torch.testing.assert_close(ours[row, place], layer(x[row : row + 1, place])[0])


@both_directions
def test_a_sequence_of_padding_alone_stays_finite_and_passes_no_gradient(causal):
    layer, x = layer_of(causal=causal), tokens().requires_grad_()
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1] = False
    out = layer(x, mask)
    (grad,) = torch.autograd.grad(out.sum(), x)
    assert out.isfinite().all()
    assert grad.isfinite().all()
    assert (grad[1] == 0).all()


def test_no_token_sees_a_later_one():
    layer, x = layer_of(), tokens(70).requires_grad_()
    out = layer(x)
    for t in (0, 31, 32, 69):
        (grad,) = torch.autograd.grad(out[:, t].sum(), x, retain_graph=True)
        assert (grad[:, t + 1 :] == 0).all()
        assert (grad[:, : t + 1] != 0).any(-1).all()


def rotate(x, first):
    """Rotary position embeddings of two dimensions."""
    angle = torch.arange(first, first + x.shape[2], dtype=x.dtype)[:, None] * 0.7
    one, two = x.chunk(2, -1)
    return torch.cat((one * angle.cos() - two * angle.sin(), one * angle.sin() + two * angle.cos()), -1)


@pytest.mark.parametrize("positions", [None, rotate], ids=["no positions", "rotary"])
@pytest.mark.parametrize("prompt", [1, 6, 40])
def test_token_by_token_gives_the_parallel_form(prompt, positions):
    layer, x = layer_of(positions=positions), tokens(45)
    want = layer(x)
    out, cache = layer.prefill(x[:, :prompt])
    torch.testing.assert_close(out, want[:, :prompt])
    for t in range(prompt, 45):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, want[:, t])
    assert cache.length == cache.keys.shape[2] == 45


def test_positions_reach_the_softmax_alone():
    layer, x = layer_of(), tokens()
    rotated = copy.deepcopy(layer)
    rotated.positions = rotate
    assert not torch.allclose(layer(x), rotated(x))
    for each in (layer, rotated):
        nn.init.constant_(each.mu, 1e4)
    torch.testing.assert_close(layer(x), rotated(x))


def test_a_padded_prompt_is_continued_as_the_parallel_form_would():
    layer, x = layer_of(), tokens(12)
    mask = torch.ones(2, 12, dtype=torch.bool)
    mask[1, :4] = False
    want = layer(x, mask)
    out, cache = layer.prefill(x[:, :7], mask[:, :7])
    for t in range(7, 12):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, want[:, t])


def test_one_cache_can_be_continued_twice():
    layer, x = layer_of(), tokens(8)
    _, cache = layer.prefill(x[:, :7])
    first, _ = layer.step(x[:, 7], cache)
    layer.step(-x[:, 7], cache)
    torch.testing.assert_close(layer.step(x[:, 7], cache)[0], first, rtol=0, atol=0)


def test_the_recurrent_state_does_not_grow():
    layer = layer_of()
    sizes = {layer.prefill(tokens(t))[1].state.shape for t in (1, 10, 100)}
    assert len(sizes) == 1


def test_every_parameter_receives_a_gradient_and_moves():
    layer = layer_of(dtype=torch.float32)
    before = {name: p.detach().clone() for name, p in layer.named_parameters()}
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(tokens(dtype=torch.float32)).square().sum().backward()
    optimiser.step()
    for name, parameter in layer.named_parameters():
        # the bias of the keys shifts all scores of a query alike
        moved = parameter != before[name]
        assert moved[:12].all() if name == "query_key_value.bias" else moved.any(), name
    assert {"mu", "rem.eta", "rem.nu", "rem.theta"} < set(before)


def test_copies_are_equal_and_independent():
    layer, other, x = layer_of(), layer_of(seed=1), tokens()
    assert not torch.equal(layer(x), other(x))
    other.load_state_dict(layer.state_dict())
    twin = copy.deepcopy(layer)
    assert torch.equal(layer(x), other(x))
    assert torch.equal(layer(x), twin(x))
    nn.init.zeros_(twin.mu)
    assert not torch.equal(layer(x), twin(x))


def test_dropout_falls_on_the_softmax_weights_alone():
    layer, x = layer_of(dropout=0.5), tokens()
    assert not torch.equal(layer(x), layer(x))
    assert torch.equal(layer.eval()(x), layer(x))
    nn.init.constant_(layer.train().mu, 1e4)
    assert torch.equal(layer(x), layer(x))


def test_autocast_stays_close_to_float32():
    layer, x = layer_of(dtype=torch.float32), tokens(70, dtype=torch.float32)
    want = layer(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        ours = layer(x)
    assert ours.dtype == torch.bfloat16
    # eight bits of a mantissa, in three layers of sums
    torch.testing.assert_close(ours.float(), want, rtol=0, atol=4 * 2**-8 * want.abs().max().item())
    ours.float().square().sum().backward()
    assert all(p.grad.isfinite().all() for p in layer.parameters())


COMPILED = """
import torch
from inductive_bias.layers import RSAttention
torch.manual_seed(0)
layer, x = RSAttention(12, 6, dilation=(2, 3, 4), gate="head"), torch.randn(2, 70, 12, requires_grad=True)
fast = torch.compile(layer, backend="aot_eager", fullgraph=True)
values, leaves = [fast(x), layer(x)], [x, *layer.parameters()]
torch.testing.assert_close(*values)
torch.testing.assert_close(*(torch.autograd.grad(value.square().sum(), leaves) for value in values))
print("equal")
"""


@pytest.mark.slow
def test_the_layer_is_one_graph_for_the_compiler_in_value_and_gradient():
    # in a process of its own: the compiler cannot see through the shape checks of these tests, which no user has
    answer = subprocess.run([sys.executable, "-W", "error", "-c", COMPILED], capture_output=True, text=True)
    assert answer.stdout.strip() == "equal", answer.stderr


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_gives_the_same():
    layer, x = layer_of(), tokens(70)
    want = layer(x)
    torch.testing.assert_close(copy.deepcopy(layer).cuda()(x.cuda()).cpu(), want)


def test_recurrence_learns_odd_and_even_places_which_attention_without_positions_cannot():
    """(aa)*: all tokens are the same, and every second one is to be told from its neighbours."""
    x, target = torch.ones(1, 24, 1), torch.arange(24).remainder(2)[None]

    def loss_after_training(mixer):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(1, 12), mixer, nn.Linear(12, 2))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
        for _ in range(80):
            loss = F.cross_entropy(model(x).flatten(0, 1), target.flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        return loss.item()

    torch.manual_seed(0)
    assert loss_after_training(RSAttention(12, 6, (6, 0, 0, 0, 0, 0))) < 0.05
    # equal tokens get equal results from a softmax: no better than a coin
    assert loss_after_training(PlainAttention(12, 6)) > 0.69


def with_plain_heads(**options):
    """A layer whose last two heads are plain, and one whose last two gates are closed instead."""
    plain = layer_of(plain=2, counts=(1, 1, 1, 1, 0, 0), dilation=3, **options)
    closed = layer_of(counts=(1, 1, 1, 3, 0, 0), dilation=(3, 1, 1), **options)
    weights = plain.state_dict()
    weights["mu"] = torch.cat((weights["mu"], torch.full((2,), -1e4, dtype=torch.float64)))
    weights["rem.eta"] = torch.cat((weights["rem.eta"], torch.zeros(2, dtype=torch.float64)))
    closed.load_state_dict(weights)
    return plain, closed


@both_directions
def test_a_plain_head_is_one_with_a_closed_gate_in_value_and_gradient(causal):
    plain, closed = with_plain_heads(causal=causal)
    x, mask = tokens(20).requires_grad_(), torch.ones(2, 20, dtype=torch.bool)
    mask[1, 15:] = False
    for padding in (None, mask):
        ours, want = plain(x, padding), closed(x, padding)
        torch.testing.assert_close(ours, want)
        grads = [
            torch.autograd.grad(out.pow(3).sum(), (x, layer.query_key_value.weight, layer.rem.nu))
            for out, layer in ((ours, plain), (want, closed))
        ]
        torch.testing.assert_close(*grads)
    assert plain.gate.shape == (4,)


def test_plain_heads_are_decoded_token_by_token():
    layer, x = with_plain_heads()[0], tokens(20)
    want = layer(x)
    _, cache = layer.prefill(x[:, :7])
    for t in range(7, 20):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, want[:, t])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"plain": 6}, "plain must leave one of heads=6 to the matrices, not 6"),
        ({"plain": -1}, "plain must be an integer of at least 0, not -1"),
        ({"plain": 1}, r"counts k1 to k6 must add up to heads=5, not \(1, 1, 1, 1, 1, 1\) with sum 6"),
        ({"width": 10}, "heads must divide width=10, not 6"),
        ({"width": 0}, "width must be an integer of at least 1, not 0"),
        ({"heads": 0}, "heads must be an integer of at least 1, not 0"),
        ({"heads": 4}, r"counts k1 to k6 must add up to heads=4, not \(1, 1, 1, 1, 1, 1\) with sum 6"),
        ({"dilation": 0}, "dilation must be an integer of at least 1, not 0"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), not 1.0"),
        ({"gate": "model"}, "gate must be one of layer, head, not 'model'"),
        ({"diagonal": "one"}, "diagonal must be one of zero, printed, not 'one'"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        RSAttention(**{"width": 12, "heads": 6, "counts": COUNTS} | arguments)


@pytest.mark.parametrize(
    ("x", "mask", "message"),
    [
        (torch.zeros(2, 12), None, r"x must have 3 dimensions \[b t width\], not shape \(2, 12\)"),
        (torch.zeros(2, 0, 12), None, "x must not be empty"),
        (torch.zeros(2, 5, 11), None, r"x must have width 12 in its last dimension, not 11: \(2, 5, 11\)"),
        (torch.zeros(2, 5, 12, dtype=torch.int64), None, "x must hold real floating-point numbers, not torch.int64"),
        (torch.zeros(2, 5, 12), torch.ones(2, 4, dtype=torch.bool), r"mask must be bool of shape \(2, 5\)"),
        (torch.zeros(2, 5, 12), torch.ones(2, 5), r"mask must be bool of shape \(2, 5\).* not torch.float32"),
        (torch.zeros(2, 5, 12, device="meta"), None, "one device, not x on meta, parameters on cpu"),
    ],
)
def test_bad_inputs_are_refused(x, mask, message):
    layer = layer_of(dtype=torch.float32)
    for function in (layer, layer.prefill):
        refused(function, message, x, mask)


def test_only_a_causal_layer_decodes():
    with pytest.raises(ValueError, match="causal must be True to decode token by token, not False"):
        layer_of(causal=False).prefill(tokens())
