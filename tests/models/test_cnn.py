import pytest
import torch
import torch.nn.functional as F
from pydantic import ValidationError

from inductive_bias.analysis import shift
from inductive_bias.models import CNNSpec
from inductive_bias.models.cnn import max_out


def naive_max_out(maps, units):
    group = maps.shape[1] // units
    return torch.stack([maps[:, u * group : (u + 1) * group].max(dim=1).values for u in range(units)], dim=1)


@pytest.mark.parametrize(("filters", "units"), [(1, 1), (6, 6), (6, 2), (9, 3)])
def test_max_out_is_the_largest_of_each_group(filters, units):
    maps = torch.randn(2, filters, 3, 5, dtype=torch.float64, requires_grad=True)
    ours, want = max_out(maps, units), naive_max_out(maps, units)
    torch.testing.assert_close(ours, want)
    grads = [torch.autograd.grad(y.square().sum(), maps)[0] for y in (ours, want)]
    torch.testing.assert_close(*grads)


def test_forward_equals_the_formula_block_by_block():
    model = CNNSpec(filters=(4, 6), units=(4, 3), pools=(1, 2)).build(image=(1, 7, 7), classes=3).double()
    model.train()
    model(torch.randn(8, 1, 7, 7, dtype=torch.float64))
    model.eval()
    images = torch.randn(3, 1, 7, 7, dtype=torch.float64)
    x = images
    for block, units, pool in zip(model.blocks, (4, 3), (1, 2), strict=True):
        x = naive_max_out(F.conv2d(x, block.convolution.weight, block.convolution.bias, padding=1), units)
        norm = block.norm
        x = F.batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias)
        x = F.max_pool2d(F.relu(x), pool)
    want = F.linear(x.flatten(2).mean(2), model.readout.weight, model.readout.bias)
    torch.testing.assert_close(model(images), want)


def test_a_shift_by_the_stride_leaves_the_logits_when_the_border_is_empty():
    """Convolution and pooling move with the digit; global average pooling forgets where it was."""
    model = CNNSpec(filters=(4, 8), units=(4, 4), pools=(2, 2)).build(image=(1, 40, 40), classes=10).double().eval()
    for block in model.blocks:  # without a bias an empty picture stays empty, so nothing marks the border
        torch.nn.init.zeros_(block.convolution.bias)
    digit = torch.zeros(1, 1, 40, 40, dtype=torch.float64)
    digit[..., 16:24, 16:24] = torch.rand(8, 8, dtype=torch.float64)
    torch.testing.assert_close(model(shift(digit, 4, -8)), model(digit))
    assert not torch.allclose(model(shift(digit, 1, 0)), model(digit))  # less than a stride is not free


def test_strides_are_products_of_the_pools():
    model = CNNSpec(filters=(2, 2, 2), units=(2, 2, 2), pools=(1, 2, 2)).build(image=(1, 28, 28), classes=10)
    assert model.strides == [1, 2, 4]
    shapes = [tuple(maps.shape[2:]) for maps in model.stages(torch.rand(1, 1, 28, 28)).values()]
    assert shapes == [(28, 28), (14, 14), (7, 7)]


def test_the_default_is_the_paper_s_architecture():
    model = CNNSpec().build(image=(1, 28, 28), classes=10)
    kernels = [tuple(block.convolution.weight.shape) for block in model.blocks]
    assert kernels == [(128, 1, 3, 3), (64, 128, 3, 3), (64, 64, 3, 3)]
    assert model.readout.in_features == 16


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"filters": (4, 4), "units": (4,), "pools": (1, 1)}, "one entry a block"),
        ({"filters": (4,), "units": (3,), "pools": (1,)}, "units must divide filters"),
        ({"filters": (), "units": (), "pools": ()}, "one entry a block"),
    ],
)
def test_blocks_that_do_not_agree_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        CNNSpec(**settings)


@pytest.mark.parametrize(("size", "pools"), [((16, 16), (2, 2)), ((9, 7), (2, 1)), ((4, 4), (2, 2))])
def test_a_flat_read_out_sees_every_cell(size, pools):
    image = (1, *size)
    flat = CNNSpec(filters=(3, 5), units=(3, 5), pools=pools, readout="flat").build(image=image, classes=4)
    flat = flat.double().eval()
    images = torch.randn(2, *image, dtype=torch.float64)
    maps = list(flat.stages(images).values())[-1]
    rows = [
        [maps[n, c, y, x] for c in range(5) for y in range(maps.shape[2]) for x in range(maps.shape[3])] for n in (0, 1)
    ]
    wanted = torch.stack([torch.stack(row) for row in rows])
    torch.testing.assert_close(flat.features(images), wanted)
    torch.testing.assert_close(flat(images), wanted @ flat.readout.weight.T + flat.readout.bias)


def test_the_usual_read_out_needs_no_setting():
    assert CNNSpec().model_dump()["readout"] == "average"
    assert CNNSpec().build(image=(1, 28, 28), classes=10).readout.in_features == 16
