"""Facts about every architecture for sentences, as classifier and, if it is causal, as language model."""

import copy
import warnings

import pytest
import torch

from inductive_bias.models import LanguageModel, LSTMSpec, SentenceClassifier, TransformerSpec
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, lengths_of, pad_sentences

WORDS, POSITIONS, CLASSES = 11, 9, 3
SIZES = {"layers": 2, "width": 6}
SPECS = [TransformerSpec(causal=c, shared=s, heads=2, **SIZES) for c in (False, True) for s in (False, True)]
SPECS.append(LSTMSpec(**SIZES))
CAUSAL = [spec for spec in SPECS if spec.kind == "lstm" or spec.causal]
BIDIRECTIONAL = [spec for spec in SPECS if spec not in CAUSAL]
# one sentence has no words, one has one, one fills all positions but two
SENTENCES = [[5, 4, 7], [], [10], [6, 5, 4, 9, 8], [4, 4]]

every = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
every_causal = pytest.mark.parametrize("spec", CAUSAL, ids=lambda spec: spec.name)
every_bidirectional = pytest.mark.parametrize("spec", BIDIRECTIONAL, ids=lambda spec: spec.name)
every_model = pytest.mark.parametrize(
    ("spec", "classes"),
    [(spec, CLASSES) for spec in SPECS] + [(spec, None) for spec in CAUSAL],
    ids=lambda value: getattr(value, "name", "classifier" if value else "language model"),
)


def build(spec, classes=None):
    """A model in float64 and evaluation mode, with weights large enough that every part of it counts."""
    model = spec.build(vocabulary=WORDS, positions=POSITIONS, classes=classes).double().eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.5 * torch.randn(weight.shape, dtype=weight.dtype, generator=generator)
    return model


def pad_to(tokens, length):
    return torch.nn.functional.pad(tokens, (0, length - tokens.shape[1]), value=PAD)


def states_and_embedded(encoder, tokens):
    """The states, and the embeddings below them with respect to which gradients are wanted."""
    embedded = encoder.embed(tokens).detach().requires_grad_()
    return encoder.from_embedded(embedded, encoder.attention_mask(tokens)), embedded


def at_real_tokens(logits, tokens):
    """The logits that count: all of a classifier's, and a language model's wherever there is no padding."""
    return logits if logits.ndim == 2 else logits[tokens != PAD]


# ---------------------------------------------------------------- padding, order and company


@every_model
def test_padding_does_not_change_the_logits(spec, classes):
    model, tokens = build(spec, classes), pad_sentences(SENTENCES)
    longer = pad_to(tokens, POSITIONS)
    assert longer.shape[1] > tokens.shape[1]
    torch.testing.assert_close(
        at_real_tokens(model(longer), longer), at_real_tokens(model(tokens), tokens), rtol=0, atol=1e-12
    )
    torch.testing.assert_close(model.features(longer), model.features(tokens), rtol=0, atol=1e-12)


@every_model
def test_batch_mates_do_not_change_the_logits(spec, classes):
    model, tokens = build(spec, classes), pad_sentences(SENTENCES)
    together = model(tokens)
    for row, sentence in enumerate(SENTENCES):
        alone = pad_sentences([sentence])  # as short as it can be, too
        want = model(alone)[0]
        got = together[row] if classes else together[row, : alone.shape[1]]
        torch.testing.assert_close(got, want, rtol=0, atol=1e-12)


@every_model
def test_batch_order_does_not_change_the_logits(spec, classes):
    model, tokens = build(spec, classes), pad_sentences(SENTENCES)
    order = torch.tensor([3, 0, 4, 1, 2])
    got, want = model(tokens[order]), model(tokens)[order]
    torch.testing.assert_close(
        at_real_tokens(got, tokens[order]), at_real_tokens(want, tokens[order]), rtol=0, atol=1e-12
    )


@every_model
def test_the_order_of_words_does_change_the_logits(spec, classes):
    model = build(spec, classes)
    one, other = model(pad_sentences([[5, 4, 7]])), model(pad_sentences([[7, 4, 5]]))
    assert not torch.allclose(one, other, atol=1e-3)


# ---------------------------------------------------------------- who sees what


@every_causal
def test_no_causal_state_sees_the_future_and_all_see_their_past(spec):
    encoder, tokens = build(spec).encoder, pad_sentences([[5, 4, 7, 6], [8]])
    states, embedded = states_and_embedded(encoder, tokens)
    for position in range(tokens.shape[1]):
        # a fixed random direction: the sum over a normalised state is constant at initialisation
        direction = torch.randn(states.shape[2], dtype=states.dtype, generator=torch.Generator().manual_seed(2))
        seen = torch.autograd.grad((states[:, position] @ direction).sum(), embedded, retain_graph=True)[0]
        assert (seen[:, position + 1 :] == 0).all()
        assert (seen[:, : position + 1].abs().sum(2) > 0).all()


@every_causal
def test_no_logit_of_a_language_model_sees_the_word_it_predicts(spec):
    model, tokens = build(spec), pad_sentences([[5, 4, 7, 6], [8]])
    states, embedded = states_and_embedded(model.encoder, tokens)
    logits = torch.nn.functional.linear(states, model.output_weight, model.bias)
    torch.testing.assert_close(logits, model(tokens))
    for position in range(tokens.shape[1]):
        seen = torch.autograd.grad(logits[:, position, 4], embedded, torch.ones(2).double(), retain_graph=True)[0]
        assert (seen[:, position + 1 :] == 0).all()
        assert seen[:, position].abs().sum() > 0


@every_causal
def test_a_language_model_says_of_a_prefix_what_it_says_within_the_sentence(spec):
    model, tokens = build(spec), pad_sentences([[5, 4, 7, 6]])
    whole = model(tokens)
    for end in range(1, tokens.shape[1]):
        torch.testing.assert_close(model(tokens[:, :end]), whole[:, :end], rtol=0, atol=1e-12)


@every_bidirectional
def test_every_bidirectional_state_sees_the_whole_sentence_and_no_padding(spec):
    encoder, tokens = build(spec, CLASSES).encoder, pad_sentences([[5, 4, 7, 6], [8], []])
    states, embedded = states_and_embedded(encoder, tokens)
    real = tokens != PAD
    direction = torch.randn(states.shape[2], dtype=states.dtype, generator=torch.Generator().manual_seed(2))
    for position in range(tokens.shape[1]):
        seers = real[:, position]
        seen = torch.autograd.grad((states[seers, position] @ direction).sum(), embedded, retain_graph=True)[0]
        seen = seen.abs().sum(2)
        assert (seen[seers][real[seers]] > 0).all()
        assert (seen[~real] == 0).all()


@every_model
def test_padding_gets_no_gradient(spec, classes):
    model, tokens = build(spec, classes), pad_to(pad_sentences(SENTENCES), POSITIONS)
    states, embedded = states_and_embedded(model.encoder, tokens)
    if classes:
        last = lengths_of(tokens) - 1
        read = states[:, 0] if model.readout_at == "first" else states[torch.arange(len(tokens)), last]
    else:
        read = states[tokens != PAD]
    seen = torch.autograd.grad(read.pow(3).sum(), embedded)[0]
    assert (seen[tokens == PAD] == 0).all()
    assert (seen[tokens != PAD].abs().sum(1) > 0).all()


@every
def test_only_words_that_occur_move_a_classifier_s_embedding(spec):
    model, tokens = build(spec, CLASSES), pad_sentences(SENTENCES)
    model(tokens).pow(2).sum().backward()
    moved = model.encoder.embedding.weight.grad.abs().sum(1) > 0
    assert set(moved.nonzero().flatten().tolist()) == {BOS, EOS} | {word for words in SENTENCES for word in words}


# ---------------------------------------------------------------- what is read


@every
def test_a_classifier_reads_the_first_state_if_bidirectional_and_the_last_real_one_if_causal(spec):
    model, tokens = build(spec, CLASSES), pad_sentences(SENTENCES)
    assert isinstance(model, SentenceClassifier)
    states = model.encoder(tokens)
    for row, sentence in enumerate(SENTENCES):
        place = len(sentence) + 1 if spec in CAUSAL else 0
        assert tokens[row, place] == (EOS if spec in CAUSAL else BOS)
        torch.testing.assert_close(model.features(tokens)[row], states[row, place])
        want = model.readout.weight @ states[row, place] + model.readout.bias
        torch.testing.assert_close(model(tokens)[row], want)


@every_causal
def test_a_language_model_s_features_are_the_state_that_predicts_the_end(spec):
    model, tokens = build(spec), pad_sentences(SENTENCES)
    assert isinstance(model, LanguageModel)
    states = model.states(tokens)
    assert states.shape == (*tokens.shape, SIZES["width"])
    for row, sentence in enumerate(SENTENCES):
        place = len(sentence)
        assert tokens[row, place + 1] == EOS
        torch.testing.assert_close(model.features(tokens)[row], states[row, place])


# ---------------------------------------------------------------- tied weights


@every_causal
def test_the_output_weight_is_the_embedding(spec):
    model, tokens = build(spec), pad_sentences(SENTENCES)
    embedding = model.encoder.embedding.weight
    assert model.output_weight is embedding
    storages = [weight.data_ptr() for weight in model.state_dict().values()]
    assert len(set(storages)) == len(storages)  # one name a tensor: the store's format refuses a second
    want = torch.einsum("ntd,vd->ntv", model.states(tokens), embedding) + model.bias
    torch.testing.assert_close(model(tokens), want)


@every_causal
def test_the_embedding_s_gradient_is_that_of_its_two_uses_added(spec):
    model, tokens = build(spec), pad_sentences(SENTENCES)
    encoder, weight, real = model.encoder, model.encoder.embedding.weight, tokens != PAD

    def gradient(states, output):
        logits = torch.nn.functional.linear(states, output, model.bias)[real]
        return torch.autograd.grad(logits.log_softmax(1)[:, 4].sum(), weight)[0]

    read = gradient(encoder(tokens), weight.detach())
    predicted = gradient(encoder.from_embedded(encoder.embed(tokens).detach(), None), weight)
    whole = torch.autograd.grad(model(tokens)[real].log_softmax(1)[:, 4].sum(), weight)[0]
    assert read.abs().sum() > 0
    assert (predicted.abs().sum(1) > 0).all()  # the softmax moves every word
    torch.testing.assert_close(whole, read + predicted)


@every_causal
def test_a_deep_copy_stays_tied_and_leaves_the_original_alone(spec):
    model, tokens = build(spec), pad_sentences(SENTENCES)
    before = model(tokens).detach()
    twin = copy.deepcopy(model)
    torch.testing.assert_close(twin(tokens), before)
    optimiser = torch.optim.Adam(twin.parameters(), lr=0.1)
    twin(tokens).pow(2).sum().backward()
    optimiser.step()
    assert twin.output_weight is twin.encoder.embedding.weight
    assert not torch.equal(twin.output_weight, model.output_weight)
    torch.testing.assert_close(model(tokens), before, rtol=0, atol=0)


@every_model
def test_a_state_dict_makes_a_fresh_model_equal(spec, classes):
    model, tokens = build(spec, classes), pad_sentences(SENTENCES)
    fresh = spec.build(vocabulary=WORDS, positions=POSITIONS, classes=classes).double().eval()
    assert not torch.allclose(fresh(tokens), model(tokens))
    fresh.load_state_dict({name: weight.clone() for name, weight in model.state_dict().items()})
    torch.testing.assert_close(fresh(tokens), model(tokens), rtol=0, atol=0)
    if classes is None:
        assert fresh.output_weight is fresh.encoder.embedding.weight


# ---------------------------------------------------------------- dropout, gradients, sizes


@every_model
def test_evaluation_is_deterministic_and_training_is_not(spec, classes):
    model, tokens = build(spec, classes), pad_sentences(SENTENCES)
    assert torch.equal(model(tokens), model(tokens))
    torch.manual_seed(0)
    model.train()
    assert not torch.equal(model(tokens), model(tokens))


@pytest.mark.parametrize("layers", [1, 2])
@every
def test_each_dropout_acts_in_training_alone(spec, layers):
    tokens = pad_sentences(SENTENCES)
    rates = [name for name in type(spec).model_fields if "dropout" in name]
    off = dict.fromkeys(rates, 0.0)
    without = build(spec.model_copy(update={"layers": layers, **off}), CLASSES).train()
    torch.testing.assert_close(without(tokens), without.eval()(tokens))
    for rate in rates:
        model = build(spec.model_copy(update={"layers": layers, **off, rate: 0.5}), CLASSES)
        model.load_state_dict(without.state_dict())
        torch.testing.assert_close(model(tokens), without(tokens))
        torch.manual_seed(0)
        assert not torch.allclose(model.train()(tokens), without(tokens)), rate


@every_model
def test_every_parameter_gets_a_gradient(spec, classes):
    # as in training: float32 and the weights of the initialisation; all positions are filled
    torch.manual_seed(0)
    model = spec.build(vocabulary=WORDS, positions=5, classes=classes)
    logits = model(pad_sentences(SENTENCES[:3]))
    assert logits.dtype == torch.float32
    logits.log_softmax(-1)[..., 0].sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.isfinite().all(), name
        assert weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("sentence", [[], [4], [4, 5, 6]], ids=len)
@every_model
def test_shapes_at_the_smallest_sizes(spec, classes, sentence, layers):
    tokens = pad_sentences([sentence])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns of dropout between the layers of an LSTM that has one
        model = spec.model_copy(update={"layers": layers}).build(vocabulary=7, positions=5, classes=classes)
    logits = model(tokens)
    assert logits.shape == ((1, classes) if classes else (*tokens.shape, 7))
    assert model.features(tokens).shape == (1, spec.width)
    assert logits.isfinite().all()


@every_model
def test_no_sentences_give_no_logits(spec, classes):
    model, nothing = build(spec, classes), pad_sentences([])
    assert model(nothing).shape == ((0, classes) if classes else (0, 2, WORDS))
    assert model.features(nothing).shape == (0, spec.width)


@pytest.mark.parametrize("width", [1, 8])
@every
def test_two_initialisations_differ_unless_the_seed_is_the_same(spec, width):
    changed = spec.model_copy(update={"width": width} | ({} if spec.kind == "lstm" else {"heads": 1}))

    def initial(seed):
        torch.manual_seed(seed)
        return torch.nn.utils.parameters_to_vector(changed.build(vocabulary=7, positions=5, classes=2).parameters())

    assert torch.equal(initial(0), initial(0))
    assert not torch.equal(initial(0), initial(1))
