"""Reach is the Jacobian's norm, ends where the wiring ends, and is asked of the model as it is."""

import pytest
import torch

from inductive_bias.analysis.reach import (
    first_layers,
    gradient_reach,
    order_sensitivity,
    reaches,
    reads_directly,
    recursion,
    sees_the_future,
    steps_between,
)
from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.tasks.vocabulary import BOS, EOS

SPECS = [TransformerSpec(causal=c, shared=s, layers=3, heads=2, width=4) for c in (False, True) for s in (False, True)]
SPECS.append(LSTMSpec(layers=2, width=4))
SENTENCES = [[BOS], [BOS, EOS], [BOS, 5, 4, 7, 5, EOS]]
CAUSAL = [spec for spec in SPECS if spec.kind == "lstm" or spec.causal]
every = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
every_length = pytest.mark.parametrize("tokens", [torch.tensor(s) for s in SENTENCES], ids=lambda t: f"T{len(t)}")


def encoder_of(spec):
    """In float64, with weights large enough that no nonlinearity is a straight line."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        encoder = spec.build(vocabulary=11, positions=9, classes=2).encoder.double().eval()
        with torch.no_grad():
            for weight in encoder.parameters():
                weight += 0.3 * torch.randn_like(weight)
    return encoder


def naive_reach(encoder, tokens):
    """One derivative after the other, by `torch.autograd.functional.jacobian`."""
    mask = encoder.attention_mask(tokens[None])
    jacobian = torch.autograd.functional.jacobian(
        lambda e: encoder.from_embedded(e[None], mask)[0], encoder.embed(tokens[None]).detach()[0]
    )
    return jacobian.square().sum(dim=(1, 3)).sqrt()


@every
@every_length
def test_reach_is_the_norm_of_the_jacobian(spec, tokens):
    encoder = encoder_of(spec)
    torch.testing.assert_close(gradient_reach(encoder, tokens), naive_reach(encoder, tokens))


@every
def test_reach_agrees_with_finite_differences(spec):
    encoder, tokens, step = encoder_of(spec), torch.tensor(SENTENCES[-1]), 1e-5
    embedded, mask = encoder.embed(tokens[None]).detach(), encoder.attention_mask(tokens[None])
    squares = torch.zeros(len(tokens), len(tokens), dtype=torch.float64)
    with torch.no_grad():
        for j in range(len(tokens)):
            for unit in range(encoder.width):
                nudge = torch.zeros_like(embedded)
                nudge[0, j, unit] = step
                up, down = (encoder.from_embedded(embedded + sign * nudge, mask)[0] for sign in (1, -1))
                squares[:, j] += ((up - down) / (2 * step)).square().sum(dim=1)
    # central differences err by about step² and rounding / step
    torch.testing.assert_close(gradient_reach(encoder, tokens), squares.sqrt(), rtol=1e-6, atol=1e-8)


@every
def test_reach_of_some_positions_is_that_part_of_the_whole(spec):
    encoder, tokens = encoder_of(spec), torch.tensor(SENTENCES[-1])
    torch.testing.assert_close(
        gradient_reach(encoder, tokens, positions=[2, -1]), gradient_reach(encoder, tokens)[[2, -1]]
    )


@every
@every_length
def test_the_reach_of_causal_models_ends_at_the_diagonal_and_that_of_the_others_nowhere(spec, tokens):
    reach = gradient_reach(encoder_of(spec), tokens)
    assert torch.equal(reaches(encoder_of(spec), tokens), reach > 0)
    assert torch.equal(reach > 0, torch.ones_like(reach).tril() > 0 if spec in CAUSAL else torch.ones_like(reach) > 0)
    assert sees_the_future(encoder_of(spec), tokens) == (spec not in CAUSAL and len(tokens) > 1)


@every
def test_the_first_layers_are_those_of_the_whole(spec):
    encoder, tokens = encoder_of(spec), torch.tensor([SENTENCES[-1]])
    cut = first_layers(encoder, 1)
    if spec.kind == "lstm":
        one = LSTMSpec(layers=1, width=4).build(vocabulary=11, positions=9, classes=2).encoder.double().eval()
        one.load_state_dict({name: encoder.state_dict()[name] for name in one.state_dict()})
        want = one(tokens)
    else:
        want = encoder.norm(encoder.blocks[0](encoder.embed(tokens), encoder.attention_mask(tokens)))
    torch.testing.assert_close(cut(tokens), want)
    torch.testing.assert_close(first_layers(encoder, spec.layers)(tokens), encoder(tokens))
    for layers in (0, spec.layers + 1):
        with pytest.raises(ValueError, match=f"between 1 and {spec.layers}, not {layers}"):
            first_layers(encoder, layers)


def test_attention_reads_all_that_it_may_see_in_one_step_and_an_lstm_its_word_and_its_neighbour():
    tokens = torch.tensor(SENTENCES[-1])
    full = torch.ones(6, 6, dtype=torch.bool)
    for spec in SPECS:
        want = full if spec not in CAUSAL else full.tril() if spec.kind != "lstm" else full.tril().triu(-1)
        assert torch.equal(reads_directly(encoder_of(spec), tokens), want)


def test_an_lstm_needs_nothing_but_its_word_and_the_memory_of_its_neighbour():
    encoder, tokens = first_layers(encoder_of(SPECS[-1]), 1), torch.tensor([SENTENCES[-1]])
    states, embedded, memory = encoder(tokens), encoder.embed(tokens), None
    for i in range(tokens.shape[1]):
        state, memory = encoder.lstm(embedded[:, i : i + 1], memory)
        torch.testing.assert_close(state[:, 0], states[:, i])


def test_steps_are_counted_along_the_shortest_way():
    reads = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=torch.bool)
    inf = float("inf")
    want = [[0, inf, inf, inf], [1, 0, inf, inf], [2, 1, 0, inf], [1, 2, 1, 0]]
    assert steps_between(reads).tolist() == want


def test_an_lstm_is_recursive_over_time_and_a_universal_transformer_in_depth():
    found = {spec.name: recursion(encoder_of(spec), torch.tensor(SENTENCES[-1])) for spec in SPECS}
    assert found == {
        "Bidirectional Transformer": (1, 1),
        "Universal Transformer": (1, 3),
        "Sequential Transformer": (1, 1),
        "Sequential Universal Transformer": (1, 3),
        "LSTM": (6, 1),
    }


@every
def test_without_positions_only_models_that_look_both_ways_miss_the_order(spec):
    tokens, others = torch.tensor([BOS, 5, 4, 7, 8, EOS]), torch.tensor([BOS, 6, 9, 10, 4, EOS])
    at = -1 if spec in CAUSAL else 0
    moved = order_sensitivity(encoder_of(spec), tokens, others, position=at)
    assert moved > 0.01 if spec in CAUSAL else moved < 1e-12
    same_both_ways = torch.tensor([BOS, 5, 4, 4, 5, EOS])
    assert order_sensitivity(encoder_of(spec), same_both_ways, others, position=at) == 0


def test_an_order_needs_two_words_between_the_ends_and_no_noise():
    encoder, three, four = encoder_of(SPECS[0]), torch.tensor([BOS, 5, EOS]), torch.tensor([BOS, 5, 4, EOS])
    with pytest.raises(ValueError, match="at least 4, not 3 and 3"):
        order_sensitivity(encoder, three, three, position=0)
    with pytest.raises((ValueError, TypeError)):  # a checker of shapes refuses it before
        order_sensitivity(encoder, four, three, position=0)
    with pytest.raises(ValueError, match="evaluation mode"):
        order_sensitivity(encoder.train(), four, four, position=0)


def test_dropout_and_empty_sentences_are_refused():
    encoder = encoder_of(SPECS[0])
    with pytest.raises(ValueError, match="at least one token"):
        gradient_reach(encoder, torch.zeros(0, dtype=torch.int64))
    with pytest.raises(ValueError, match="evaluation mode"):
        gradient_reach(encoder.train(), torch.tensor([BOS]))
