import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.models import MLPSpec


def naive_forward(model, images):
    """Evaluation-mode forward pass in numpy, in the order linear → ReLU → normalisation."""
    x = images.flatten(1).numpy()
    for layer in model.hidden:
        state = {name: value.numpy() for name, value in layer.state_dict().items()}
        x = np.maximum(x @ state["linear.weight"].T + state["linear.bias"], 0)
        x = (x - state["norm.running_mean"]) / np.sqrt(state["norm.running_var"] + 1e-5)
        x = x * state["norm.weight"] + state["norm.bias"]
    return x @ model.readout.weight.detach().numpy().T + model.readout.bias.detach().numpy()


@pytest.mark.parametrize("widths", [(5,), (7, 3), (512, 128, 32)], ids=str)
@pytest.mark.parametrize("n", [1, 3])
def test_forward_equals_numpy(widths, n):
    model = MLPSpec(widths=widths).build(image=(1, 6, 5), classes=4).double()
    images = torch.randn(n, 1, 6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    model.train()
    model(torch.randn(9, 1, 6, 5, dtype=torch.float64))  # moves the running statistics away from 0 and 1
    model.eval()
    with torch.no_grad():
        np.testing.assert_allclose(model(images).numpy(), naive_forward(model, images))


def test_features_are_the_last_stage_and_feed_the_readout():
    model = MLPSpec(widths=(6, 4)).build(image=(1, 28, 28), classes=10).eval()
    images = torch.rand(3, 1, 28, 28)
    stages = model.stages(images)
    assert list(stages) == ["hidden 1", "hidden 2"]
    torch.testing.assert_close(stages["hidden 2"], model.features(images))
    torch.testing.assert_close(model.readout(model.features(images)), model(images))


def test_the_default_is_the_paper_s_size():
    model = MLPSpec().build(image=(1, 28, 28), classes=10)
    weights = sum(p.numel() for p in model.parameters())
    linear = 784 * 512 + 512 + 512 * 128 + 128 + 128 * 32 + 32 + 32 * 10 + 10
    assert weights == linear + 2 * (512 + 128 + 32)


def test_dropout_out_of_range_is_refused():
    with pytest.raises(ValidationError, match="less than 1"):
        MLPSpec(dropout=1.0)
