"""TCN, gated convolutions, MLPs on a window: loops over time, receptive fields by gradients, and sizes."""

from itertools import product

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.models import GatedConvolutionSpec, RecurrentSpec, TCNSpec, WindowMLPSpec

SPECS = [
    *(
        TCNSpec(levels=levels, width=3, kernel=kernel, dropout=0, embedding=4)
        for levels, kernel in ((1, 1), (1, 2), (2, 3), (3, 2))
    ),
    *(GatedConvolutionSpec(layers=layers, width=3, kernel=kernel) for layers, kernel in ((1, 1), (1, 2), (3, 3))),
    *(WindowMLPSpec(window=window, layers=layers, width=3) for window, layers in ((1, 1), (4, 1), (3, 3))),
]
every_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.kind}, {spec.receptive_field}")


def built(spec, **dimensions):
    torch.manual_seed(0)
    return spec.build(outputs=5, **dimensions or {"channels": 2}).double().eval()


def inputs(t=9, b=2):
    return torch.randn(b, t, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def kernel_of(layer):
    """A convolution's kernel: the direction of each filter times its length (Salimans & Kingma 2016, equation 2)."""
    weight = layer.convolution.parametrizations.weight
    length, direction = weight.original0, weight.original1
    return torch.stack([g * v / v.square().sum().sqrt() for g, v in zip(length, direction, strict=True)])


def convolved(layer, x, dilation):
    """One output after the other, ``[b, t, c]``; before the sequence there are zeros."""
    kernel, bias, found = kernel_of(layer), layer.convolution.bias, []
    size = kernel.shape[2]
    for at in range(x.shape[1]):
        total = bias.expand(len(x), -1)
        for place in range(size):
            seen = at - (size - 1 - place) * dilation
            if seen >= 0:
                total = total + x[:, seen] @ kernel[:, :, place].T
        found.append(total)
    return torch.stack(found, 1)


def tcn_states(model, x):
    for level, block in enumerate(model.blocks):
        found = torch.relu(convolved(block.first, x, 2**level))
        found = torch.relu(convolved(block.second, found, 2**level))
        side = x if isinstance(block.side, torch.nn.Identity) else x @ block.side.weight[:, :, 0].T + block.side.bias
        x = torch.relu(side + found)
    return x


def gated_states(model, x):
    for block in model.blocks:
        values, gates = convolved(block.convolution, x, 1).chunk(2, -1)
        x = x + values * torch.sigmoid(gates)
    return x


def window_states(model, x):
    """Every window by itself: its inputs side by side, the oldest first, through an ordinary perceptron."""
    first, *others = (block.linear for block in model.blocks)
    kernel = kernel_of(first)
    before = x.new_zeros(len(x), kernel.shape[2] - 1, x.shape[2])
    padded, found = torch.cat([before, x], 1), []
    for at in range(x.shape[1]):
        side_by_side = padded[:, at : at + kernel.shape[2]].flatten(1)
        hidden = torch.relu(F.linear(side_by_side, kernel.mT.flatten(1), first.convolution.bias))
        for layer in others:
            hidden = torch.relu(F.linear(hidden, kernel_of(layer)[:, :, 0], layer.convolution.bias))
        found.append(hidden)
    return torch.stack(found, 1)


STATES = {"tcn": tcn_states, "gated_convolution": gated_states, "window_mlp": window_states}


def naive_states(spec, model, x):
    return STATES[spec.kind](model, model.embedding(x))


@every_spec
@pytest.mark.parametrize("t", [1, 9])
def test_states_and_gradients_are_those_of_a_loop_over_time(spec, t):
    model, x = built(spec), inputs(t)
    ours, want = model.states(x), naive_states(spec, model, x)
    assert ours.shape == (2, t, 3)
    torch.testing.assert_close(ours, want)
    weights = [weight for name, weight in model.named_parameters() if not name.startswith("readout")]
    slopes = [torch.autograd.grad(found.square().sum(), weights) for found in (ours, want)]
    torch.testing.assert_close(*slopes)
    torch.testing.assert_close(model(x), model.readout(want))


@every_spec
def test_tokens_are_read_through_an_embedding_as_it_is(spec):
    model = built(spec, vocabulary=7)
    tokens = torch.randint(0, 7, (2, 9), generator=torch.Generator().manual_seed(2))
    assert isinstance(model.embedding, torch.nn.Embedding)
    assert model(tokens).shape == (2, 9, 5)
    torch.testing.assert_close(model.states(tokens), naive_states(spec, model, tokens))


@every_spec
def test_a_position_sees_its_receptive_field_and_nothing_else(spec):
    model, field = built(spec), spec.receptive_field
    assert model.receptive_field == field
    with torch.no_grad():  # no unit may be off, else a path is closed by chance
        for name, weight in model.named_parameters():
            if "original1" in name or name.endswith("bias"):
                weight.abs_()
    at = field + 1
    x = inputs(field + 4).abs().requires_grad_()
    (slope,) = torch.autograd.grad(model.states(x)[:, at].sum(), x)
    seen = slope.abs().sum((0, 2)) > 0
    assert seen.nonzero().flatten().min() == at - field + 1
    assert seen.nonzero().flatten().max() == at
    assert slope[:, at + 1 :].abs().max() == 0


@every_spec
@pytest.mark.parametrize("more", [-1, 0, 3])
def test_the_last_position_needs_its_receptive_field_alone(spec, more):
    model, x = built(spec), inputs(max(1, spec.receptive_field + more))
    torch.testing.assert_close(model.features(x), model.states(x)[:, -1])
    torch.testing.assert_close(model.last(x), model(x)[:, -1])


@every_spec
def test_what_follows_changes_nothing(spec):
    model, x = built(spec), inputs()
    other = x.clone()
    other[:, 5:] = 100.0
    torch.testing.assert_close(model(other)[:, :5], model(x)[:, :5])


@pytest.mark.parametrize(("layers", "kernel", "context"), [(4, 4, 13), (8, 4, 25), (7, 8, 50)])
def test_the_contexts_of_the_comparison_can_be_set(layers, kernel, context):
    assert GatedConvolutionSpec(layers=layers, kernel=kernel).receptive_field == context


def convolution_size(inputs, outputs, kernel):
    """Weights, one bias and one length of each filter."""
    return outputs * (inputs * kernel + 2)


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        # the side branch of the first level, a pair of convolutions a level, and the read-out
        (TCNSpec(), 150 * 89 + convolution_size(88, 150, 5) + 7 * convolution_size(150, 150, 5) + 88 * 151),
        (GatedConvolutionSpec(), 64 * 89 + 4 * convolution_size(64, 128, 4) + 88 * 65),
        (WindowMLPSpec(), 64 * 89 + convolution_size(64, 64, 16) + convolution_size(64, 64, 1) + 88 * 65),
        (RecurrentSpec(cell="lstm", states=200), 4 * 200 * (88 + 200 + 2) + 88 * 201),
        (RecurrentSpec(cell="gru", states=200), 3 * 200 * (88 + 200 + 2) + 88 * 201),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_sizes_on_music_are_those_of_their_parts(spec, want):
    model = spec.build(outputs=88, channels=88)
    assert sum(weight.numel() for weight in model.parameters()) == want


def test_dropout_is_of_training_alone():
    for kind in (TCNSpec, GatedConvolutionSpec, WindowMLPSpec):
        spec = kind(width=8, dropout=0.5)
        model, x = built(spec), inputs()
        torch.testing.assert_close(model(x), model(x))
        model.train()
        assert not torch.equal(model(x), model(x))


def test_an_output_is_a_convolution_of_pytorch_s_with_zeros_before_it():
    """A second library call, with the padding of the published code: on both sides, and the end cut off."""
    model, x = built(TCNSpec(levels=1, width=4, kernel=3, dropout=0)), inputs()
    first = model.blocks[0].first
    padded = F.conv1d(x.mT, kernel_of(first), first.convolution.bias, padding=2)[:, :, :-2]
    torch.testing.assert_close(first(x.mT), padded)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        *product([TCNSpec, GatedConvolutionSpec, WindowMLPSpec], [{"width": 0}, {"dropout": 1.0}, {"l2": 0.1}]),
        *product([TCNSpec, GatedConvolutionSpec], [{"kernel": 0}]),
        *product([WindowMLPSpec], [{"window": 0}, {"layers": 0}]),
    ],
)
def test_settings_out_of_range_are_refused(spec, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        spec(**wrong)


@pytest.mark.parametrize("wrong", [{"levels": 0}, {"embedding": 0}])
def test_levels_and_embeddings_are_at_least_one(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TCNSpec(**wrong)


@pytest.mark.parametrize("spec", [TCNSpec(), GatedConvolutionSpec(), WindowMLPSpec()])
@pytest.mark.parametrize("given", [{}, {"channels": 2, "vocabulary": 3}])
def test_a_model_reads_either_values_or_tokens(spec, given):
    with pytest.raises(ValueError, match="give either vocabulary or channels"):
        spec.build(outputs=1, **given)
