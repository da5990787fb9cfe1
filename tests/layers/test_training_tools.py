"""The layers under what training programs wrap them in: data-parallel, checkpointed activations, averaged weights."""

import copy

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint

from tests.layers.test_every_layer import LAYERS, made, tokens

every_layer = pytest.mark.parametrize("name", LAYERS)


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """A process group of this process alone."""
    file = tmp_path_factory.mktemp("group") / "store"
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def gradients(layer, call):
    x = tokens(7).requires_grad_()
    value = call(x)
    return [value.detach(), *torch.autograd.grad(value.square().sum(), [x, *layer.parameters()], allow_unused=True)]


@every_layer
def test_data_parallel_changes_neither_values_nor_gradients(group, name):
    layer = made(name)
    wrapped = DistributedDataParallel(copy.deepcopy(layer))
    x = tokens(7)
    wrapped(x).square().sum().backward()
    layer(x).square().sum().backward()
    for ours, theirs in zip(wrapped.module.parameters(), layer.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


@every_layer
def test_activations_made_again_give_the_same_gradients(name):
    layer = made(name)
    plain = gradients(layer, layer)
    again = gradients(layer, lambda x: checkpoint(layer, x, use_reentrant=False))
    torch.testing.assert_close(again, plain)


@every_layer
def test_averaged_weights_are_the_average(name):
    layer = made(name)
    averaged = AveragedModel(layer, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    averaged.update_parameters(layer)  # the first call copies
    before = [weight.detach().clone() for weight in layer.parameters()]
    with torch.no_grad():
        for weight in layer.parameters():
            weight += 1
    averaged.update_parameters(layer)
    for found, old, new in zip(averaged.module.parameters(), before, layer.parameters(), strict=True):
        torch.testing.assert_close(found, 0.9 * old + 0.1 * new)
    assert averaged(tokens(5)).shape == layer(tokens(5)).shape
