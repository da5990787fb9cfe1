"""Attention maps against the layers' own inputs, and masses against loops."""

import pytest
import torch

from inductive_bias.analysis.attention_maps import attention_maps, mass_at
from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec


def model(mixer=None, layers=2):
    torch.manual_seed(0)
    spec = MixingSpec(mixer=mixer or AttentionSpec(heads=2), positions="sinusoidal", layers=layers, width=8)
    return spec.build(outputs=3, vocabulary=5).eval()


def test_maps_are_those_of_every_layer_on_what_it_reads():
    net, tokens = model(), torch.randint(1, 5, (3, 6))
    maps = attention_maps(net, tokens)
    assert maps.shape == (2, 3, 2, 6, 6)
    x = net._placed(tokens)
    for block, found in zip(net.blocks, maps, strict=True):
        torch.testing.assert_close(found, block.mixer.weights(block.mixer_norm(x)))
        x = block(x)
    assert not any(block.mixer._forward_pre_hooks for block in net.blocks)


def test_a_model_with_another_mixer_is_refused():
    with pytest.raises(ValueError, match="layer 1 is no plain attention but RSAttention"):
        attention_maps(model(RSASpec(heads=2)), torch.ones(1, 3, dtype=torch.int64))


@pytest.mark.parametrize("length", [2, 7])
def test_masses_are_those_of_a_loop_over_tokens_with_a_place_before_them(length):
    generator = torch.Generator().manual_seed(0)
    maps = torch.rand(3, 4, 2, length, length, generator=generator).tril()
    place = torch.minimum(torch.randint(-1, length, (4, length), generator=generator), torch.arange(length))
    found = mass_at(maps, place)
    assert found.shape == (3, 2)
    for layer in range(3):
        for head in range(2):
            shares = [
                maps[layer, word, head, token, place[word, token]].item()
                for word in range(4)
                for token in range(length)
                if 0 <= place[word, token] < token
            ]
            assert found[layer, head].item() == pytest.approx(sum(shares) / len(shares))


def test_a_head_that_looks_there_has_all_of_its_mass_there():
    place = torch.tensor([[-1, 0, 0, 2]])
    maps = torch.zeros(1, 1, 4, 4)
    maps[0, 0, torch.arange(4), place[0].clamp(min=0)] = 1
    assert mass_at(maps, place).tolist() == [1.0]
    with pytest.raises(ValueError, match="no token has a place before it"):
        mass_at(maps, torch.arange(4)[None])
