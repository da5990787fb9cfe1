"""Attributions against captum, closed forms of linear models, and loops."""

import warnings
from itertools import product

import pytest
import torch
from torch import nn

from inductive_bias.analysis import attribution
from inductive_bias.analysis.attention_maps import attention_maps
from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports is no concern of ours
    from captum.attr import LayerGradientXActivation, LayerIntegratedGradients

ACTIONS, STATES = 3, 4
SPECS = {
    "attention": MixingSpec(mixer=AttentionSpec(heads=2), positions="sinusoidal", layers=2, width=8),
    "RSA": MixingSpec(mixer=RSASpec(heads=2), positions="sinusoidal", layers=2, width=8),
    "LSTM": RecurrentSpec(cell="lstm", states=8, embedding=8),
    "two LSTMs": RecurrentSpec(cell="lstm", states=8, embedding=8, layers=2),
}
of_models = pytest.mark.parametrize("name", SPECS)
of_lengths = pytest.mark.parametrize("length", [1, 2, 7], ids="t{}".format)


def built(name):
    torch.manual_seed(0)
    model = SPECS[name].build(outputs=STATES, vocabulary=ACTIONS + 1)
    with torch.no_grad():  # first weights say nearly the same of every word
        for weights in model.parameters():
            weights.mul_(2)
    return model.double().eval()


def words(n=5, length=7, seed=0):
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(1, ACTIONS + 1, (n, length), generator=generator)
    return tokens, torch.randint(0, STATES, (n,), generator=generator)


class Linear(nn.Module):
    """Logits that are linear in the embeddings, each position with its own weights."""

    def __init__(self, length):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = nn.Embedding(ACTIONS + 1, 2, dtype=torch.float64)
        self.weights = nn.Parameter(torch.randn(length, 2, STATES, dtype=torch.float64))

    def forward(self, tokens):
        logits = torch.einsum("ntd,tdk->nk", self.embedding(tokens), self.weights)
        return logits[:, None].expand(-1, tokens.shape[1], -1)

    def parts(self, target):
        """Of every word, by position, the gradient of its margin."""
        others = (self.weights.sum(-1, keepdim=True) - self.weights) / (STATES - 1)
        return (self.weights - others)[..., target].movedim(-1, 0)


def test_a_margin_is_over_the_mean_of_the_others_and_forgets_what_all_logits_share():
    logits = torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]])
    target = torch.tensor([2, 0])
    assert attribution.margin(logits, target).tolist() == [4.5, 0.0]
    assert attribution.margin(logits + 7, target).tolist() == [4.5, 0.0]


@of_lengths
def test_of_a_linear_model_the_gradient_is_its_weight_and_any_path_leads_to_the_same(length):
    model = Linear(length)
    tokens, target = words(length=length)
    x, parts, baseline = model.embedding(tokens), model.parts(target), torch.tensor([0.3, -0.2], dtype=torch.float64)
    torch.testing.assert_close(attribution.gradient_times_input(model, tokens, target), (x * parts).sum(-1))
    for steps in (1, 3):
        found = attribution.integrated_gradients(model, tokens, target, baseline, steps=steps)
        torch.testing.assert_close(found, ((x - baseline) * parts).sum(-1))
    # another action moves the embedding: on average to the mean of the others
    every = model.embedding(torch.arange(1, ACTIONS + 1))
    others = (every.sum(0) - x) / (ACTIONS - 1)
    torch.testing.assert_close(attribution.occlusion(model, tokens, target, ACTIONS), ((x - others) * parts).sum(-1))


@of_models
@of_lengths
def test_gradients_are_those_of_captum(name, length):
    model = built(name)
    tokens, target = words(length=length)
    with torch.no_grad():  # captum's baseline is a token: the one of padding, with the mean of the others
        model.embedding.weight[0] = attribution.mean_embedding(model, ACTIONS)

    def explained(given, target):
        return attribution.margin(model(given)[:, -1], target)

    theirs = LayerGradientXActivation(explained, model.embedding).attribute(tokens, additional_forward_args=target)
    torch.testing.assert_close(attribution.gradient_times_input(model, tokens, target), theirs.sum(-1).detach())
    # captum's steps are float32: a power of two is the same in both
    theirs = LayerIntegratedGradients(explained, model.embedding).attribute(
        tokens, torch.zeros_like(tokens), additional_forward_args=target, n_steps=16, method="riemann_middle"
    )
    found = attribution.integrated_gradients(model, tokens, target, model.embedding.weight[0].detach(), steps=16)
    torch.testing.assert_close(found, theirs.sum(-1).detach())
    assert not model.embedding._forward_hooks
    assert all(weights.grad is None for weights in model.parameters())


@of_models
def test_integrated_gradients_add_up_to_what_the_word_is_above_the_baseline(name):
    model, (tokens, target) = built(name), words(n=3)
    baseline = attribution.mean_embedding(model, ACTIONS)
    torch.testing.assert_close(baseline, model.embedding.weight[1:].mean(0).detach())
    whole = attribution.margin_at_last(model, tokens, target)
    whole = (whole - attribution.baseline_margin(model, tokens, target, baseline)).detach()
    gaps = [
        (attribution.integrated_gradients(model, tokens, target, baseline, steps=steps).sum(1) - whole).abs().max()
        for steps in (4, attribution.STEPS, 150)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[1] < 0.01 * whole.abs().max()
    assert gaps[2] < 1e-3 * whole.abs().max()


@of_models
@of_lengths
def test_occlusion_is_the_mean_of_a_loop_over_other_actions(name, length):
    model, (tokens, target) = built(name), words(n=2, length=length)
    found = attribution.occlusion(model, tokens, target, ACTIONS)
    for row, place in product(range(2), range(length)):
        lost = []
        for action in range(1, ACTIONS + 1):
            if action != tokens[row, place]:
                word = tokens[row].tolist()
                word[place] = action
                before, after = (model(torch.tensor([each]))[0, -1] for each in (tokens[row].tolist(), word))
                of = [
                    logits[target[row]] - logits[torch.arange(STATES) != target[row]].mean()
                    for logits in (before, after)
                ]
                lost.append((of[0] - of[1]).item())
        assert found[row, place].item() == pytest.approx(sum(lost) / len(lost))


@of_lengths
def test_rollout_follows_every_path_through_the_layers(length):
    model, (tokens, _) = built("attention"), words(n=2, length=length)
    maps, found = attention_maps(model, tokens), attribution.attention_rollout(model, tokens)
    torch.testing.assert_close(found.sum(1), torch.ones(2, dtype=torch.float64))
    for row in range(2):

        def share(layer, i, j, row=row):
            return 0.5 * sum(maps[layer, row, head, i, j].item() for head in range(2)) / 2 + 0.5 * (i == j)

        for start in range(length):
            paths = sum(share(1, length - 1, middle) * share(0, middle, start) for middle in range(length))
            assert found[row, start].item() == pytest.approx(paths)
    last = attribution.attention_of_last(model, tokens)
    torch.testing.assert_close(last, (maps[-1, :, 0, -1] + maps[-1, :, 1, -1]) / 2)


@pytest.mark.parametrize("method", [attribution.attention_of_last, attribution.attention_rollout])
def test_attention_explains_softmax_alone(method):
    with pytest.raises(ValueError, match="layer 1 is no plain attention but RSAttention"):
        method(built("RSA"), words()[0])


@of_lengths
def test_a_deletion_curve_is_that_of_replacing_one_position_after_the_other(length):
    model, (tokens, target) = built("LSTM"), words(n=3, length=length)
    generator = torch.Generator().manual_seed(2)
    order = torch.stack([torch.randperm(length, generator=generator) for _ in range(3)])
    instead = attribution.other_actions(tokens, ACTIONS, generator)
    found = attribution.deletion_curve(model, tokens, target, order, instead)
    for row in range(3):
        word = tokens[row].clone()
        wanted = [model(word[None])[0, -1].softmax(0)[target[row]].item()]
        for place in order[row]:
            word[place] = instead[row, place]
            wanted.append(model(word[None])[0, -1].softmax(0)[target[row]].item())
        assert found[row].tolist() == pytest.approx(wanted)
    # in the end all is replaced, in whatever order
    other = attribution.deletion_curve(model, tokens, target, order.flip(1), instead)
    torch.testing.assert_close(other[:, [0, -1]], found[:, [0, -1]])


def test_other_actions_are_others_and_equally_likely():
    tokens = torch.full((3000, 2), 2)
    drawn = attribution.other_actions(tokens, 4, torch.Generator().manual_seed(0))
    shares = drawn.flatten().bincount(minlength=5) / drawn.numel()
    assert shares[[0, 2]].tolist() == [0, 0]
    assert shares[[1, 3, 4]].tolist() == pytest.approx([1 / 3] * 3, abs=0.03)


def test_what_cannot_be_explained_is_refused():
    model, (tokens, target) = built("LSTM"), words()
    with pytest.raises(ValueError, match=r"tokens must be \[n, t\] .* and target \[n\], not \(5, 7\) and \(4,\)"):
        attribution.margin_at_last(model, tokens, target[:4])
    with pytest.raises(ValueError, match="target must lie in 0 … 3, not in 0 … 4"):
        attribution.margin_at_last(model, tokens, torch.tensor([0, 1, 4, 0, 0]))
    with pytest.raises(ValueError, match="actions must be at least 2, not 1: there is no other action"):
        attribution.occlusion(model, tokens, target, 1)
    with pytest.raises(ValueError, match="tokens must lie in 1 … 2, not in 1 … 3"):
        attribution.other_actions(tokens, 2, torch.Generator())
    with pytest.raises(ValueError, match="steps must be an integer of at least 1, not 0"):
        attribution.integrated_gradients(model, tokens, target, attribution.mean_embedding(model, ACTIONS), steps=0)
    with pytest.raises(ValueError, match="there must be at least two answers"):
        attribution.margin(torch.ones(2, 1), torch.zeros(2, dtype=torch.int64))
    order = torch.arange(7).expand(5, 7)
    with pytest.raises(ValueError, match=r"order must hold each of 0 … 6 once"):
        attribution.deletion_curve(model, tokens, target, order.clamp(max=5), tokens)
    with pytest.raises(ValueError, match=r"order and replacements must be \[5, 7\]"):
        attribution.deletion_curve(model, tokens, target, order[:, :3], tokens)
    with pytest.raises(ValueError, match="RecurrentModel has no embedding of tokens"):
        attribution.gradient_times_input(RecurrentSpec().build(outputs=2, channels=3), tokens, target)
