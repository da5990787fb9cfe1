"""What padding means, of every layer (see :mod:`inductive_bias.layers.heads`): the reference is a prompt without it."""

import pytest
import torch

from inductive_bias.layers import WindowSpec
from inductive_bias.layers.heads import ending_together
from tests.layers.test_every_layer import LAYERS, every_layer, made, tokens

#: Of these a gap between real tokens is nothing at all: softmax without positions knows no distance, an LSTM skips it.
NO_TIME = ("plain", "lstm")
#: Real tokens of the rows of a batch, by name.
PLACES = {
    "right": (slice(0, 4), slice(0, 7)),
    "left": (slice(3, 7), slice(0, 7)),
    "both sides": (slice(1, 5), slice(2, 3)),
    "each its own side": (slice(0, 2), slice(5, 7)),
    "none": (slice(0, 7), slice(0, 7)),
}


def padded(places, b=2, t=7):
    """Tokens, with numbers at padding that would be seen, and their mask."""
    mask = torch.zeros(b, t, dtype=torch.bool)
    for row, place in enumerate(places):
        mask[row, place] = True
    return torch.where(mask[:, :, None], tokens(t, b), 100.0), mask


@every_layer
@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
def test_a_padded_prompt_is_continued_as_the_prompt_alone(name, places):
    layer, (x, mask) = made(name), padded(places)
    out, cache = layer.prefill(x, mask)
    assert cache.length == 7
    for row, place in enumerate(places):
        want, alone = layer.prefill(x[row : row + 1, place])
        torch.testing.assert_close(out[row : row + 1, place], want)
        ours = cache
        for t in range(7):
            following = tokens(7)[:, t]
            found, ours = layer.step(following, ours)
            want, alone = layer.step(following[row : row + 1], alone)
            torch.testing.assert_close(found[row : row + 1], want)


def test_rotary_windows_too_go_on_from_the_last_real_token():
    layer, (x, mask) = WindowSpec(heads=3, window=3, rotary=True).layer(12).double(), padded([slice(0, 4)], 1)
    (_, ours), (_, alone) = layer.prefill(x, mask), layer.prefill(x[:, :4])
    torch.testing.assert_close(layer.step(x[:, 0], ours)[0], layer.step(x[:, 0], alone)[0])


@every_layer
def test_a_prompt_of_padding_alone_is_no_prompt(name):
    layer, x = made(name), tokens(5, 1)
    out, cache = layer.prefill(torch.full_like(x[:, :3], 100.0), torch.zeros(1, 3, dtype=torch.bool))
    assert out.isfinite().all()
    for t in range(5):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, layer(x)[:, t])


@every_layer
def test_a_padded_prompt_s_outputs_are_those_of_the_parallel_form(name):
    layer, (x, mask) = made(name), padded(PLACES["each its own side"])
    torch.testing.assert_close(layer.prefill(x, mask)[0][mask], layer(x, mask)[mask])


@every_layer
def test_padding_on_the_right_changes_no_bit_of_the_parallel_form(name):
    layer, (x, mask) = made(name), padded(PLACES["right"])
    other = torch.where(mask[:, :, None], x, -7.0)
    assert torch.equal(layer(x, mask)[mask], layer(other, mask)[mask])
    # the causal layers need no mask: a linear RNN and an LSTM have the same kernel with and without
    torch.testing.assert_close(layer(x, mask)[mask], layer(x)[mask])


@every_layer
def test_in_a_gap_between_real_tokens_time_passes_unless_the_layer_has_no_time(name):
    layer, x = made(name), tokens(7)
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[:, 3:5] = False
    ours, other = (layer(torch.where(mask[:, :, None], x, filled), mask) for filled in (100.0, -7.0))
    assert torch.equal(ours[mask], other[mask])  # whatever stands in the gap
    without = layer(x[:, [0, 1, 2, 5, 6]])
    torch.testing.assert_close(ours[:, :3], without[:, :3])
    if name in NO_TIME:
        torch.testing.assert_close(ours[:, 5:], without[:, 3:])
    else:
        assert (ours[:, 5:] - without[:, 3:]).abs().max() > 1e-3


@every_layer
def test_a_prompt_with_a_gap_is_continued_as_the_parallel_form_would(name):
    layer, x = made(name), tokens(11)
    mask = torch.ones(2, 11, dtype=torch.bool)
    mask[0, 2:4] = mask[1, 1] = mask[1, 3] = False
    want = layer(x, mask)
    _, cache = layer.prefill(x[:, :6], mask[:, :6])
    # once more with padding behind, which moves the prompt but not its gap
    behind = torch.cat((x[:, :6], x[:, :3]), 1), torch.cat((mask[:, :6], torch.zeros_like(mask[:, :3])), 1)
    _, moved = layer.prefill(*behind)
    for t in range(6, 11):
        out, cache = layer.step(x[:, t], cache)
        torch.testing.assert_close(out, want[:, t])
        out, moved = layer.step(x[:, t], moved)
        torch.testing.assert_close(out, want[:, t])


def test_in_a_gap_a_recurrence_goes_on_without_inputs():
    """By hand: the state of a linear RNN and of a REM fades as many steps as the gap has tokens."""
    x, mask = tokens(6), torch.tensor([True, True, False, False, True, True]).expand(2, 6)
    layer = made("linear rnn")
    state, want = torch.zeros(2, 5).double(), []
    for t in range(6):
        state = state @ layer.recurrent.T + (layer.input(x[:, t]) if mask[0, t] else 0)
        want.append(layer.output(state))
    torch.testing.assert_close(layer(x, mask), torch.stack(want, 1))
    layer = made("rem only")
    values = layer.value(x).unflatten(2, (6, 2)).transpose(1, 2) * mask[:, None, :, None]
    torch.testing.assert_close(layer(x, mask), layer._join(layer.rem.matrix(6) @ values))


def test_prompts_are_moved_so_that_they_end_together():
    x = torch.arange(8.0).view(2, 4, 1)
    mask = torch.tensor([[True, False, True, False], [False, True, False, False]])
    moved, real = ending_together(x, mask)
    assert moved[..., 0].tolist() == [[3, 0, 1, 2], [6, 7, 4, 5]]
    assert real.tolist() == [[False, True, False, True], [False, False, False, True]]
    for none in (torch.zeros(2, 4, dtype=torch.bool), torch.ones(2, 4, dtype=torch.bool)):
        assert torch.equal(ending_together(x, none)[0], x)


def test_the_layers_without_time_are_layers():
    assert set(NO_TIME) < set(LAYERS)
