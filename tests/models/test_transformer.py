import pytest
import torch
from pydantic import ValidationError
from torch import nn

from inductive_bias.models import TransformerEncoder, TransformerSpec
from inductive_bias.tasks.vocabulary import PAD, pad_sentences

NO_DROPOUT = {"dropout": 0.0, "embedding_dropout": 0.0, "attention_dropout": 0.0}
# torch's names of a layer's weights, by ours
TORCH_NAMES = {
    "mixer_norm": "norm1",
    "mixer.query_key_value": "self_attn.in_proj",
    "mixer.output": "self_attn.out_proj",
    "feedforward_norm": "norm2",
    "feedforward.0": "linear1",
    "feedforward.2": "linear2",
}
SENTENCES = [[5, 4, 7], [], [6, 5, 4, 9, 8]]

both_directions = pytest.mark.parametrize("causal", [False, True], ids=["bidirectional", "causal"])


def pairs_of_names():
    for ours, theirs in TORCH_NAMES.items():
        for part in ("weight", "bias"):
            joint = "_" if theirs.endswith("in_proj") else "."
            yield f"{ours}.{part}", f"{theirs}{joint}{part}"


def shake(module, seed=0):
    """Weights of the size of one, norms and biases too, so that a part left out or misplaced shows."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in module.parameters():
            weight += 0.5 * torch.randn(weight.shape, dtype=weight.dtype, generator=generator)
    return module


def block_of(spec):
    return TransformerEncoder(spec, vocabulary=11, positions=9).double().blocks[0]


def torch_layer(width, heads):
    return nn.TransformerEncoderLayer(
        width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True, dtype=torch.float64
    )


def copy_to_torch(block, layer):
    source = block.state_dict()
    layer.load_state_dict({theirs: source[ours] for ours, theirs in pairs_of_names()})


def assert_equal_gradients(block, layer):
    ours, theirs = dict(block.named_parameters()), dict(layer.named_parameters())
    assert len(ours) == len(theirs) == 12
    for name, other in pairs_of_names():
        torch.testing.assert_close(ours[name].grad, theirs[other].grad, msg=name)


def torch_masks(tokens, causal):
    """Torch's arguments: True is a token that may not be seen."""
    length = tokens.shape[1]
    future = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    return (future, None) if causal else (None, tokens == PAD)


@both_directions
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("sentences", [[[]], [[4]], SENTENCES], ids=["no word", "one word", "padded"])
def test_a_block_equals_torch_s_encoder_layer(causal, heads, sentences):
    spec = TransformerSpec(causal=causal, heads=heads, width=6, **NO_DROPOUT)
    block, layer = shake(block_of(spec)), torch_layer(6, heads)
    copy_to_torch(block, layer)

    tokens = pad_sentences(sentences)
    real = tokens != PAD
    future, padding = torch_masks(tokens, causal)
    x = torch.randn(*tokens.shape, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x, twin = x.clone().requires_grad_(), x.clone().requires_grad_()
    got = block(x, None if causal else real)[real]
    want = layer(twin, src_mask=future, src_key_padding_mask=padding)[real]
    torch.testing.assert_close(got, want)

    got.pow(3).sum().backward()
    want.pow(3).sum().backward()
    torch.testing.assert_close(x.grad, twin.grad)
    assert_equal_gradients(block, layer)


@both_directions
@pytest.mark.parametrize("layers", [1, 3])
def test_the_encoder_equals_torch_s_encoder_on_words_plus_positions(causal, layers):
    spec = TransformerSpec(causal=causal, layers=layers, heads=2, width=6, **NO_DROPOUT)
    encoder = shake(TransformerEncoder(spec, vocabulary=11, positions=9).double())
    norm = nn.LayerNorm(6, dtype=torch.float64)
    norm.load_state_dict(encoder.norm.state_dict())
    twin = nn.TransformerEncoder(torch_layer(6, 2), layers, norm=norm, enable_nested_tensor=False)
    for block, layer in zip(encoder.blocks, twin.layers, strict=True):
        copy_to_torch(block, layer)

    tokens = pad_sentences(SENTENCES)
    real = tokens != PAD
    future, padding = torch_masks(tokens, causal)
    words = encoder.embedding.weight.detach().clone().requires_grad_()
    positions = encoder.position.weight.detach().clone().requires_grad_()
    embedded = torch.stack([words[row] + positions[: len(row)] for row in tokens])
    got, want = encoder(tokens)[real], twin(embedded, mask=future, src_key_padding_mask=padding)[real]
    torch.testing.assert_close(got, want)

    got.pow(3).sum().backward()
    want.pow(3).sum().backward()
    torch.testing.assert_close(encoder.embedding.weight.grad, words.grad)
    torch.testing.assert_close(encoder.position.weight.grad, positions.grad)
    torch.testing.assert_close(encoder.norm.weight.grad, norm.weight.grad)
    for block, layer in zip(encoder.blocks, twin.layers, strict=True):
        assert_equal_gradients(block, layer)


class Nothing(nn.Module):
    """A dropout that leaves nothing."""

    def forward(self, x):
        return 0 * x


@both_directions
def test_a_block_drops_all_that_it_adds_and_nothing_else(causal):
    block = shake(block_of(TransformerSpec(causal=causal, heads=2, width=6)))
    x = torch.randn(2, 5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert not torch.allclose(block.eval()(x, None), x)
    block.dropout = Nothing()
    torch.testing.assert_close(block(x, None), x, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("rate", "within"), [("dropout", True), ("attention_dropout", True), ("embedding_dropout", False)]
)
def test_a_block_has_two_of_the_three_dropouts(rate, within):
    torch.manual_seed(0)
    block = shake(block_of(TransformerSpec(heads=2, width=6, **NO_DROPOUT | {rate: 0.5}))).train()
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    assert torch.equal(block(x, None), block(x, None)) == (not within)


def untied_twin(model, spec, **sizes):
    """The same model with a copy of the shared block for each application."""
    twin = spec.model_copy(update={"shared": False}).build(**sizes).double()
    state = model.state_dict()
    for name in list(state):
        if ".blocks.0." in name:
            state |= {name.replace("blocks.0", f"blocks.{copy}"): state[name] for copy in range(spec.layers)}
    twin.load_state_dict(state)
    return twin


@both_directions
@pytest.mark.parametrize("layers", [1, 2, 5])
def test_a_shared_block_s_gradient_is_that_of_untied_copies_added(causal, layers):
    spec = TransformerSpec(causal=causal, shared=True, layers=layers, heads=2, width=6, **NO_DROPOUT)
    sizes = {"vocabulary": 11, "positions": 9, "classes": 3}
    model = shake(spec.build(**sizes).double())
    twin = untied_twin(model, spec, **sizes)
    assert len(twin.encoder.blocks) == layers
    tokens = pad_sentences(SENTENCES)
    torch.testing.assert_close(model(tokens), twin(tokens))

    for each in (model, twin):
        each(tokens).pow(2).sum().backward()
    copies = [dict(block.named_parameters()) for block in twin.encoder.blocks]
    for name, weight in model.encoder.blocks[0].named_parameters():
        torch.testing.assert_close(weight.grad, sum(copy[name].grad for copy in copies), msg=name)
    torch.testing.assert_close(model.encoder.embedding.weight.grad, twin.encoder.embedding.weight.grad)


def test_a_step_of_the_optimiser_keeps_the_block_shared_and_unties_copies():
    spec = TransformerSpec(shared=True, layers=3, heads=2, width=6, **NO_DROPOUT)
    sizes = {"vocabulary": 11, "positions": 9, "classes": 3}
    model, tokens = shake(spec.build(**sizes).double()), pad_sentences(SENTENCES)
    twin = untied_twin(model, spec, **sizes)
    for each in (model, twin):
        before = each(tokens).detach()
        optimiser = torch.optim.Adam(each.parameters(), lr=0.1)
        each(tokens).pow(2).sum().backward()
        optimiser.step()
        assert not torch.allclose(each(tokens), before)
    torch.testing.assert_close(model(tokens), untied_twin(model, spec, **sizes)(tokens))
    first, second = (block.mixer.query_key_value.weight for block in twin.encoder.blocks[:2])
    assert not torch.allclose(first, second)


@both_directions
def test_more_layers_of_a_shared_block_are_no_more_parameters_but_another_function(causal):
    shallow, deep = (
        TransformerSpec(causal=causal, shared=True, layers=layers, heads=2, width=6, **NO_DROPOUT).build(
            vocabulary=11, positions=9, classes=3
        )
        for layers in (1, 4)
    )
    assert len(deep.encoder.blocks) == 1
    deep.load_state_dict(shallow.state_dict())  # strict: the names are the same, too
    tokens = pad_sentences(SENTENCES)
    assert not torch.allclose(shallow(tokens), deep(tokens))


@both_directions
@pytest.mark.parametrize("shared", [False, True], ids=["untied", "shared"])
@pytest.mark.parametrize("layers", [1, 4])
@pytest.mark.parametrize(("width", "heads"), [(1, 1), (6, 3)])
def test_the_number_of_parameters_is_a_closed_formula(causal, shared, layers, width, heads):
    spec = TransformerSpec(causal=causal, shared=shared, layers=layers, heads=heads, width=width)
    # 12 d²: 3 + 1 of attention, 4 + 4 of the feed-forward layer; 13 d: 9 of their biases, 4 of two normalisations
    blocks = (1 if shared else layers) * (12 * width**2 + 13 * width)
    encoder = (11 + 9) * width + blocks + 2 * width
    classifier = spec.build(vocabulary=11, positions=9, classes=3)
    assert sum(p.numel() for p in classifier.parameters()) == encoder + 3 * width + 3
    if causal:
        language_model = spec.build(vocabulary=11, positions=9)
        assert sum(p.numel() for p in language_model.parameters()) == encoder + 11


def test_initial_weights_have_a_deviation_of_a_twentieth_and_no_bias():
    torch.manual_seed(0)
    encoder = TransformerEncoder(TransformerSpec(layers=1, heads=2, width=64), vocabulary=200, positions=100)
    for name, weight in encoder.named_parameters():
        if weight.ndim == 2:
            assert weight.std().item() == pytest.approx(0.05, rel=0.05), name
        else:
            assert (weight == (1.0 if "norm.weight" in name else 0.0)).all(), name


def test_embeddings_of_words_and_positions_start_as_wide_as_told_and_nothing_else_does():
    torch.manual_seed(0)
    spec = TransformerSpec(width=64, layers=1, embedding_std=0.3)
    encoder = TransformerEncoder(spec, vocabulary=500, positions=200)
    stds = {name: weight.std().item() for name, weight in encoder.named_parameters() if weight.ndim == 2}
    wide = {name for name, std in stds.items() if std == pytest.approx(0.3, rel=0.05)}
    assert wide == {"embedding.weight", "position.weight"}
    assert [stds[name] for name in stds.keys() - wide] == pytest.approx([0.05] * (len(stds) - 2), rel=0.05)


@both_directions
@pytest.mark.parametrize("shared", [False, True], ids=["untied", "shared"])
def test_names_are_those_of_the_pages(causal, shared):
    want = {
        (False, False): "Bidirectional Transformer",
        (True, False): "Sequential Transformer",
        (False, True): "Universal Transformer",
        (True, True): "Sequential Universal Transformer",
    }
    assert TransformerSpec(causal=causal, shared=shared).name == want[causal, shared]


@both_directions
def test_a_sentence_longer_than_the_positions_is_refused_and_one_as_long_is_not(causal):
    model = TransformerSpec(causal=causal, layers=1, heads=2, width=6).build(vocabulary=11, positions=5, classes=3)
    assert model(pad_sentences([[4, 5, 6]])).shape == (1, 3)
    with pytest.raises(ValueError, match="6 tokens is longer than the model's 5 positions"):
        model(pad_sentences([[4, 5, 6, 7]]))


@pytest.mark.parametrize("shared", [False, True], ids=["untied", "shared"])
def test_a_bidirectional_language_model_is_refused(shared):
    with pytest.raises(ValueError, match="must not see the future: set causal=True"):
        TransformerSpec(shared=shared).build(vocabulary=11, positions=9)


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValidationError, match="heads=3 must divide width=8"):
        TransformerSpec(heads=3, width=8)


@pytest.mark.parametrize(
    ("field", "value", "range_"),
    [
        ("layers", 0, "greater than or equal to 1"),
        ("heads", 0, "greater than or equal to 1"),
        ("width", 0, "greater than or equal to 1"),
        ("dropout", 1.0, "less than 1"),
        ("embedding_dropout", -0.1, "greater than or equal to 0"),
        ("attention_dropout", 1.0, "less than 1"),
        ("l1", -1.0, "greater than or equal to 0"),
        ("l2", -1.0, "greater than or equal to 0"),
        ("depth", 3, "not permitted"),
    ],
)
def test_settings_out_of_range_are_refused(field, value, range_):
    with pytest.raises(ValidationError, match=range_):
        TransformerSpec(**{field: value})
