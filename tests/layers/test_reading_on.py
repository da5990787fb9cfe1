"""Going on from a state, some tokens at a time and beside padding: the reference is each row alone, token by token."""

import pytest
import torch

from inductive_bias.layers import (
    Cache,
    ConvolvedQueries,
    LinearRNN,
    PlainAttention,
    ProbSparse,
    REMOnly,
    RotaryPositions,
    RSAttention,
)
from tests.hostile import refused
from tests.layers.naive import gradients
from tests.layers.test_every_layer import LAYERS, every_layer, made, tokens

#: Pieces that a text is read in; each has its mask, one row a text. Padding stands behind, in all places of a piece, or
#: between pieces, where it is as if it were not there.
PIECES = (
    [[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]],
    [[1, 1, 0], [1, 1, 1], [0, 0, 0]],
    [[0], [1], [1]],
    [[1, 1], [1, 0], [1, 1]],
)
LENGTHS = [7, 6, 7]


def pieces():
    """Texts of each row, and the same in pieces with numbers at padding that would be seen."""
    texts, read = tokens(7, 3), [0, 0, 0]
    for rows in PIECES:
        mask = torch.tensor(rows, dtype=torch.bool)
        x = torch.full((3, mask.shape[1], 12), 100.0, dtype=torch.float64)
        for row in range(3):
            new = int(mask[row].sum())
            x[row, mask[row]] = texts[row, read[row] : read[row] + new]
            read[row] += new
        yield x, mask
    assert read == LENGTHS


def texts():
    return [tokens(7, 3)[row : row + 1, :length] for row, length in enumerate(LENGTHS)]


def alone(layer, text):
    """Outputs of one text, a token at a time."""
    out, cache = layer.prefill(text[:, :1])
    found = [out[:, 0]]
    for t in range(1, text.shape[1]):
        out, cache = layer.step(text[:, t], cache)
        found.append(out)
    return torch.cat(found), cache


@every_layer
@pytest.mark.parametrize("parts", [(1, 10), (4, 7), (4, 1, 6), (2, 3, 5, 1)], ids=str)
def test_some_tokens_at_a_time_give_the_parallel_form_in_value_and_gradient(name, parts):
    layer, x = made(name), tokens().requires_grad_()
    want, found, cache = layer(x), [], None
    for piece in x.split(parts, 1):
        out, cache = layer.prefill(piece) if cache is None else layer.step(piece, cache)
        found.append(out)
    ours = torch.cat(found, 1)
    torch.testing.assert_close(ours, want)
    assert cache.length == 11
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@every_layer
def test_pieces_with_padding_give_each_text_alone(name):
    layer, cache, found = made(name), None, [[], [], []]
    for x, mask in pieces():
        out, cache = layer.prefill(x, mask) if cache is None else layer.step(x, cache, mask)
        assert out.isfinite().all()
        for row in range(3):
            found[row].append(out[row, mask[row]])
    following = tokens(7, 3)[:, 6]
    after, _ = layer.step(following, cache)
    for row, text in enumerate(texts()):
        want, theirs = alone(layer, text)
        torch.testing.assert_close(torch.cat(found[row]), want)
        want, _ = layer.step(following[row : row + 1], theirs)
        torch.testing.assert_close(after[row : row + 1], want)


@every_layer
def test_a_step_of_one_token_may_leave_rows_out(name):
    layer, x = made(name), tokens(6, 3)
    _, cache = layer.prefill(x[:, :3])
    going = torch.tensor([True, False, True])
    out, cache = layer.step(torch.where(going[:, None], x[:, 3], 100.0), cache, going)
    torch.testing.assert_close(out[going], layer(x)[going, 3])
    out, _ = layer.step(x[:, 4], cache)
    torch.testing.assert_close(out[going], layer(x)[going, 4])
    torch.testing.assert_close(out[1:2], layer(torch.cat((x[1:2, :3], x[1:2, 4:5]), 1))[:, 3])


@every_layer
def test_in_a_gap_within_a_step_time_passes_as_in_the_parallel_form(name):
    layer, x = made(name), tokens(9)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[0, 4:6] = mask[1, 5] = mask[1, 7] = False
    want = layer(x, mask)
    _, cache = layer.prefill(x[:, :4], mask[:, :4])
    out, cache = layer.step(x[:, 4:8], cache, mask[:, 4:8])
    torch.testing.assert_close(out[mask[:, 4:8]], want[:, 4:8][mask[:, 4:8]])
    if name not in ("lstm", "plain"):  # row 1 ends with padding there, behind which no time passes
        want = layer(x[1:, [0, 1, 2, 3, 4, 5, 6, 8]], mask[1:, [0, 1, 2, 3, 4, 5, 6, 8]])[:, 7]
        torch.testing.assert_close(layer.step(x[:, 8], cache)[0][1:], want)


@every_layer
@pytest.mark.parametrize("cut", [1, 5, 10])
def test_two_halves_with_the_state_handed_on_are_the_whole(name, cut):
    layer, x = made(name), tokens().requires_grad_()
    first, state = layer(x[:, :cut], return_state=True)
    second, last = layer(x[:, cut:], initial_state=state, return_state=True)
    assert torch.equal(second, layer(x[:, cut:], initial_state=state))
    want = layer(x)
    ours = torch.cat((first, second), 1)
    torch.testing.assert_close(ours, want)
    assert last.length == 11
    leaves = [x, *layer.parameters()]
    torch.testing.assert_close(gradients(ours, leaves), gradients(want, leaves))


@every_layer
def test_no_gradient_passes_a_detached_state(name):
    layer, x = made(name), tokens().requires_grad_()
    _, state = layer(x[:, :5], return_state=True)
    ours = layer(x[:, 5:], initial_state=state.detached())
    torch.testing.assert_close(ours, layer(x)[:, 5:])
    (grad,) = torch.autograd.grad(ours.sum(), x)
    assert not grad[:, :5].any()
    assert grad[:, 5:10].any(-1).all()  # a REM does not hand a token to itself


@every_layer
def test_one_state_can_be_continued_twice(name):
    layer, x = made(name), tokens(6)
    _, state = layer(x[:, :3], return_state=True)
    first = layer.step(x[:, 3:], state)[0]
    layer.step(-x[:, 3:], state)
    assert torch.equal(layer.step(x[:, 3:], state)[0], first)


@pytest.mark.parametrize("diagonal", ["zero", "printed"])
@pytest.mark.parametrize("dilation", [1, 3, (2, 5, 4), 70, 10**9], ids=str)
@pytest.mark.parametrize("kind", [REMOnly, RSAttention])
def test_dilated_matrices_go_on_in_pieces_shorter_and_longer_than_the_dilation(kind, dilation, diagonal):
    torch.manual_seed(0)
    layer = kind(12, 6, dilation=dilation, diagonal=diagonal).double()
    x = tokens(160)
    want, cache, found = layer(x), None, []
    for piece in x.split((2, 5, 64, 1, 88), 1):
        out, cache = layer.prefill(piece) if cache is None else layer.step(piece, cache)
        found.append(out)
    torch.testing.assert_close(torch.cat(found, 1), want)


@pytest.mark.parametrize("dilation", [3, 70])
def test_dilated_matrices_go_on_in_rows_of_different_lengths(dilation):
    torch.manual_seed(0)
    layer, x = REMOnly(12, 6, dilation=dilation).double(), tokens(90)
    mask = torch.arange(40).expand(2, -1) < torch.tensor([[40], [9]])
    _, cache = layer.prefill(x[:, :5])
    _, cache = layer.step(x[:, 5:45], cache, mask)
    out, _ = layer.step(x[:, 45:], cache)
    torch.testing.assert_close(out[:1], layer(x)[:1, 45:])
    torch.testing.assert_close(out[1:], layer(torch.cat((x[1:, :14], x[1:, 45:]), 1))[:, 14:])


def test_a_linear_rnn_goes_on_from_a_state_by_hand():
    layer, x = made("linear rnn"), tokens(3)
    state = torch.randn(2, 5, dtype=torch.float64)
    ours = layer(x, initial_state=Cache(None, None, None, state, 4))
    for t in range(3):
        state = state @ layer.recurrent.T + layer.input(x[:, t])
        torch.testing.assert_close(ours[:, t], layer.output(state))


@every_layer
def test_half_precision_stays_half_precision(name):
    layer, x = made(name).bfloat16(), tokens(6).bfloat16()
    out, state = layer(x[:, :3], return_state=True)
    following = layer(x[:, 3:], initial_state=state)
    assert out.dtype == following.dtype == torch.bfloat16
    torch.testing.assert_close(following.double(), made(name)(tokens(6))[:, 3:], rtol=0.1, atol=0.05)


@every_layer
def test_a_state_that_does_not_fit_is_refused(name):
    layer, x = made(name), tokens(4)
    _, state = layer(x, return_state=True)
    refused(layer.step, "a state must have a row for each of the 1 rows of tokens, not 2", x[:1], state)
    refused(layer.step, "a state must be the Cache that a layer has given, not Tensor", x, x)
    refused(layer.step, r"mask must be bool of shape \(2, 4\)", x, state, torch.ones(2, 3, dtype=torch.bool))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RSAttention(12, 3, causal=False), "causal must be True to decode token by token, not False"),
        (lambda: REMOnly(12, 3, causal=False), "causal must be True to decode token by token, not False"),
        (lambda: PlainAttention(12, 3, attention=ProbSparse()), "does not go token by token"),
        (lambda: PlainAttention(12, 3, projection=ConvolvedQueries(12)), "does not go token by token"),
    ],
)
def test_layers_without_a_state_refuse_to_give_one(make, message):
    with pytest.raises(ValueError, match=message):
        make()(torch.zeros(1, 2, 12), return_state=True)


def test_a_state_and_a_memory_are_not_taken_together():
    layer, x = PlainAttention(12, 3), torch.zeros(1, 2, 12)
    _, state = layer(x, return_state=True)
    with pytest.raises(ValueError, match="a state and a memory cannot be given together"):
        layer(x, memory=x, initial_state=state)


def test_rows_that_stand_at_different_places_have_rotary_positions_of_their_own():
    """By hand: with a value for each place, queries and keys are what the positions make of the row alone."""
    layer, rotary = made("rope"), RotaryPositions(4)
    x = tokens(3, 3)
    _, cache = layer.prefill(x[:, :1])
    moved = cache._replace(length=6, moved=torch.tensor([2, 0, 2]))
    q, k, _ = layer._split(x, moved.length, moved.moved)
    made_q, made_k, _ = PlainAttention._split(_without_positions(layer), x, 0)
    for row, first in enumerate([4, 6, 4]):
        torch.testing.assert_close(q[row : row + 1], rotary(made_q[row : row + 1], first))
        torch.testing.assert_close(k[row : row + 1], rotary(made_k[row : row + 1], first))


def _without_positions(layer):
    other = LAYERS["plain"]().double()
    other.load_state_dict(layer.state_dict())
    return other


def test_the_state_of_a_linear_rnn_is_handed_on_under_vmap_and_as_a_compiler_sees_it():
    layer, x = LinearRNN(12, 5).double(), tokens(8)
    _, state = layer(x[:, :4], return_state=True)
    want = layer(x)[:, 4:]
    found = torch.vmap(lambda y, s: layer(y[None], initial_state=state._replace(state=s[None]))[0])(
        x[:, 4:], state.state
    )
    torch.testing.assert_close(found, want)
