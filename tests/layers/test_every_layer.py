import copy

import pytest
import torch

from inductive_bias.layers import (
    LSTM,
    MIXERS,
    ALiBiAttention,
    LinearRNN,
    PlainAttention,
    RelativeAttention,
    REMOnly,
    RotaryPositions,
    RSAttention,
    ToeplitzAttention,
    WindowAttention,
)
from inductive_bias.layers.alibi import alibi_slopes
from inductive_bias.layers.base import HeadSpec
from inductive_bias.layers.heads import HeadMixer
from tests.hostile import refused

LAYERS = {
    "rsa": lambda **options: RSAttention(12, 6, gate="head", **options),
    "plain": lambda **options: PlainAttention(12, 3, **options),
    "alibi": lambda **options: ALiBiAttention(12, 3, **options),
    "rope": lambda **options: PlainAttention(12, 3, positions=RotaryPositions(4), **options),
    "relative": lambda **options: RelativeAttention(12, 3, **options),
    "window": lambda **options: WindowAttention(12, 3, window=6, **options),
    "toeplitz": lambda **options: ToeplitzAttention(12, 3, length=20, gate="head", **options),
    "rem only": lambda **options: REMOnly(12, 6, **options),
    "linear rnn": lambda **options: LinearRNN(12, 5),
    "lstm": lambda **options: LSTM(12, 5),
}
every_layer = pytest.mark.parametrize("name", LAYERS)
#: Turned round, distances change their sign: of these the values are not those of the words read backwards.
SIGNED = ("rope", "relative")


def layer_of(kind):
    """The class of a mixer's layer; a setting without a default is 9."""
    given = {name: 9 for name, field in kind.model_fields.items() if field.is_required()}
    return type(kind(**given).layer(12))


#: Layers that can look both ways: those of mixers with heads.
TWO_WAY = {layer_of(kind) for kind in MIXERS if issubclass(kind, HeadSpec)}
every_two_way_layer = pytest.mark.parametrize(
    "name", [name for name, make in LAYERS.items() if type(make()) in TWO_WAY and name not in SIGNED]
)


def made(name, **options):
    torch.manual_seed(0)
    layer = LAYERS[name](**options).double()
    if name == "toeplitz":
        torch.nn.init.normal_(layer.lags)
    return layer


def tokens(t=11, b=2):
    return torch.randn(b, t, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_the_layer_of_every_mixer_is_tested_here():
    missing = {layer_of(kind) for kind in MIXERS} - {type(make()) for make in LAYERS.values()}
    assert missing == set(), "add it to LAYERS here"


@every_layer
@pytest.mark.parametrize("prompt", [1, 4])
def test_token_by_token_gives_the_parallel_form(name, prompt):
    layer, x = made(name), tokens()
    want = layer(x)
    out, cache = layer.prefill(x[:, :prompt])
    torch.testing.assert_close(out, want[:, :prompt])
    for t in range(prompt, 11):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, want[:, t])
    assert cache.length == 11


@every_layer
def test_no_token_sees_a_later_one(name):
    layer, x = made(name), tokens().requires_grad_()
    (grad,) = torch.autograd.grad(layer(x)[:, 5].sum(), x)
    assert (grad[:, 6:] == 0).all()
    assert (grad[:, :5] != 0).any(-1).all()


@every_two_way_layer
def test_without_a_mask_both_directions_count_alike(name):
    layer, x = made(name, causal=False), tokens()
    torch.testing.assert_close(layer(x.flip(1)).flip(1), layer(x))


@every_layer
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing_for_real_tokens(name, side):
    layer, x = made(name), tokens()
    mask = torch.ones(2, 11, dtype=torch.bool)
    place = slice(0, 5) if side == "right" else slice(6, 11)
    mask[1] = False
    mask[1, place] = True
    ours = layer(torch.where(mask[:, :, None], x, 100.0), mask)
    assert ours.isfinite().all()
    torch.testing.assert_close(ours[:1], layer(x[:1]))
    torch.testing.assert_close(ours[1:, place], layer(x[1:, place]))


@every_layer
def test_every_parameter_receives_a_gradient(name):
    layer = made(name)
    layer(tokens()).pow(3).sum().backward()
    for parameter, value in layer.named_parameters():
        assert value.grad.abs().sum() > 0, parameter


@every_layer
def test_copies_are_equal(name):
    layer, other, x = made(name), LAYERS[name]().double(), tokens()
    other.load_state_dict(layer.state_dict())
    assert torch.equal(layer(x), other(x))
    assert torch.equal(layer(x), copy.deepcopy(layer)(x))


@every_layer
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.zeros(2, 12).double(), "x must have 3 dimensions"),
        (torch.zeros(2, 0, 12).double(), "x must not be empty"),
        (torch.zeros(2, 5, 11).double(), "x must have width 12 in its last dimension, not 11"),
        (torch.zeros(2, 5, 12, dtype=torch.int64), "x must hold real floating-point numbers, not torch.int64"),
    ],
)
def test_bad_inputs_are_refused(name, x, message):
    layer = made(name)
    for function in (layer, layer.prefill):
        refused(function, message, x)


@every_layer
@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
def test_a_batch_of_none_gives_an_empty_answer_with_gradients(name, masked):
    layer, x = made(name), tokens(b=0).requires_grad_()
    mask = torch.ones(0, 11, dtype=torch.bool) if masked else None
    out = layer(x, mask)
    assert out.shape == (0, 11, 12)
    out.sum().backward()
    assert x.grad.shape == x.shape
    for parameter, value in layer.named_parameters():
        assert value.grad is not None, parameter
        assert not value.grad.any(), parameter
    out, cache = layer.prefill(x, mask)
    assert out.shape == (0, 11, 12)
    assert layer.step(x[:, 0], cache)[0].shape == (0, 12)


@every_two_way_layer
def test_a_batch_of_none_may_look_both_ways(name):
    assert made(name, causal=False)(tokens(b=0)).shape == (0, 11, 12)


@pytest.mark.parametrize("name", [name for name, make in LAYERS.items() if isinstance(make(), HeadMixer)])
def test_a_batch_of_none_may_have_a_memory(name):
    layer = made(name)
    assert layer(tokens(b=0), memory=tokens(4, b=0)).shape == (0, 11, 12)
    assert layer.in_units(tokens(12, b=0), 4).shape == (0, 8, 12)


@pytest.mark.filterwarnings("ignore:.*deprecated")  # by PyTorch, which has no other quantisation without a compiler
@every_layer
def test_a_layer_quantised_by_pytorch_gives_nearly_the_same(name):
    layer, x = made(name).float().eval(), tokens().float()
    small = torch.ao.quantization.quantize_dynamic(layer, {torch.nn.Linear})
    mask = torch.ones(2, 11, dtype=torch.bool)
    mask[1, 8:] = False
    (ours, cache), (want, theirs) = small.prefill(x, mask), layer.prefill(x, mask)
    pairs = [(small(x), layer(x)), (ours, want), (small.step(x[:, 0], cache)[0], layer.step(x[:, 0], theirs)[0])]
    if isinstance(layer, HeadMixer):
        pairs.append((small(x, memory=x[:, :3]), layer(x, memory=x[:, :3])))
    for ours, want in pairs:
        assert 0 < (ours - want).abs().max() < 0.05 * want.abs().max()


def test_alibi_lowers_the_scores_by_slope_times_distance():
    layer, x = made("alibi"), tokens()
    q, k, v = (part.view(2, 11, 3, 4).transpose(1, 2) for part in layer.query_key_value(x).split(12, -1))
    place = torch.arange(11.0).double()
    bias = -torch.tensor([2**-4, 2**-8, 2**-2]).double()[:, None, None] * (place[:, None] - place).abs()
    scores = (q @ k.mT / 2 + bias).masked_fill(torch.ones(11, 11).triu(1).bool(), -torch.inf)
    want = layer.output((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 11, 12))
    torch.testing.assert_close(layer(x), want)


def test_alibi_s_slopes_are_those_of_its_paper():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    assert alibi_slopes(1).tolist() == [2.0**-8]
    # twelve heads: those of eight, then every other one of sixteen
    torch.testing.assert_close(alibi_slopes(12)[8:], torch.tensor([2.0**-i for i in (0.5, 1.5, 2.5, 3.5)]))


def test_a_free_toeplitz_matrix_has_one_number_for_every_lag_but_zero():
    layer = made("toeplitz")
    assert layer.lags.shape == (3, 19)
    matrix = layer.matrix(4)
    for i in range(4):
        for j in range(4):
            assert torch.equal(matrix[:, i, j], layer.lags[:, i - j - 1] if i > j else torch.zeros(3).double())
    assert (ToeplitzAttention(12, 3, length=9).lags == 0).all()


def test_a_plain_head_beside_free_matrices_is_one_with_a_closed_gate():
    plain, closed = made("toeplitz", plain=1), made("toeplitz")
    weights = plain.state_dict()
    weights["mu"] = torch.cat((weights["mu"], torch.full((1,), -1e4, dtype=torch.float64)))
    weights["lags"] = torch.cat((weights["lags"].normal_(), torch.ones(1, 19, dtype=torch.float64)))
    plain.load_state_dict({name: value[:2] if name in ("mu", "lags") else value for name, value in weights.items()})
    closed.load_state_dict(weights)
    x = torch.randn(2, 9, 12, dtype=torch.float64)
    torch.testing.assert_close(plain(x), closed(x))
    assert not torch.allclose(plain(x), made("toeplitz")(x))


def test_a_free_toeplitz_matrix_has_an_end():
    layer = made("toeplitz")
    assert layer(tokens(20)).shape == (2, 20, 12)
    with pytest.raises(ValueError, match="at most length=20 tokens, not 21"):
        layer(tokens(21))


@pytest.mark.parametrize("t", [1, 2, 7, 8, 9])
def test_a_linear_rnn_in_parallel_is_the_loop(t):
    layer, x = made("linear rnn"), tokens(t)
    state, want = torch.zeros(2, 5).double(), []
    for n in range(t):
        state = state @ layer.recurrent.T + layer.input(x[:, n])
        want.append(state)
    ours, want = layer.states(x), torch.stack(want, 1)
    torch.testing.assert_close(ours, want)
    grads = [
        torch.autograd.grad(y.pow(2).sum(), list(layer.parameters())[:2], allow_unused=True, materialize_grads=True)
        for y in (ours, want)
    ]
    torch.testing.assert_close(*grads)


def test_a_linear_rnn_starts_stable():
    values = torch.linalg.eigvals(LinearRNN(16, radius=0.8).recurrent)
    torch.testing.assert_close(values.abs(), torch.full((16,), 0.8))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearRNN(0), "width must be an integer of at least 1, not 0"),
        (lambda: LinearRNN(4, 0), "states must be an integer of at least 1, not 0"),
        (lambda: LinearRNN(4, radius=1.5), r"radius must lie in \[0, 1\], not 1.5"),
        (lambda: LSTM(4, -1), "states must be an integer of at least 1, not -1"),
        (lambda: REMOnly(10, 6), "heads must divide width=10, not 6"),
        (lambda: REMOnly(12, 6, (1, 0, 0, 0, 0, 0)), "must add up to heads=6"),
        (lambda: PlainAttention(10, 3), "heads must divide width=10, not 3"),
        (lambda: ToeplitzAttention(12, 3, length=1), "length must be an integer of at least 2, not 1"),
        (lambda: ToeplitzAttention(12, 3, length=9, gate="all"), "gate must be one of layer, head, not 'all'"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
