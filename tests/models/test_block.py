"""One block for every model: pre-norm, residual, and what it leaves out."""

import pytest
import torch
from torch import nn

from inductive_bias.layers import MIXERS, PlainAttention
from inductive_bias.models.block import Block


class Doubled(nn.Module):
    """A mixer that shows what it was given."""

    def forward(self, x, mask):
        self.mask = mask
        return 2 * x


def tokens():
    return torch.randn(2, 5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_a_block_is_its_formula():
    torch.manual_seed(0)
    block, x = Block(Doubled(), 6, feedforward=3).double(), tokens()
    first, gelu, second = block.feedforward
    assert first.out_features == 18
    y = x + 2 * nn.functional.layer_norm(x, (6,))
    normed = nn.functional.layer_norm(y, (6,))
    torch.testing.assert_close(block(x), y + second(gelu(first(normed))))


def test_without_a_feedforward_layer_only_the_mixer_adds_to_the_input():
    block, x = Block(Doubled(), 6, feedforward=0).double(), tokens()
    torch.testing.assert_close(block(x), x + 2 * nn.functional.layer_norm(x, (6,)))


def test_the_feedforward_layer_may_have_a_width_of_its_own():
    assert Block(Doubled(), 6, inner=7).feedforward[0].out_features == 7
    assert Block(Doubled(), 6, inner=0).feedforward is None


@pytest.mark.parametrize("m", [0, 1, 3])
def test_after_a_memory_tokens_are_the_last_of_the_whole_sequence(m):
    torch.manual_seed(0)
    block, x = Block(PlainAttention(6, 2), 6).double(), tokens()
    torch.testing.assert_close(block.after(x[:, :m], x[:, m:]), block(x)[:, m:])


def test_the_mask_goes_to_the_mixer():
    block, mask = Block(Doubled(), 6).double(), torch.ones(2, 5, dtype=torch.bool)
    block(tokens(), mask)
    assert block.mixer.mask is mask


@pytest.mark.parametrize("spec", MIXERS, ids=lambda spec: spec.__name__)
def test_every_mixer_is_made_before_the_feedforward_layer_and_stands_before_it(spec):
    """The order of parameters and of random draws is part of what a seed means."""
    needed = {"heads": 2, "length": 9}
    mixer = spec(**{name: needed[name] for name in needed if name in spec.model_fields})
    torch.manual_seed(0)
    block = Block(mixer.layer(6), 6)
    torch.manual_seed(0)
    alone = mixer.layer(6)
    assert all(torch.equal(a, b) for a, b in zip(block.mixer.parameters(), alone.parameters(), strict=True))
    names = [name.split(".")[0] for name, _ in block.named_parameters()]
    assert list(dict.fromkeys(names)) == ["mixer_norm", "mixer", "feedforward_norm", "feedforward"]
