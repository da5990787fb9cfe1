import pytest
import torch
from pydantic import ValidationError

from inductive_bias.models import LSTMEncoder, LSTMSpec
from inductive_bias.tasks.vocabulary import pad_sentences


def naive_states(weights, embedded, layers):
    """One cell, one token at a time: gates in torch's order, input, forget, candidate, output."""
    below = list(embedded.unbind(1))
    for layer in range(layers):
        hidden = memory = torch.zeros_like(below[0])
        above = []
        for x in below:
            i, f, g, o = (
                x @ weights[f"weight_ih_l{layer}"].T
                + weights[f"bias_ih_l{layer}"]
                + hidden @ weights[f"weight_hh_l{layer}"].T
                + weights[f"bias_hh_l{layer}"]
            ).chunk(4, dim=1)
            memory = memory * torch.sigmoid(f) + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(memory)
            above.append(hidden)
        below = above
    return torch.stack(below, dim=1)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("sentences", [[[]], [[4]], [[5, 4, 7], [], [6, 5, 4, 9, 8]]], ids=["no word", "one", "padded"])
def test_the_encoder_equals_a_loop_over_cells(layers, width, sentences):
    torch.manual_seed(0)
    spec = LSTMSpec(layers=layers, width=width, dropout=0.0, embedding_dropout=0.0)
    encoder, tokens = LSTMEncoder(spec, vocabulary=11).double(), pad_sentences(sentences)
    torch.nn.init.normal_(encoder.embedding.weight)
    words = encoder.embedding.weight.detach().clone().requires_grad_()
    weights = {name: w.detach().clone().requires_grad_() for name, w in encoder.lstm.named_parameters()}
    got, want = encoder(tokens), naive_states(weights, words[tokens], layers)
    torch.testing.assert_close(got, want)

    got.pow(3).sum().backward()
    want.pow(3).sum().backward()
    torch.testing.assert_close(encoder.embedding.weight.grad, words.grad)
    for name, weight in encoder.lstm.named_parameters():
        torch.testing.assert_close(weight.grad, weights[name].grad, msg=name)


@pytest.mark.parametrize("width", [1, 5, 16])
def test_scaled_embeddings_enter_times_the_root_of_the_width(width):
    options = {"layers": 2, "width": width, "dropout": 0.0, "embedding_dropout": 0.0}
    encoder = LSTMEncoder(LSTMSpec(scaled_embedding=True, **options), vocabulary=11).double()
    tokens, words = pad_sentences([[5, 4, 7], [6]]), encoder.embedding.weight.detach().clone().requires_grad_()
    want = naive_states(dict(encoder.lstm.named_parameters()), width**0.5 * words[tokens], 2)
    got = encoder(tokens)
    torch.testing.assert_close(got, want)
    got.pow(3).sum().backward()
    want.pow(3).sum().backward()
    torch.testing.assert_close(encoder.embedding.weight.grad, words.grad)


@pytest.mark.parametrize("layers", [1, 3])
def test_a_forget_bias_moves_the_forget_gates_alone(layers):
    made = []
    for bias in (0.0, 1.5):
        torch.manual_seed(0)
        made.append(LSTMEncoder(LSTMSpec(layers=layers, width=4, forget_bias=bias), vocabulary=11).state_dict())
    plain, moved = made
    for name, weight in plain.items():
        wanted = torch.zeros_like(weight)
        if name.startswith("lstm.bias_ih"):
            wanted[4:8] = 1.5  # torch: input, forget, cell, output
        torch.testing.assert_close(moved[name] - weight, wanted)


def test_embeddings_start_as_wide_as_told():
    torch.manual_seed(0)
    encoder = LSTMEncoder(LSTMSpec(width=64, embedding_std=0.3), vocabulary=500)
    assert encoder.embedding.weight.std().item() == pytest.approx(0.3, rel=0.02)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("width", [1, 6])
def test_the_number_of_parameters_is_a_closed_formula(layers, width):
    spec = LSTMSpec(layers=layers, width=width)
    # four gates, each with two matrices and, as in cuDNN, two biases
    encoder = 11 * width + layers * (8 * width**2 + 8 * width)
    classifier, language_model = (spec.build(vocabulary=11, positions=9, classes=classes) for classes in (3, None))
    assert sum(p.numel() for p in classifier.parameters()) == encoder + 3 * width + 3
    assert sum(p.numel() for p in language_model.parameters()) == encoder + 11


def test_one_layer_gives_no_warning_and_still_drops_its_last_states():
    # warnings are errors here, and torch has one for dropout between the layers of a single one
    encoder = LSTMEncoder(LSTMSpec(layers=1, width=200, dropout=0.5, embedding_dropout=0.0), vocabulary=11)
    torch.manual_seed(0)
    dropped = (encoder.train()(pad_sentences([[4, 5]])) == 0).float().mean().item()
    assert dropped == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("layers", [1, 2])
def test_states_are_dropped_between_layers_too(layers):
    torch.manual_seed(0)
    encoder = LSTMEncoder(LSTMSpec(layers=layers, width=8, dropout=0.5, embedding_dropout=0.0), vocabulary=11).train()
    encoder.output_dropout, tokens = torch.nn.Identity(), pad_sentences([[4, 5]])
    assert torch.equal(encoder(tokens), encoder(tokens)) == (layers == 1)


def test_a_sentence_may_be_longer_than_the_positions():
    model = LSTMSpec(layers=1, width=4).build(vocabulary=11, positions=3, classes=2)
    assert model(pad_sentences([[4] * 20])).shape == (1, 2)


def test_its_name_is_that_of_the_pages():
    assert LSTMSpec().name == "LSTM"


@pytest.mark.parametrize(
    ("field", "value", "range_"),
    [
        ("layers", 0, "greater than or equal to 1"),
        ("width", 0, "greater than or equal to 1"),
        ("dropout", 1.0, "less than 1"),
        ("embedding_dropout", -0.1, "greater than or equal to 0"),
        ("l1", -1.0, "greater than or equal to 0"),
        ("l2", -1.0, "greater than or equal to 0"),
        ("heads", 2, "not permitted"),
    ],
)
def test_settings_out_of_range_are_refused(field, value, range_):
    with pytest.raises(ValidationError, match=range_):
        LSTMSpec(**{field: value})
