"""A model of patches against a loop over patches, and its gradients."""

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.layers import AttentionSpec, LSTMLayerSpec, RSASpec
from inductive_bias.models import MixingSpec, PatchSpec

MIXERS = {
    "attention": MixingSpec(mixer=AttentionSpec(), causal=False, width=8),
    "RSA": MixingSpec(mixer=RSASpec(), causal=False, width=8),
    "LSTM": MixingSpec(mixer=LSTMLayerSpec(), width=8),
}


def naive_tokens(images, side):
    """Patches by slicing, row by row."""
    n, _, height, width = images.shape
    rows = [
        images[:, :, top : top + side, left : left + side].reshape(n, -1)
        for top in range(0, height, side)
        for left in range(0, width, side)
    ]
    return torch.stack(rows, 1)


@pytest.mark.parametrize(
    ("shape", "side"), [((2, 1, 8, 8), 4), ((3, 3, 6, 9), 3), ((1, 2, 4, 2), 1), ((2, 1, 5, 5), 5)]
)
def test_tokens_are_the_patches_row_by_row(shape, side):
    images = torch.randn(shape)
    model = PatchSpec(patch=side, sequence=MIXERS["attention"]).build(image=shape[1:], classes=3)
    torch.testing.assert_close(model.tokens(images), naive_tokens(images, side))


@pytest.mark.parametrize("mixer", MIXERS)
def test_the_answer_is_the_mean_over_patches(mixer):
    model = PatchSpec(patch=2, sequence=MIXERS[mixer]).build(image=(1, 4, 6), classes=3).double()
    images = torch.randn(2, 1, 4, 6, dtype=torch.float64)
    each = model.sequence(naive_tokens(images, 2))
    torch.testing.assert_close(model(images), torch.stack([each[:, place] for place in range(6)]).mean(0))
    # the read-out is linear: that of the features is the same
    torch.testing.assert_close(model.sequence.readout(model.features(images)), model(images))
    model(images).square().sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("mixer", ["attention", "RSA"])
def test_a_blank_patch_is_a_patch(mixer):
    """Zeros are no padding: what stands beside a blank patch hears of it."""
    model = PatchSpec(patch=2, sequence=MIXERS[mixer]).build(image=(1, 4, 4), classes=3)
    images = torch.rand(1, 1, 4, 4)
    images[..., 2:, 2:] = 0
    tokens = model.tokens(images)
    assert (model.sequence(tokens)[:, :3] - model.sequence(tokens[:, :3])).abs().max() > 1e-4


def test_without_positions_attention_sees_a_bag_of_patches():
    model = PatchSpec(patch=2, sequence=MIXERS["attention"]).build(image=(1, 4, 4), classes=3).double()
    images = torch.randn(2, 1, 4, 4, dtype=torch.float64)
    halves = torch.cat((images[..., 2:, :], images[..., :2, :]), 2)
    torch.testing.assert_close(model(images), model(halves))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="patch=3 must divide"):
        PatchSpec(patch=3).build(image=(1, 16, 16), classes=2)
    with pytest.raises(ValidationError, match="not to the model of its sequence"):
        PatchSpec(sequence=MixingSpec(l2=1e-3))
    assert PatchSpec().name == "Attention, patches"
