"""A mask that is True for padding is noticed where the batch shows it, and honest masks never are."""

import copy
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.layers.turned_masks import LOOKS, reason_turned
from tests.layers.test_every_layer import every_layer, made, tokens

LENGTHS = torch.tensor([7, 4, 5])


def masked(side, lengths=LENGTHS, width=7):
    """An honest mask of rows of these lengths, padded on one side to a width."""
    place = torch.arange(width).expand(len(lengths), -1)
    return place < lengths[:, None] if side == "right" else place >= width - lengths[:, None]


def embedded(mask, *, positions=False, padding=0.0):
    """Words as a model embeds them: of padding always the same vector, unless positions are added."""
    x = torch.randn(*mask.shape, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = torch.where(mask[:, :, None], x, padding)
    return x + torch.randn(mask.shape[1], 12, dtype=torch.float64) if positions else x


SIDES = pytest.mark.parametrize("side", ["right", "left"])
POSITIONS = pytest.mark.parametrize("positions", [False, True], ids=["", "with positions"])


@every_layer
def test_every_layer_warns_of_a_mask_that_is_turned_round(name):
    mask = masked("right")
    x = embedded(mask)
    for call in (made(name), made(name).prefill):
        with pytest.warns(UserWarning, match="looks turned round: .*True for real tokens .*give ~mask"):
            call(x, ~mask)
        call(x, mask)  # a warning is an error here


@POSITIONS
def test_padding_on_the_right_turned_round_is_noticed(positions):
    """The usual batch: padded on the right, as long as its longest row."""
    mask = masked("right")
    assert reason_turned(embedded(mask, positions=positions), ~mask)


def test_padding_on_the_left_turned_round_is_noticed_where_padding_is_one_vector():
    mask = masked("left")
    assert reason_turned(embedded(mask), ~mask)
    assert not reason_turned(embedded(mask, positions=True), ~mask)  # rows without a token, padded on the right?


@SIDES
def test_padding_to_a_fixed_length_turned_round_is_noticed_where_padding_is_one_vector(side):
    mask = masked(side, width=10)
    assert "all tokens that it keeps are the same" in reason_turned(embedded(mask, padding=0.5), ~mask)


@POSITIONS
def test_of_rows_of_one_length_the_mask_turned_round_hides_all(positions):
    mask = torch.ones(3, 7, dtype=torch.bool)
    assert "hides every token" in reason_turned(embedded(mask, positions=positions), ~mask)


@SIDES
@POSITIONS
@pytest.mark.parametrize("width", [7, 10], ids=["as long as the longest", "fixed length"])
@pytest.mark.parametrize("padding", [0.0, 0.5])
def test_honest_padding_is_no_alarm(side, positions, width, padding):
    mask = masked(side, width=width)
    assert reason_turned(embedded(mask, positions=positions, padding=padding), mask) == ""


@POSITIONS
def test_rows_without_a_token_are_no_alarm(positions):
    """Documents of fewer sentences than others, each sentence padded on the right to a fixed length."""
    for lengths in ([7, 0, 4], [5, 0, 0], [0, 0, 1]):
        mask = masked("right", torch.tensor(lengths), 9)
        assert reason_turned(embedded(mask, positions=positions), mask) == ""
    mask = masked("left", torch.tensor([7, 0, 4]))
    assert reason_turned(embedded(mask, positions=positions), mask) == ""


def test_gaps_and_single_tokens_are_no_alarm():
    gap = torch.ones(2, 7, dtype=torch.bool)
    gap[:, 2:4] = False
    assert reason_turned(tokens(7), gap) == ""
    gap[1] = False  # and a row without a token
    assert reason_turned(tokens(7), gap) == ""
    first = masked("right", torch.tensor([1, 1, 1]))  # every row begins with one word, such as BOS, and has no other
    same = embedded(torch.ones(1, 7, dtype=torch.bool)).expand(3, -1, -1)
    assert reason_turned(same, first) == ""
    last = torch.ones(1, 7, dtype=torch.bool)
    last[0, -1] = False
    assert reason_turned(tokens(7, 1), last) == ""


def test_one_word_again_and_again_is_no_alarm():
    mask = masked("right")
    assert reason_turned(torch.where(mask[:, :, None], 1.0, torch.zeros(3, 7, 12)), mask) == ""


def test_it_is_said_once_and_only_first_masks_are_looked_at(monkeypatch):
    mask, layer = masked("right"), made("plain")
    x = embedded(mask)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for each in (layer, made("plain"), made("rsa")):
            each(x, ~mask)
            each(x, ~mask)
    assert len(said) == 1
    usual = made("plain")
    for _ in range(LOOKS):
        usual(x, mask)
    usual(x, ~mask)  # no longer looked at
    assert copy.deepcopy(usual)._masks_looked_at == LOOKS
    assert "_masks_looked_at" not in layer.state_dict()


def test_without_padding_nothing_is_looked_at():
    layer = made("plain")
    layer(tokens(), torch.ones(2, 11, dtype=torch.bool))
    layer(tokens())
    assert not hasattr(layer, "_masks_looked_at")


def test_within_transformations_and_recordings_nothing_is_looked_at():
    mask, layer = masked("right"), made("plain")
    x = embedded(mask)
    torch.vmap(layer)(x[None], ~mask[None])
    assert not hasattr(layer, "_masks_looked_at")


def test_a_mask_of_pytorch_s_own_convention_is_the_mistake_it_is_about():
    """``key_padding_mask`` of PyTorch, given to a layer here."""
    words = nn.utils.rnn.pad_sequence([torch.arange(1, n + 1) for n in LENGTHS.tolist()], batch_first=True)
    x = F.embedding(words, torch.randn(9, 12, dtype=torch.float64))
    padding = words == 0
    assert reason_turned(x, padding)
    assert not reason_turned(x, ~padding)
